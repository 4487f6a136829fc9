package mcpserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/approval"
)

var stateKey = bytes.Repeat([]byte{7}, keySize)

func aQuestion() *approval.Question {
	return &approval.Question{ID: "apr_1", Tool: "pay", Binding: approval.Binding{Caller: "ann", Chat: "c", Tool: "pay", Digest: "d"}}
}

func sealedFor(q *approval.Question, expires time.Time) string {
	return sealState(stateKey, &state{expires: expires, question: questionDigest(q)})
}

// TestForgedStates changes a state in every way that comes to mind: none is taken.
func TestForgedStates(t *testing.T) {
	good := sealedFor(aQuestion(), time.Now().Add(time.Hour))
	if _, err := openState(stateKey, good); err != nil {
		t.Fatalf("the state itself: %v", err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil || len(raw) != stateSize {
		t.Fatalf("%d bytes: %v", len(raw), err)
	}
	forged := map[string]string{
		"empty": "", "doubled": good + good, "tampered": good + "-TAMPERED", "padded": good + "=", "a line end": good + "\n",
		"a line end inside": good[:10] + "\n" + good[10:], "huge": strings.Repeat("A", 1<<20), "not base64": strings.Repeat("!", len(good)),
		"zeroes": strings.Repeat("A", len(good)), "not signed": base64.RawURLEncoding.EncodeToString(raw[:stateSigned]),
	}
	for bit := range stateSize * 8 {
		changed := bytes.Clone(raw)
		changed[bit/8] ^= 1 << (bit % 8)
		forged[fmt.Sprint("bit ", bit)] = base64.RawURLEncoding.EncodeToString(changed)
	}
	for n := range len(good) {
		forged[fmt.Sprint("cut ", n)] = good[:n]
	}
	for name, text := range forged {
		if _, err := openState(stateKey, text); !errors.Is(err, errState) {
			t.Errorf("%s is taken: %v", name, err)
		}
	}
	if _, err := openState(bytes.Repeat([]byte{8}, keySize), good); !errors.Is(err, errState) {
		t.Errorf("another key takes it: %v", err)
	}
	if again := sealedFor(aQuestion(), time.Now().Add(time.Hour)); again == good {
		t.Error("two states of one question are alike")
	}
}

// TestOtherVersion is a state of a version to come, signed with the same key.
func TestOtherVersion(t *testing.T) {
	raw, _ := base64.RawURLEncoding.DecodeString(sealedFor(aQuestion(), time.Now()))
	raw[0]++
	raw = append(raw[:stateSigned:stateSigned], stateMAC(stateKey, raw[:stateSigned])...)
	if _, err := openState(stateKey, base64.RawURLEncoding.EncodeToString(raw)); !errors.Is(err, errState) {
		t.Errorf("it is taken: %v", err)
	}
}

// TestStateOfAnotherQuestion brings a yes with a state that was made here, but not
// for this question, or too long ago: the question is put anew.
func TestStateOfAnotherQuestion(t *testing.T) {
	tests := map[string]struct {
		change  func(q *approval.Question)
		expires time.Duration
		want    error
	}{
		"the question":       {expires: time.Hour},
		"expired":            {expires: -time.Second, want: approval.ErrLater},
		"another approval":   {change: func(q *approval.Question) { q.ID = "apr_2" }, expires: time.Hour, want: approval.ErrLater},
		"another caller":     {change: func(q *approval.Question) { q.Binding.Caller = "bob" }, expires: time.Hour, want: approval.ErrLater},
		"another chat":       {change: func(q *approval.Question) { q.Binding.Chat = "e" }, expires: time.Hour, want: approval.ErrLater},
		"another tool":       {change: func(q *approval.Question) { q.Binding.Tool = "pay2" }, expires: time.Hour, want: approval.ErrLater},
		"other arguments":    {change: func(q *approval.Question) { q.Binding.Digest = "e" }, expires: time.Hour, want: approval.ErrLater},
		"shifted borders":    {change: func(q *approval.Question) { q.Binding.Caller, q.Binding.Chat = "an", "nc" }, expires: time.Hour, want: approval.ErrLater},
		"masked differently": {change: func(q *approval.Question) { q.Summary, q.Arguments = "other", []byte("{}") }, expires: time.Hour},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			opened, err := openState(stateKey, sealedFor(aQuestion(), time.Now().Add(tt.expires)))
			if err != nil {
				t.Fatal(err)
			}
			q := aQuestion()
			if tt.change != nil {
				tt.change(q)
			}
			f := &laterForm{state: opened, said: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}}
			_, known := f.Answer(q)
			approve, err := f.Ask(t.Context(), q)
			if !errors.Is(err, tt.want) || approve != (tt.want == nil) || known != approve {
				t.Errorf("%v, %v, known before: %v; want the error %v", approve, err, known, tt.want)
			}
		})
	}
}

// TestOneQuestion holds that one answer asks about one call.
func TestOneQuestion(t *testing.T) {
	f := &laterForm{}
	if _, err := f.Ask(t.Context(), aQuestion()); !errors.Is(err, approval.ErrLater) {
		t.Fatal(err)
	}
	other := aQuestion()
	other.ID = "apr_2"
	if _, err := f.Ask(t.Context(), other); err == nil || errors.Is(err, approval.ErrLater) || f.asked.ID != "apr_1" {
		t.Errorf("%v, and %s is asked", err, f.asked.ID)
	}
}

