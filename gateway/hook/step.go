package hook

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// skip is the word of on_error with which a call goes on without a hook that
// failed.
const skip = "skip"

// step is what every hook has.
type step struct {
	at    diag.Cursor
	name  string
	about policy.Matcher
	when  *expression.Program // nil for always
	skip  bool
}

// condition compiles the key when; ok is false after a mistake.
func (s *step) condition(when *string, env *expression.Env) (ok bool) {
	if when == nil {
		return true
	}
	s.when = expression.Compile(s.at.Key("when"), *when, env, expression.WantBool)
	return s.when != nil
}

func (s *step) holds(vars *expression.Vars) (bool, error) {
	if s.when == nil {
		return true, nil
	}
	return s.when.Bool(vars)
}

// refusal is a hook's decision against a call, and no failure of the hook.
func (s *step) refusal(sentence, hint string) *tool.Error {
	return tool.Errorf(tool.Denied, "%s", strings.TrimSuffix(strings.TrimSpace(sentence), ".")).
		Because(fmt.Errorf("hook %s refused the call", quoted(s.name))).
		WithHint("%s", hint)
}

// skipped reports whether the call goes on without a hook that failed, which
// is then noted. A panic is a fault of the gateway that nobody foresaw, and no
// configuration makes a check of it that passed.
func (s *step) skipped(c *Call, err error) bool {
	if _, fault := err.(*panicked); fault || !s.skip {
		return false
	}
	c.note(fmt.Sprintf("hook %s failed and was skipped: %v", quoted(s.name), err))
	return true
}

func (s *step) because(err error) error { return fmt.Errorf("hook %s: %w", quoted(s.name), err) }

// panicked is a panic inside a hook.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// contained runs f and turns a panic into an error.
func contained(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{r, debug.Stack()}
		}
	}()
	return f()
}

func quoted(name string) string { return strconv.Quote(name) }

// listed joins words: "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
