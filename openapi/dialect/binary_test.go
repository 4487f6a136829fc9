package dialect

import "testing"

func TestBinary(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{}`:                                  false,
		`true`:                                false,
		`{"type":"string","format":"byte"}`:   false,
		`{"type":"string","format":"binary"}`: true,
		`{"type":"file"}`:                     true,
		`{"type":"object","format":"binary"}`: false,
		`{"$ref":"#/s/File"}`:                 true,
		`{"$ref":"#/s/Gone"}`:                 false,
		`{"type":"array","items":{"type":"string","contentMediaType":"image/png"}}`:                   true,
		`{"type":"array","items":{"$ref":"#/s/File"}}`:                                                true,
		`{"type":"array","items":{"type":"string"}}`:                                                  false,
		`{"allOf":[{"$ref":"#/s/File"}],"description":"d"}`:                                           true,
		`{"anyOf":[{"type":"string","contentMediaType":"application/octet-stream"},{"type":"null"}]}`: true,
		`{"anyOf":[{"$ref":"#/s/File"},{"type":"string"}]}`:                                           false,
		`{"anyOf":[{"type":"null"}]}`:                                                                 false,
		`{"$ref":"#/s/Loop"}`:                                                                         false,
	} {
		file := parse(t, "api.json", `{"in":`+text+`,"s":{"File":{"type":"string","format":"binary"},"Loop":{"items":{"$ref":"#/s/Loop"}}}}`)
		if got := New(oneFile{}, V31, Input).Binary(file, file.Root.Get("in")); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if New(oneFile{}, V31, Input).Binary(nil, nil) {
		t.Error("nothing is bytes")
	}
}