// FuzzOpenState holds that nothing is taken but what was signed.
func FuzzOpenState(f *testing.F) {
	signed := map[string]bool{}
	for _, expires := range []time.Time{time.Unix(0, 0), time.Unix(1<<40, 0), time.Unix(-1, 0)} {
		text := sealWith(stateKey, &state{expires: expires, question: questionDigest(aQuestion())}, [stateNonce]byte{1}) // the same in every process
		signed[text] = true
		f.Add(text)
		f.Add(text[:len(text)-1])
		f.Add(strings.ToLower(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := openState(stateKey, text)
		if (err == nil) != signed[text] || (s == nil) == signed[text] {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// keysFunc are keys of a function.
type keysFunc func() ([]byte, error)

// Key calls the function.
func (f keysFunc) Key(context.Context, string) ([]byte, error) { return f() }

// TestKeyIsReadAgain holds that a key that cannot be read once is asked for again,
// and one that was read is not.
func TestKeyIsReadAgain(t *testing.T) {
	broken, asked := true, 0
	s := sealer{keys: keysFunc(func() ([]byte, error) {
		if asked++; broken {
			return nil, errors.New("broken")
		}
		return stateKey, nil
	})}
	if _, err := s.load(t.Context()); err == nil {
		t.Error("a broken store gives a key")
	}
	broken = false
	for range 2 {
		if key, err := s.load(t.Context()); err != nil || !bytes.Equal(key, stateKey) {
			t.Errorf("%v %v", key, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	s = sealer{keys: keysFunc(func() ([]byte, error) { return []byte("short"), nil })}
	if _, err := s.load(t.Context()); err == nil {
		t.Error("a short key is taken")
	}
}

func TestQuestionText(t *testing.T) {
	tests := map[string]struct {
		q    approval.Question
		want string
	}{
		"all": {
			approval.Question{Tool: "pay", Summary: "Pay 5 to Ann", Reason: "over the limit", Said: "the user wants it", Arguments: []byte(`{"amount":5}`)},
			"\nTool: pay\nCall: Pay 5 to Ann\nYou are asked because: over the limit\nThe model says: the user wants it\nArguments: {\"amount\":5}",
		},
		"the summary repeats the arguments": {
			approval.Question{Tool: "pay", Summary: `pay {"amount":5}`, Arguments: []byte(`{"amount":5}`)},
			"\nTool: pay\nArguments: {\"amount\":5}",
		},
		"lines, escapes, directions": {
			approval.Question{Tool: "pay", Said: "a\nTool: harmless\r\x1b[2J\u202egnp\u200b\u2028\U000e0041\u00a0\xff é字😀"},
			"\nTool: pay\nThe model says: a\\u000aTool: harmless\\u000d\\u001b[2J\\u202egnp\\u200b\\u2028\\U000e0041\\u00a0\\xff é字😀",
		},
		"long": {
			approval.Question{Tool: "pay", Arguments: []byte(`"` + strings.Repeat("é", maxAskedArguments) + `"`)},
			"\nTool: pay\nArguments: \"" + strings.Repeat("é", maxAskedArguments-1) + "… (cut: 4000 of 4002 characters are shown)",
		},
	}
	for name, tt := range tests {
		if got := questionText(&tt.q); got != "Shall this call run? Answer only if you know what it does."+tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestVerdict holds that nothing is agreement but the form with a yes.
func TestVerdict(t *testing.T) {
	tests := map[string]struct {
		res     mcp.ElicitResult
		approve bool
		fails   bool
	}{
		"yes":              {mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, true, false},
		"yes and more":     {mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true, "x": 1}}, true, false},
		"no":               {mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": false}}, false, false},
		"decline":          {mcp.ElicitResult{Action: "decline"}, false, false},
		"decline, and yes": {mcp.ElicitResult{Action: "decline", Content: map[string]any{"approve": true}}, false, false},
		"cancel":           {mcp.ElicitResult{Action: "cancel"}, false, false},
		"nothing":          {mcp.ElicitResult{Action: "accept"}, false, true},
		"a text":           {mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": "true"}}, false, true},
		"a number":         {mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": 1.0}}, false, true},
		"null":             {mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": nil}}, false, true},
		"another spelling": {mcp.ElicitResult{Action: "accept", Content: map[string]any{"Approve": true}}, false, true},
		"another action":   {mcp.ElicitResult{Action: "Accept", Content: map[string]any{"approve": true}}, false, true},
		"no action":        {mcp.ElicitResult{Content: map[string]any{"approve": true}}, false, true},
	}
	for name, tt := range tests {
		approve, err := verdict(&tt.res)
		if approve != tt.approve || (err != nil) != tt.fails {
			t.Errorf("%s: %v, %v", name, approve, err)
		}
	}
}

func TestCanAsk(t *testing.T) {
	form, link := &mcp.FormElicitationCapabilities{}, &mcp.URLElicitationCapabilities{}
	tests := map[string]struct {
		caps *mcp.ClientCapabilities
		want bool
	}{
		"nothing":      {nil, false},
		"others":       {&mcp.ClientCapabilities{Extensions: map[string]any{"x/y": struct{}{}}}, false},
		"elicitation":  {&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, true},
		"form":         {&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: form}}, true},
		"url":          {&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: link}}, false},
		"form and url": {&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: form, URL: link}}, true},
	}
	for name, tt := range tests {
		if got := canAsk(tt.caps); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
