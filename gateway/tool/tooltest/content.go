package tooltest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// BlocksJSON is the answer of [Subject].Blocks: one text, one image and one
// resource in the form of the Model Context Protocol.
const BlocksJSON = `{"content": [
	{"type": "text", "text": "see the chart"},
	{"type": "image", "data": "iVBORw0KGgoAAQI=", "mimeType": "image/png"},
	{"type": "resource", "resource": {"uri": "file:///chart.csv", "mimeType": "text/csv", "text": "a,b\n1,2\n"}}
]}`

// image and unknown are what a [Subject].Binary answers with. None of them is
// valid text.
var (
	image   = []byte("\x89PNG\r\n\x1a\n\x00\x01\x02")
	unknown = []byte("\x00\xff\xfe\x01 no kind that is known\r\n")
)

func blocks(t *testing.T, r tool.Runner) {
	out, err := r.Run(t.Context(), Input("x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []tool.Content{
		{Type: tool.ContentText, Text: "see the chart"},
		{Type: tool.ContentImage, Data: image, MIMEType: "image/png"},
		{Type: tool.ContentResource, URI: "file:///chart.csv", MIMEType: "text/csv", Text: "a,b\n1,2\n"},
	}
	if !reflect.DeepEqual(out.Content, want) {
		t.Errorf("got %+v, want %+v", out.Content, want)
	}
}

// shows checks that the answer is the one block. Where the block wanted has no
// media type, any will do.
func shows(want tool.Content) func(*testing.T, tool.Runner) {
	return func(t *testing.T, r tool.Runner) {
		out, err := r.Run(t.Context(), Input("x"))
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Content) == 1 && want.MIMEType == "" && out.Content[0].MIMEType != "" {
			out.Content[0].MIMEType = ""
		}
		if !reflect.DeepEqual(out.Content, []tool.Content{want}) {
			t.Errorf("got %+v, want %+v", out.Content, want)
		}
	}
}

// inputs are inputs of every kind of argument, made anew at each call.
func inputs() []tool.Input {
	values := []any{
		"plain", "", "-x", "a\x00b", "\xff", "../..", "${args.text}", strings.Repeat("x", 1<<10), nil, true,
		json.Number("12345678901234567890.10"), json.Number("-0"),
		[]any{},
		[]any{"a", json.Number("1"), nil, []any{"b"}, map[string]any{"c": "d"}},
		map[string]any{},
		map[string]any{"a": []any{json.Number("1e2")}, "b": map[string]any{"c": nil}},
	}
	none, other := Input(""), Input("")
	none.Args, other.Args = nil, map[string]any{"other": "x"}
	out := []tool.Input{none, other}
	for _, value := range values {
		in := Input("")
		in.Args["text"] = value
		in.Call.Arguments = json.RawMessage(`{"text": "as sent"}`)
		in.Spec.Tags = []string{tool.TagReadOnly}
		out = append(out, in)
	}
	return out
}
