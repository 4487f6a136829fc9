package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

const pixel = "\x89PNG\r\n\x1a\n\x00"

// answers makes a tool that answers with a value of a type.
func answers[Out any](value Out) *tool.Tool {
	return tool.Func("t", "T.", func(context.Context, struct{}) (Out, error) { return value, nil })
}

type (
	report struct {
		Name string  `json:"name"`
		Sum  float64 `json:"sum,omitempty"`
	}
	nobody struct{}
	words  string
)

// TestAnswers has what becomes of what a function returns, by its type.
func TestAnswers(t *testing.T) {
	text := func(text string) tool.Output { return tool.TextOutput(text) }
	asJSON := func(data string) tool.Output {
		out := tool.TextOutput(data)
		out.Structured = json.RawMessage(data)
		return out
	}
	whole := tool.Output{Content: []tool.Content{tool.Text("a"), tool.Text("b")}, Structured: json.RawMessage(`{"a":1}`), Noop: true, Notes: []string{"n"}}
	joined, err := tool.JSON(report{Name: "r"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		tool *tool.Tool
		want tool.Output
	}{
		{"text", answers("hello <you>"), text("hello <you>")},
		{"no text", answers(""), tool.Output{}},
		{"text that is JSON", answers(`{"a": 1}`), text(`{"a": 1}`)},
		{"text with a name", answers(words("w")), text("w")},
		{"nothing", answers(struct{}{}), tool.Output{}},
		{"nothing with a name", answers(nobody{}), tool.Output{}},
		{"nil", answers[any](nil), tool.Output{}},
		{"nil pointer", answers[*report](nil), tool.Output{}},
		{"nil output", answers[*tool.Output](nil), tool.Output{}},
		{"nil list", answers[[]string](nil), asJSON(`[]`)},
		{"nil map", answers[map[string]int](nil), asJSON(`{}`)},
		{"nil bytes", answers[[]byte](nil), tool.Output{}},
		{"struct", answers(report{Name: "<r>", Sum: 0.5}), asJSON(`{"name":"<r>","sum":0.5}`)},
		{"pointer", answers(&report{Name: "r"}), asJSON(`{"name":"r"}`)},
		{"list", answers([]report{{Name: "r"}}), asJSON(`[{"name":"r"}]`)},
		{"map", answers(map[string]any{"b": 1, "a": []int{}}), asJSON(`{"a":[],"b":1}`)},
		{"integer", answers(int64(9223372036854775807)), asJSON(`9223372036854775807`)},
		{"truth", answers(true), asJSON(`true`)},
		{"anything", answers[any](report{Name: "r"}), asJSON(`{"name":"r"}`)},
		{"text in anything", answers[any]("x"), text("x")},
		{"time", answers(time.Unix(0, 0).UTC()), text("1970-01-01T00:00:00Z")},
		{"one that is text", answers(netip.MustParseAddr("::1")), text("::1")},
		{"raw JSON", answers(json.RawMessage(" {\"b\": 1.50}\n")), asJSON(`{"b": 1.50}`)},
		{"raw text", answers(json.RawMessage(`"a\n"`)), text("a\n")},
		{"raw null", answers(json.RawMessage(`null`)), tool.Output{}},
		{"output", answers(whole), whole},
		{"pointer to output", answers(&whole), whole},
		{"content", answers(tool.Text("a")), text("a")},
		{"contents", answers([]tool.Content{tool.Text("a"), tool.Text("b")}), tool.Output{Content: whole.Content}},
		{"bytes that are text", answers([]byte("abc")), text("abc")},
		{"bytes of a picture", answers([]byte(pixel)), tool.Output{Content: []tool.Content{{Type: tool.ContentImage, Data: []byte(pixel), MIMEType: "image/png"}}}},
		{"other bytes", answers([]byte{0, 1}), tool.Output{Content: []tool.Content{{Type: tool.ContentResource, Data: []byte{0, 1}, MIMEType: "application/octet-stream"}}}},
		{"image", answers(tool.Image([]byte(pixel), "")), tool.Output{Content: []tool.Content{{Type: tool.ContentImage, Data: []byte(pixel), MIMEType: "image/png"}}}},
		{"audio", answers(tool.Audio([]byte("x"), "audio/x")), tool.Output{Content: []tool.Content{{Type: tool.ContentAudio, Data: []byte("x"), MIMEType: "audio/x"}}}},
		{"resource", answers(tool.Resource("u:a", "text/csv", []byte("a,b"))), tool.Output{Content: []tool.Content{{Type: tool.ContentResource, URI: "u:a", MIMEType: "text/csv", Text: "a,b"}}}},
		{"binary resource", answers(tool.Resource("u:a", "", []byte(pixel))), tool.Output{Content: []tool.Content{{Type: tool.ContentResource, URI: "u:a", MIMEType: "image/png", Data: []byte(pixel)}}}},
		{"link", answers(tool.Link("u:a", "a")), tool.Output{Content: []tool.Content{{Type: tool.ContentResourceLink, URI: "u:a", Name: "a"}}}},
		{"nothing to do", answers(tool.Noop("all paid")), tool.Output{Content: []tool.Content{tool.Text("all paid")}, Noop: true}},
		{"joined", answers(tool.Join(tool.Text("r:"), joined, tool.Noop("x"))), tool.Output{
			Content: []tool.Content{tool.Text("r:"), tool.Text(`{"name":"r"}`), tool.Text("x")}, Structured: json.RawMessage(`{"name":"r"}`),
		}},
		{"joined twice", answers(tool.Join(joined, joined)), tool.Output{Content: []tool.Content{tool.Text(`{"name":"r"}`), tool.Text(`{"name":"r"}`)}}},
		{"joined nothings", answers(tool.Join(tool.Noop("a"), tool.Noop(""))), tool.Output{Content: []tool.Content{tool.Text("a")}, Noop: true}},
		{"joined of none", answers(tool.Join()), tool.Output{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := call(t, test.tool, `{}`)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { return nil, errors.New("secret") }

// TestAnswersThatCannotBe has values without a form, and what a model reads; of an error
// that is none of the package's it reads that the tool failed.
func TestAnswersThatCannotBe(t *testing.T) {
	var none *tool.Error
	fails := func(err error) *tool.Tool {
		return tool.Func("t", "T.", func(context.Context, struct{}) (string, error) { return "lost", err })
	}
	tests := []struct {
		name string
		tool *tool.Tool
		want string // of the error
	}{
		{"a value that cannot be written", answers(broken{}), "upstream_error: the tool's result has no JSON form: json: error calling MarshalJSON for type tool_test.broken: secret"},
		{"a function in anything", answers[any](func() {}), "upstream_error: the tool's result has no JSON form: json: unsupported type: func()"},
		{"no JSON", answers(json.RawMessage("{")), "upstream_error: the tool's result has no JSON form"},
		{"text that is none", answers("a\x00"), "upstream_error: the tool answered with 2 bytes that are not text"},
		{"an error in anything", answers[any](errors.New("odd")), "upstream_error: t failed: odd"},
		{"too much text", answers(strings.Repeat("a", 64<<10+1)), "too_large: the result has 65537 bytes, more than the 65536 this tool may answer"},
		{"an error", fails(errors.New("odd")), "upstream_error: t failed: odd"},
		{"an error for the model", fails(tool.Failf("no order has the number %d", 7)), "upstream_error: no order has the number 7"},
		{"one inside", fails(errors.Join(tool.Failf("no"), errors.New("b"))), "upstream_error: no\nb"},
		{"an error that is nil", fails(none), "upstream_error: t failed: the tool's function returned a nil *tool.Error as its error (return nil)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := call(t, test.tool, `{}`)
			if err == nil {
				t.Fatalf("got %q, want an error", got.Text())
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tool.Output{}, got); diff != "" {
				t.Errorf("an answer beside the error:\n%s", diff)
			}
		})
	}
}

// TestTypesThatCannotBeAnswered are told when the tool is made.
func TestTypesThatCannotBeAnswered(t *testing.T) {
	const hint = ", which has no form in JSON (return a text, a struct, a list, bytes, content or an Output)"
	tests := []struct {
		tool *tool.Tool
		want string
	}{
		{answers[func()](nil), "the answer is of type func()" + hint},
		{answers[chan int](nil), "the answer is of type chan int" + hint},
		{answers[*chan int](nil), "the answer is of type *chan int" + hint},
		{answers(complex(1, 1)), "the answer is of type complex128" + hint},
		{answers[error](nil), "the answer is of type error, an error (return it as the error, and struct{} as the answer)"},
		{answers[*tool.Error](nil), "the answer is of type *tool.Error, an error (return it as the error, and struct{} as the answer)"},
	}
	for _, test := range tests {
		if test.tool.Err == nil || test.tool.Err.Error() != test.want || test.tool.Runner != nil {
			t.Errorf("got %v, want %s", test.tool.Err, test.want)
		}
	}
}

// TestEndedContexts: an error that only passes on that the context is over says so in the
// words of all tools; any other error is kept.
func TestEndedContexts(t *testing.T) {
	cause := tool.Errorf(tool.Timeout, "too slow")
	tests := []struct {
		name string
		fail func(context.Context) error
		want string
	}{
		{"passed on", func(ctx context.Context) error { return ctx.Err() }, "timeout: too slow"},
		{"its own", func(context.Context) error { return errors.New("odd") }, "upstream_error: t failed: odd"},
		{"its own, for the model", func(context.Context) error { return tool.Failf("half done") }, "upstream_error: half done"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			subject := tool.Func("t", "T.", func(ctx context.Context, _ struct{}) (struct{}, error) {
				cancel(cause)
				return struct{}{}, test.fail(ctx)
			})
			_, err := subject.Runner.Run(ctx, input(t, `{}`))
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
