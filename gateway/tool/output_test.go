package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestRender(t *testing.T) {
	t.Parallel()
	text := func(s string) tool.Output { return tool.TextOutput(s) }
	both := func(s string) tool.Output {
		out := tool.TextOutput(s)
		out.Structured = json.RawMessage(s)
		return out
	}
	image := tool.Output{Content: []tool.Content{{Type: tool.ContentImage, Data: []byte("abc"), MIMEType: "image/png"}}}
	const block = `{"type":"image","data":"YWJj","mimeType":"image/png"}`
	tests := []struct {
		name string
		got  func() (tool.Output, error)
		want tool.Output
		err  string
	}{
		{"auto text", value("hi", tool.OutputAuto), text("hi"), ""},
		{"auto empty", value("", tool.OutputAuto), tool.Output{}, ""},
		{"auto nil", value(nil, tool.OutputAuto), tool.Output{}, ""},
		{"auto number keeps digits", value(json.Number("12345678901234567890.10"), tool.OutputAuto), both("12345678901234567890.10"), ""},
		{"auto list", value([]any{"<a>", true}, tool.OutputAuto), both(`["<a>",true]`), ""},
		{"auto truth", value(false, tool.OutputAuto), both("false"), ""},
		{"text number", value(json.Number("3"), tool.OutputText), text("3"), ""},
		{"auto text that looks like a number", value("3", tool.OutputAuto), text("3"), ""},
		{"bytes that look like a number", raw("3\n", tool.OutputAuto), text("3\n"), ""},
		{"bytes json number keeps digits", raw("5.10\n", tool.OutputJSON), both("5.10"), ""},
		{"bytes json text", raw(`"a"`, tool.OutputJSON), both(`"a"`), ""},
		{"auto object", value(map[string]any{"a": 1}, tool.OutputAuto), both(`{"a":1}`), ""},
		{"text object", value(map[string]any{"a": 1}, tool.OutputText), text(`{"a":1}`), ""},
		{"json nil", value(nil, tool.OutputJSON), both("null"), ""},
		{"json text is parsed", value(` {"a": 1.0}`, tool.OutputJSON), both(`{"a": 1.0}`), ""},
		{"no form", value(func() {}, tool.OutputAuto), tool.Output{}, "no JSON form"},
		{"bytes auto", raw("a\nb", tool.OutputAuto), text("a\nb"), ""},
		{"bytes json keeps order", raw(" {\"b\": 1, \"a\": 1e2}\n", tool.OutputJSON), both(`{"b": 1, "a": 1e2}`), ""},
		{"bytes not json", raw("{", tool.OutputJSON), tool.Output{}, "not JSON"},
		{"bytes not text", raw("\xff\x00", tool.OutputAuto), tool.Output{}, "2 bytes that are not text"},
		{"content list", raw("["+block+"]", tool.OutputContent), image, ""},
		{"content object", raw(`{"content":[`+block+`]}`, tool.OutputContent), image, ""},
		{"content without list", raw(`{"a":1}`, tool.OutputContent), tool.Output{}, `no "content" list`},
		{"content of unknown type", raw(`[{"type":"film"}]`, tool.OutputContent), tool.Output{}, "unknown type"},
		{"content value", value([]any{map[string]any{"type": "text", "text": "x"}}, tool.OutputContent), text("x"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.got()
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func value(v any, mode tool.OutputMode) func() (tool.Output, error) {
	return func() (tool.Output, error) { return tool.RenderValue(v, mode) }
}

func raw(text string, mode tool.OutputMode) func() (tool.Output, error) {
	return func() (tool.Output, error) { return tool.RenderText([]byte(text), mode) }
}

// TestObject: whatever the structured form of an answer is, clients are sent
// objects only.
func TestObject(t *testing.T) {
	t.Parallel()
	for structured, want := range map[string]bool{`{"a":1.0}`: true, `[{}]`: false, `5`: false, `null`: false, `"{"`: false, ``: false} {
		r := tool.Result{Output: tool.Output{Structured: json.RawMessage(structured)}}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		sent := strings.Contains(string(data), `"structured":`+structured)
		if got := r.Output.Object() != nil; got != want || sent != want && structured != "" {
			t.Errorf("%s: object %v, sent %s", structured, got, data)
		}
	}
}

func TestContentRoundTrip(t *testing.T) {
	t.Parallel()
	tests := []string{
		`{"type":"text","text":"a <b>"}`,
		`{"type":"text","text":""}`,
		`{"type":"image","data":"AAE=","mimeType":"image/png"}`,
		`{"type":"audio","data":"AAE=","mimeType":"audio/wav"}`,
		`{"type":"resource","resource":{"uri":"test://a","mimeType":"text/plain","text":"x"}}`,
		`{"type":"resource","resource":{"uri":"test://a","blob":"AAE="}}`,
		`{"type":"resource_link","mimeType":"text/plain","uri":"test://a","name":"a","title":"A","description":"d"}`,
	}
	for _, in := range tests {
		var c tool.Content
		if err := json.Unmarshal([]byte(in), &c); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got := strings.TrimSpace(b.String()); got != in {
			t.Errorf("got  %s\nwant %s", got, in)
		}
	}
}

func TestContentRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{`{"type":"text"}`, `needs "text"`},
		{`{"type":"image","data":"AAE="}`, `needs "data"`},
		{`{"type":"image","data":"?","mimeType":"image/png"}`, "not base64"},
		{`{"type":"resource","resource":{"uri":"a"}}`, "either"},
		{`{"type":"resource_link","uri":"a"}`, `"uri" and "name"`},
		{`{"type":"film"}`, `unknown type "film"`},
	}
	for _, tt := range tests {
		var c tool.Content
		if err := json.Unmarshal([]byte(tt.in), &c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.in, err, tt.want)
		}
	}
}

// TestResultText: what a model reads, of a result that is nowhere kept.
func TestResultText(t *testing.T) {
	t.Parallel()
	failure := tool.Failf("no order has the number 7").WithHint("Ask for the number.")
	for want, r := range map[string]tool.Result{
		"paid": {Output: tool.TextOutput("paid")},
		"Error: no order has the number 7\nAsk for the number.": {Output: failure.Answer(), Error: failure},
	} {
		if got := r.Text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
