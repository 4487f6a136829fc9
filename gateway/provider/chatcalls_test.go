package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Pieces of the bodies below.
const (
	callA  = `{"id":"a","type":"function","function":{"name":"find","arguments":"{\"id\": 9007199254740993}"}}`
	callB  = `{"id":"b","type":"function","function":{"name":"pay","arguments":""}}`
	user   = `{"role":"user","content":"hi"}`
	askedA = `{"role":"assistant","content":null,"tool_calls":[` + callA + `]}`
	asked  = `{"role":"assistant","content":null,"function_call":null,"tool_calls":[` + callA + `,` + callB + `]}`
	toolA  = `{"role":"tool","tool_call_id":"a","content":"7"}`
	toolB  = `{"role":"tool","tool_call_id":"b","content":"7"}`
	final  = `{"role":"assistant","content":"done","tool_calls":null}`
	custom = `{"id":"c","type":"custom","custom":{"name":"sql","input":"select"}}`
)

func call(id, name, arguments string) provider.ToolCall {
	return provider.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

func TestOpenAIChatCalls(t *testing.T) {
	a, b := call("a", "find", `{"id": 9007199254740993}`), call("b", "pay", `{}`)
	one := func(function string) string { return `[{"id":"a","function":` + function + `}]` }
	tests := []struct {
		name, body string
		want       []provider.ToolCall
	}{
		{"message", asked, []provider.ToolCall{a, b}},
		{"message without a role", " {\"tool_calls\":[" + callA + "]}\n", []provider.ToolCall{a}},
		{"message without calls", final, nil},
		{"no calls named", `{"tool_calls":null}`, nil},
		{"empty list of calls", `{"tool_calls":[]}`, []provider.ToolCall{}},
		{"response", `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":` + asked + `}],"usage":{}}`, []provider.ToolCall{a, b}},
		{"response that is final", `{"choices":[{"message":` + final + `}]}`, nil},
		{"calls", "[" + callA + "," + callB + "]", []provider.ToolCall{a, b}},
		{"nothing", "[]", nil},

		{"conversation", `{"model":"m","tools":[{}],"messages":[` + user + `,` + asked + `]}`, []provider.ToolCall{a, b}},
		{"list of messages", `[` + user + `,` + asked + `]`, []provider.ToolCall{a, b}},
		{"empty conversation", `{"messages":[]}`, nil},
		{"conversation without calls", `[` + user + `,` + final + `]`, nil},
		{"one is answered", `[` + asked + `,` + toolA + `]`, []provider.ToolCall{b}},
		{"the other is answered", `[` + asked + `,` + toolB + `]`, []provider.ToolCall{a}},
		{"all are answered", `[` + asked + `,` + toolB + `,` + toolA + `]`, []provider.ToolCall{}},
		{"answered twice", `[` + askedA + `,` + toolA + `,` + toolA + `]`, []provider.ToolCall{}},
		{"only the last ones", `[` + asked + `,` + toolA + `,` + askedA + `]`, []provider.ToolCall{a}},
		{"an id that was used before", `[` + askedA + `,` + toolA + `,` + final + `,` + user + `,` + askedA + `]`, []provider.ToolCall{a}},
		{"an old call of another type", `[{"role":"assistant","tool_calls":[` + custom + `]},` + toolA + `,` + askedA + `]`, []provider.ToolCall{a}},
		{"an empty list is no calls", `[` + askedA + `,{"role":"assistant","tool_calls":[]}]`, []provider.ToolCall{a}},
		{"other roles", `[{"role":"developer"},{"role":"new"},` + askedA + `]`, []provider.ToolCall{a}},
		{"names of another case are others", `{"role":"assistant","Role":"user","tool_calls":[{"ID":"x","id":"a","function":{"name":"n","NAME":7}}]}`, []provider.ToolCall{call("a", "n", "{}")}},

		{"arguments as an object", one(`{"name":"n","arguments":{"b": 1.10,"a":[ ]}}`), []provider.ToolCall{call("a", "n", `{"b": 1.10,"a":[ ]}`)}},
		{"arguments that are no JSON", one(`{"name":"n","arguments":"{\"a\": "}`), []provider.ToolCall{call("a", "n", `{"a": `)}},
		{"arguments with a name twice, as text", one(`{"name":"n","arguments":"{\"a\":1,\"a\":2}"}`), []provider.ToolCall{call("a", "n", `{"a":1,"a":2}`)}},
		{"blank arguments", one(`{"name":"n","arguments":" "}`), []provider.ToolCall{call("a", "n", ` `)}},
		{"null arguments", one(`{"name":"n","arguments":null}`), []provider.ToolCall{call("a", "n", `{}`)}},
		{"no arguments", one(`{"name":"n"}`), []provider.ToolCall{call("a", "n", `{}`)}},
		{"odd names", `[{"id":"<\"&>","type":null,"function":{"name":"no such\ntool"}}]`, []provider.ToolCall{call(`<"&>`, "no such\ntool", `{}`)}},
		{"a long id", `[{"id":"` + strings.Repeat("i", 16<<10) + `","function":{"name":"n"}}]`, []provider.ToolCall{call(strings.Repeat("i", 16<<10), "n", `{}`)}},
		{"as many as may be", "[" + many(128) + "]", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := provider.OpenAIChatCalls([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" && len(got) != 128 {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// many is n calls, as the inside of a list.
func many(n int) string {
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"id":"%d","function":{"name":"n"}}`, i)
	}
	return strings.Join(calls, ",")
}

// TestOpenAIChatCallsMistakes holds the sentence of each mistake, or the end of it,
// and that each says what to send instead.
func TestOpenAIChatCallsMistakes(t *testing.T) {
	one := func(call string) string { return `{"role":"assistant","tool_calls":[` + call + `]}` }
	tests := []struct{ name, body, want string }{
		{"nothing", "", "the contents are not valid JSON: the text ends too early; send it whole"},
		{"cut", `{"tool_calls":[`, "the contents are not valid JSON: the text ends too early; send it whole"},
		{"two values", `[] []`, "the contents hold more after the end of the JSON value, near `[] []`; send one value"},
		{"a name twice", `{"tool_calls":[],"tool_calls":[]}`, "the calls cannot be read: tool_calls: is given twice; give it once"},
		{"a name twice further down", one(`{"id":"a","function":{"name":"n","name":"m"}}`), "the calls cannot be read: tool_calls[0].function.name: is given twice; give it once"},
		{"no UTF-8", "[\"\xff\"]", "the contents hold bytes that are not UTF-8 text"},
		{"too deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), "the contents are nested too deep; at most 64 levels are accepted"},
		{"too long", "[" + strings.Repeat(" ", 4<<20) + "]", "the contents of 4194306 bytes are too large; at most 4194304 bytes are accepted"},
		{"a number", "7", "the body is neither an object nor a list"},
		{"null", "null", "the body is neither an object nor a list"},
		{"an empty object", "{}", `the body has none of "tool_calls", "messages" and "choices"`},
		{"one call", callA, `the body has none of "tool_calls", "messages" and "choices"`},
		{"two kinds at once", `{"messages":[],"choices":[]}`, `the body has both "choices" and "messages"`},
		{"the old form", `{"role":"assistant","function_call":{"name":"n","arguments":"{}"}}`, "function_call is the old form of a call, which has no id"},
		{"another's message", `{"role":"user","tool_calls":[]}`, `role is "user"`},
		{"a role that is none", `{"role":7}`, "role is no text"},
		{"no list of calls", `{"tool_calls":{}}`, "tool_calls is no list"},
		{"too many", "[" + many(129) + "]", "the body has 129 calls; at most 128 are accepted"},

		{"several choices", `{"choices":[{},{}]}`, "choices has 2 entries"},
		{"no choice", `{"choices":[]}`, "choices has 0 entries"},
		{"no list of choices", `{"choices":7}`, "choices is no list"},
		{"an empty choice", `{"choices":[{}]}`, "choices[0].message is missing"},
		{"an odd choice", `{"choices":["a"]}`, "choices[0] is no object"},
		{"a choice of another role", `{"choices":[{"message":{"role":"user"}}]}`, `choices[0].message.role is "user"`},

		{"a call that is none", one("7"), "tool_calls[0] is no object"},
		{"a null call", one("null"), "tool_calls[0] is no object"},
		{"no id", one(`{"function":{"name":"n"}}`), "tool_calls[0].id is missing"},
		{"a null id", one(`{"id":null,"function":{"name":"n"}}`), "tool_calls[0].id is missing"},
		{"an empty id", one(`{"id":"","function":{"name":"n"}}`), "tool_calls[0].id is empty"},
		{"an odd id", one(`{"id":7,"function":{"name":"n"}}`), "tool_calls[0].id is no text"},
		{"a long id", one(`{"id":"` + strings.Repeat("i", 16<<10+1) + `","function":{"name":"n"}}`), "tool_calls[0].id has 16385 bytes; at most 16384 are accepted"},
		{"an id twice", one(callA + "," + callB + "," + callA), "tool_calls[2].id is the id of tool_calls[0] too"},
		{"no function", one(`{"id":"a","type":"function"}`), "tool_calls[0].function is missing"},
		{"an odd function", one(`{"id":"a","function":"n"}`), "tool_calls[0].function is no object"},
		{"no name", one(`{"id":"a","function":{"arguments":"{}"}}`), "tool_calls[0].function.name is missing"},
		{"an empty name", one(`{"id":"a","function":{"name":""}}`), "tool_calls[0].function.name is empty"},
		{"arguments as a list", one(`{"id":"a","function":{"name":"n","arguments":[]}}`), "tool_calls[0].function.arguments is neither a text nor an object"},
		{"arguments as a number", one(`{"id":"a","function":{"name":"n","arguments":7}}`), "tool_calls[0].function.arguments is neither a text nor an object"},
		{"another type", one(custom), `tool_calls[0].type is "custom", and only function calls are run here`},
		{"an odd type", one(`{"id":"a","type":7}`), "tool_calls[0].type is no text"},
		{"calls alone", `[{"id":"a"}]`, "[0].function is missing"},
		{"a message among calls", "[" + callA + "," + user + "]", "[1].id is missing"},

		{"no conversation", `{"messages":{}}`, "messages is no list"},
		{"a message that is none", `{"messages":[7]}`, "messages[0] is no object"},
		{"a call among messages", "[" + user + "," + callA + "]", "[1].role is missing"},
		{"in a conversation", `{"messages":[` + user + `,` + user + `,` + user + `,{"role":"assistant","tool_calls":[{"function":{}}]}]}`, "messages[3].tool_calls[0].id is missing"},
		{"the last calls are no list", `{"messages":[` + askedA + `,{"role":"assistant","tool_calls":"x"}]}`, "messages[1].tool_calls is no list"},
		{"calls of a user", `[{"role":"user","tool_calls":[` + callA + `]}]`, `[0].role is "user"`},
		{"an answer without an id", `[` + askedA + `,{"role":"tool"}]`, "[1].tool_call_id is missing"},
		{"an answer to nothing", `{"messages":[` + askedA + `,` + toolB + `]}`, `messages[1].tool_call_id is "b", which is the id of no call of the last message with calls`},
		{"the old form in a conversation", `[{"role":"assistant","function_call":{}}]`, "[0].function_call is the old form of a call, which has no id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls, err := provider.OpenAIChatCalls([]byte(tt.body))
			e, ok := errors.AsType[*tool.Error](err)
			if !ok || calls != nil {
				t.Fatalf("%v, %v, want no calls and a *tool.Error", calls, err)
			}
			if !strings.HasSuffix(e.Message, tt.want) || e.Code != tool.InvalidArgs || e.Hint == "" {
				t.Errorf("%s: %q (%q), want %q", e.Code, e.Message, e.Hint, tt.want)
			}
		})
	}
}

// asMessage writes calls as a provider does.
func asMessage(t *testing.T, calls []provider.ToolCall) []byte {
	list := make([]map[string]any, len(calls))
	for i, c := range calls {
		list[i] = map[string]any{"id": c.ID, "type": "function", "function": map[string]string{"name": c.Name, "arguments": string(c.Arguments)}}
	}
	body, err := json.Marshal(map[string]any{"role": "assistant", "tool_calls": list})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// FuzzOpenAIChatCalls holds that whatever is accepted is whole, and comes out the
// same when it is written as a provider writes it and read again.
func FuzzOpenAIChatCalls(f *testing.F) {
	for _, seed := range []string{
		asked, final, "[" + callA + "]", `{"choices":[{"message":` + asked + `}]}`, `{"messages":[` + user + `,` + asked + `,` + toolA + `]}`,
		`[{"id":"a","function":{"name":"n","arguments":{"a":1e3}}}]`, "{", "[7]", `[{"role":"assistant","function_call":{}}]`,
		`[{"id":"\u2028\ud83d\ude00","function":{"name":"<","arguments":"\\ud800"}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		calls, err := provider.OpenAIChatCalls(body)
		if err != nil {
			if e, ok := errors.AsType[*tool.Error](err); !ok || e.Message == "" || e.Hint == "" || calls != nil {
				t.Fatalf("%v, %v", calls, err)
			}
			return
		}
		seen := map[string]bool{}
		for _, c := range calls {
			if c.ID == "" || c.Name == "" || len(c.Arguments) == 0 || seen[c.ID] {
				t.Fatalf("accepted %+v", calls)
			}
			seen[c.ID] = true
		}
		again, err := provider.OpenAIChatCalls(asMessage(t, calls))
		if err != nil || len(again) != len(calls) || len(calls) > 0 && !cmp.Equal(calls, again) {
			t.Fatalf("%v\nfirst %+v\nagain %+v", err, calls, again)
		}
	})
}
