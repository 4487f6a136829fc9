package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

// everything has arguments of all kinds.
type everything struct {
	Text    string              `json:"text,omitempty"`
	Yes     bool                `json:"yes,omitempty"`
	Small   int8                `json:"small,omitempty"`
	Int     int                 `json:"int,omitempty"`
	Int32   int32               `json:"int32,omitempty"`
	Int64   int64               `json:"int64,omitempty"`
	Uint16  uint16              `json:"uint16,omitempty"`
	Uint64  uint64              `json:"uint64,omitempty"`
	Float32 float32             `json:"float32,omitempty"`
	Float   float64             `json:"float,omitempty"`
	Number  json.Number         `json:"number,omitempty"`
	Big     *big.Int            `json:"big,omitempty"`
	Bytes   []byte              `json:"bytes,omitempty"`
	At      *time.Time          `json:"at,omitempty"`
	Addr    *netip.Addr         `json:"addr,omitempty"`
	Raw     json.RawMessage     `json:"raw,omitempty"`
	Any     any                 `json:"any,omitempty"`
	List    []int32             `json:"list,omitempty"`
	Pair    *[2]int             `json:"pair,omitempty"`
	Map     map[string]uint8    `json:"map,omitempty"`
	ByID    map[int8]string     `json:"by_id,omitempty"`
	Tree    *tree               `json:"tree,omitempty"`
	Deep    map[string][]*small `json:"deep,omitempty"`
	page
}

type small struct {
	N int8 `json:"n"`
}

// echo answers with its arguments as Go has them.
func echo[In any]() *tool.Tool {
	return tool.Func("echo", "Echoes.", func(_ context.Context, in In) (In, error) { return in, nil })
}

// TestArguments decodes arguments as the gateway has checked them, and writes what Go has.
func TestArguments(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"nothing", `{}`, `{}`},
		{"a text", `{"text": "a \"b\" \\ \u2028 é 😀\n"}`, `{"text":"a \"b\" \\ \u2028 é 😀\n"}`},
		{"all digits of int64", `{"int64": 9223372036854775807, "int": -9223372036854775808}`, `{"int":-9223372036854775808,"int64":9223372036854775807}`},
		{"one that a float cannot hold", `{"int64": 9007199254740993}`, `{"int64":9007199254740993}`},
		{"all digits of uint64", `{"uint64": 18446744073709551615}`, `{"uint64":18446744073709551615}`},
		{"more digits than any integer", `{"number": 12345678901234567890123.5, "big": 123456789012345678901234567890}`, `{"number":12345678901234567890123.5,"big":123456789012345678901234567890}`},
		{"digits in anything", `{"raw": {"n": 12345678901234567890123}}`, `{"raw":{"n":12345678901234567890123}}`},
		{"a fraction", `{"float": 1e-7, "float32": 0.5}`, `{"float32":0.5,"float":1e-7}`},
		{"an integer with a fraction of nothing", `{"int": 5.0, "list": [1e2]}`, `{"int":5,"list":[100]}`},
		{"a number in a text", `{"int": "5", "yes": "true"}`, `{"yes":true,"int":5}`},
		{"bytes", `{"bytes": "AAE="}`, `{"bytes":"AAE="}`},
		{"a time", `{"at": "2026-01-02T03:04:05.678+02:00"}`, `{"at":"2026-01-02T03:04:05.678+02:00"}`},
		{"an address", `{"addr": "10.0.0.1"}`, `{"addr":"10.0.0.1"}`},
		{"null for what is left out", `{"at": null, "tree": null}`, ``},
		{"null of a pointer", `{"at": null, "pair": null, "big": null}`, `{}`},
		{"anything", `{"any": [true, null, "x", {}]}`, `{"any":[true,null,"x",{}]}`},
		{"containers", `{"list": [1, -2], "pair": [1, 2], "map": {"a b": 255}, "by_id": {"-3": "x"}}`, `{"list":[1,-2],"pair":[1,2],"map":{"a b":255},"by_id":{"-3":"x"}}`},
		{"a tree", `{"tree": {"label": "a", "children": [{"label": "b"}]}}`, `{"tree":{"label":"a","children":[{"label":"b"}]}}`},
		{"defaults", `{"offset": 2}`, `{"limit":20,"offset":2}`},
	}
	echo := echo[everything]()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := call(t, echo, test.args)
			if test.want == "" {
				if err == nil {
					t.Errorf("got %s, want an error", out.Text())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := test.want
			if test.name != "defaults" {
				want = with(t, want, "limit", "20")
			}
			if diff := cmp.Diff(decoded(t, want), decoded(t, out.Text())); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// with adds a member to a JSON object.
func with(t *testing.T, text, name, value string) string {
	t.Helper()
	object := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	object[name] = json.RawMessage(value)
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func decoded(t *testing.T, text string) map[string]any { t.Helper(); return input(t, text).Args }

// call takes arguments the way of a call: defaults, casts, checks, run.
func call(t testing.TB, subject *tool.Tool, args string) (tool.Output, error) {
	t.Helper()
	if subject.Err != nil {
		t.Fatal(subject.Err)
	}
	s, err := schema.Compile(subject.Spec.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	in := input(t, args)
	in.Args = s.Cast(s.Defaults(in.Args))
	if err := s.Validate(in.Args); err != nil {
		return tool.Output{}, tool.Errorf(tool.InvalidArgs, "%s", err)
	}
	return subject.Runner.Run(t.Context(), in)
}

// TestMistakesOfArguments has arguments that the schema lets pass, or nobody held against
// it, and what a model reads.
func TestMistakesOfArguments(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"a number too large for int32", `{"int32": 2147483648}`, "int32: 2147483648 is not an integer from -2147483648 to 2147483647"},
		{"for int64", `{"int64": 9223372036854775808}`, "int64: 9223372036854775808 is not an integer from -9223372036854775808 to 9223372036854775807"},
		{"for uint64", `{"uint64": 18446744073709551616}`, "uint64: 18446744073709551616 is not an integer from 0 to 18446744073709551615"},
		{"too small", `{"uint16": -1}`, "uint16: -1 is not an integer from 0 to 65535"},
		{"for float32", `{"float32": 1e39}`, "float32: 1e39 is not a number that 32 bits can hold"},
		{"for float64", `{"float": -1e309}`, "float: -1e309 is not a number that 64 bits can hold"},
		{"in a list", `{"list": [1, 2, 4000000000]}`, "list[2]: 4000000000 is not an integer from -2147483648 to 2147483647"},
		{"in a map", `{"map": {"a": 1, "b": 256}}`, "map.b: 256 is not an integer from 0 to 255"},
		{"a key", `{"by_id": {"200": "x"}}`, "by_id: 200 is not an integer from -128 to 127"},
		{"far inside", `{"deep": {"a": [{"n": 1}, {"n": 128}]}}`, "deep.a[1].n: 128 is not an integer from -128 to 127"},
		{"in what is embedded", `{"limit": 1e3}`, "limit: 1e3 is not an integer from -9223372036854775808 to 9223372036854775807"},
		{"a fraction", `{"int": 1.5}`, "int: 1.5 is not an integer from -9223372036854775808 to 9223372036854775807"},
		{"another type", `{"text": {"a": 1}}`, "text: a JSON object does not fit here"},
		{"a list where there is none", `{"text": ["a"]}`, "text: a JSON array does not fit here"},
		{"a time", `{"at": "tomorrow"}`, `at: parsing time "tomorrow" as "2006-01-02T15:04:05Z07:00": cannot parse "tomorrow" as "2006"`},
		{"an address", `{"addr": "10.0.0.256"}`, `addr: ParseAddr("10.0.0.256"): IPv4 field has value >255`},
		{"bytes", `{"bytes": "%"}`, "bytes: illegal base64 data at input byte 0"},
		{"a text for a number", `{"int": "five"}`, "int: a JSON string is not an integer from -9223372036854775808 to 9223372036854775807"},
		{"an argument that is not", `{"txet": 1}`, "txet: there is no such argument"},
		{"one inside", `{"tree": {"label": "a", "children": [{"lable": "b"}]}}`, "tree.children[0].lable: there is no such argument"},
	}
	echo := echo[everything]()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := echo.Runner.Run(t.Context(), input(t, test.args))
			if err == nil {
				t.Fatalf("got %s, want an error", out.Text())
			}
			e := tool.AsError(err)
			if diff := cmp.Diff("invalid arguments: "+test.want, e.Message); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if e.Code != tool.InvalidArgs || e.Hint == "" {
				t.Errorf("got %s with the hint %q", e.Code, e.Hint)
			}
		})
	}
}

