package message_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/mcpserver/message"
)

func TestRead(t *testing.T) {
	body := ` {"method":"tools/call", "params" : {"_meta":{"progressToken":"t","io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}},"arguments":{"a\"}":[{"b":"]"}, 1.50]},"name":"x"},"id":-7,"jsonrpc":"2.0"}`
	got, ok := message.Read([]byte(body))
	want := &message.Message{
		Method: message.CallTool, ID: []byte("-7"), Name: []byte("x"), Arguments: []byte(`{"a\"}":[{"b":"]"}, 1.50]}`),
		Token: []byte(`"t"`), Version: []byte("2026-07-28"), Described: true,
	}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Error(ok, diff)
	}
}

// TestNotUnderstood are messages that are left to others, though some are right.
func TestNotUnderstood(t *testing.T) {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"` + params + `}}`
	}
	if _, ok := message.Read([]byte(call(`,"arguments":{}`))); !ok {
		t.Fatal("the plain call is not understood")
	}
	for _, body := range []string{
		"", " ", "null", "[]", "{", "5", `"x"`, "{}", call("") + "x", "\xef\xbb\xbf" + call(""),
		`[` + call("") + `]`, call(`,"name":"x"`), call(`,"Name":"y"`), call(`,"na\u006de":"y"`), call(`,"x":1`),
		call(`,"arguments":"{}"`), call(`,"arguments":{},"arguments":{}`), call(`,"cursor":"x"`), call(`,"_meta":null`), call(`,"_meta":{},"_meta":{}`),
		call(`,"_meta":{"progressToken":1.5}`), call(`,"_meta":{"progressToken":{}}`), call(`,"_meta":{"progressToken":1,"progressToken":2}`),
		call(`,"_meta":{"a":1.5}`), call(`,"_meta":{"a":[]}`), call(`,"_meta":{"progress\u0054oken":1}`),
		call(`,"arguments":{"a":` + strings.Repeat("[", message.MaxNesting) + strings.Repeat("]", message.MaxNesting) + `}`),
		call(",\"arguments\":{\"a\":\"\xff\"}"),
		`{"jsonrpc":"2.0","method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":01,"method":"ping"}`, `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`, `{"jsonrpc":2.0,"id":1,"method":"ping"}`, `{"id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`,
	} {
		if m, ok := message.Read([]byte(body)); ok {
			t.Errorf("understood %.200q as %+v", body, m)
		}
	}
}

func TestCancelled(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"x"}}`: "5",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`:            `"a"`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0041"}}`:       "",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`:             "",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`:                           "",
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`:                                       "",
		`{"jsonrpc":"2.0","method":"x","params":{"requestId":"notifications/cancelled"}}`:            "",
		`notifications/cancelled`: "",
		``:                        "",
	} {
		id, ok := message.Cancelled([]byte(body))
		if !ok {
			id = nil
		}
		if string(id) != want {
			t.Errorf("%s: %q, want %q", body, id, want)
		}
	}
}

// FuzzRead holds that what is understood says what a decoder reads in it.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"\\","method":"tools/list","params":{"cursor":"x","_meta":{}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"n","arguments":{"x":[1,{"y":"\\\""}]},"_meta":{"progressToken":0,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{"tools":{}}},"io.modelcontextprotocol/clientInfo":{"name":"x"}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressTokEn":0}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		message.Cancelled(body)
		got, ok := message.Read(body)
		if !ok {
			return
		}
		var want struct {
			JSONRPC string
			ID      json.RawMessage
			Method  string
			Params  struct {
				Name, Cursor string
				Arguments    json.RawMessage
				// A map, since a struct takes members in any case and MCP does not.
				Meta map[string]json.RawMessage `json:"_meta"`
			}
		}
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatal(err)
		}
		if want.JSONRPC != "2.0" || !bytes.Equal(want.ID, got.ID) || want.Method != got.Method || want.Params.Name != string(got.Name) ||
			want.Params.Cursor != string(got.Cursor) || !bytes.Equal(want.Params.Arguments, got.Arguments) || !bytes.Equal(want.Params.Meta["progressToken"], got.Token) {
			t.Errorf("read %+v of %q", got, body)
		}
	})
}
