package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/schema"
)

// answer is what a webhook says.
type answer struct {
	Action string
	Reason string          // of deny, for the model
	Args   map[string]any  // of set: all arguments
	Result json.RawMessage // of replace: any JSON value
}

var errNoObject = errors.New("it is not an object")

// readAnswer reads an answer and guesses nothing: what two readers could take
// for two decisions is none. So no member may stand there twice, at any depth,
// or be unknown, or be written in other letters, and nothing may follow.
func readAnswer(data []byte) (*answer, error) {
	const wrong = "the webhook's answer is not the JSON object that is expected: %w"
	whole, err := schema.Decode(data)
	if err != nil {
		return nil, fmt.Errorf(wrong, err)
	}
	if _, ok := whole.(map[string]any); !ok {
		return nil, fmt.Errorf(wrong, errNoObject)
	}
	var members map[string]json.RawMessage // the result keeps its text
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf(wrong, err)
	}
	a := &answer{}
	for name, raw := range members {
		if err := a.take(name, raw); err != nil {
			return nil, fmt.Errorf(wrong, err)
		}
	}
	if err := a.fits(members); err != nil {
		return nil, fmt.Errorf(wrong, err)
	}
	return a, nil
}

// fits refuses a member that the action has no use for: whoever sent new
// arguments and said allow meant something else.
func (a *answer) fits(members map[string]json.RawMessage) error {
	own, known := map[string]string{"allow": "", "deny": "reason", "set": "args", "replace": "result"}[a.Action]
	for name := range members {
		if known && name != "action" && name != own {
			return fmt.Errorf("the action %s goes with no member %s", a.Action, name)
		}
	}
	return nil
}

func (a *answer) take(name string, raw json.RawMessage) error {
	var err error
	want := "text"
	switch name {
	case "action":
		err = decodeInto(raw, &a.Action)
	case "reason":
		err = decodeInto(raw, &a.Reason)
	case "args":
		err, want = decodeInto(raw, &a.Args), "an object"
	case "result":
		a.Result = raw
	default:
		return fmt.Errorf("it has a member %q (known: action, reason, args, result)", name)
	}
	if err != nil {
		return fmt.Errorf("%s must be %s", name, want)
	}
	return nil
}

func (a *answer) sentence() string {
	return cmp.Or(strings.TrimSpace(a.Reason), "a check of the gateway does not allow this call")
}

func unknownAction(action, known string) error {
	return fmt.Errorf("the webhook answered the action %q (known here: %s)", action, known)
}