// TestValuesOfOtherTypes: a program may run a tool with values that no JSON text decodes
// to.
func TestValuesOfOtherTypes(t *testing.T) {
	echo := echo[everything]()
	in := input(t, `{}`)
	in.Args = map[string]any{"int": 5, "float": 0.5, "list": []int{1, 2}, "at": time.Unix(0, 0).UTC()}
	out, err := echo.Runner.Run(t.Context(), in)
	if want := `{"int":5,"float":0.5,"at":"1970-01-01T00:00:00Z","list":[1,2]}`; err != nil || out.Text() != want {
		t.Errorf("got %s, %v; want %s", out.Text(), err, want)
	}
	in.Args = map[string]any{"any": func() {}}
	if _, err := echo.Runner.Run(t.Context(), in); err == nil || tool.AsError(err).Code != tool.InvalidArgs {
		t.Errorf("got %v, want %s", err, tool.InvalidArgs)
	}
}

// FuzzArguments: what encoding/json decodes into a struct from a text, a tool decodes from
// the text's values, digit for digit; what it refuses is refused with invalid_args.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"text": "\u0000\ud800"}`, `{"int64": 9223372036854775807}`, `{"list": [1, -2e9]}`, `{"deep": {"a": [{"n": 1}, null]}}`,
		`{"tree": {"children": [{"label": "\\"}]}}`, `{"map": {"\"": 3}}`, `{"by_id": {"x": ""}}`, `{"bytes": "AA=="}`, `{"raw": [1.50, 1E5]}`,
	} {
		f.Add(seed)
	}
	var got *everything
	keep := tool.Func("keep", "Keeps.", func(_ context.Context, in everything) (string, error) {
		got = &in
		return "", nil
	})
	f.Fuzz(func(t *testing.T, text string) {
		args, ok := object(text)
		if !ok {
			return
		}
		got = nil
		in := input(t, `{}`)
		in.Args = args
		_, err := keep.Runner.Run(t.Context(), in)
		data, encodeErr := json.Marshal(args)
		if encodeErr != nil {
			t.Fatal(encodeErr)
		}
		var want everything
		if json.Unmarshal(data, &want) == nil && err == nil {
			// Spaces and the order of keys are no part of a value that is kept as a text.
			want.Raw, got.Raw = nil, nil
			if !reflect.DeepEqual(want, *got) {
				t.Errorf("got %+v, want %+v", *got, want)
			}
			return
		}
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Code != tool.InvalidArgs || e.Message == "" {
			t.Errorf("got %v, want %s", err, tool.InvalidArgs)
		}
	})
}

// object decodes a text that is one object, as the gateway does.
func object(text string) (args map[string]any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&args); err != nil || args == nil {
		return nil, false
	}
	return args, true
}
