package wire_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	styled := func(style string, explode, reserved bool) spec.Parameter {
		return spec.Parameter{Name: "q", Arg: "q", In: spec.InQuery, Style: style, Explode: explode, AllowReserved: reserved}
	}
	whole := func(media string) spec.Parameter {
		return spec.Parameter{Name: "q", Arg: "q", In: spec.InQueryString, Media: media}
	}
	content := func(media string) spec.Parameter {
		return spec.Parameter{Name: "q", Arg: "q", In: spec.InQuery, Media: media}
	}
	for _, c := range []struct {
		name      string
		parameter spec.Parameter
		value     string
		want      string
	}{
		{"everything outside unreserved", styled(spec.StyleForm, true, false), `":/?#[]@!$&'()*+,;=% \\\u0000é~-._"`, "q=%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%20%5C%00%C3%A9~-._"},
		{"allowReserved, 3.1.1 Parameter Object", styled(spec.StyleForm, true, true), `":/?#[]@!$&'()*+,;=% \\é%20%2F"`, "q=:/?%23%5B%5D@!$%26'()*%2B,;%3D%25%20%5C%C3%A9%20%2F"},
		{"allowReserved of a list", styled(spec.StyleForm, false, true), `["a/b", "c"]`, "q=a/b,c"},
		{"list of lists", styled(spec.StyleForm, true, false), `[[1, 2], {"a": "<"}, true, null]`, "q=%5B1%2C2%5D&q=%7B%22a%22%3A%22%3C%22%7D&q=true"},
		{"object of objects", styled(spec.StyleForm, true, false), `{"a": {"b": 1}, "c": null, "d": [], "e": ""}`, "a=%7B%22b%22%3A1%7D&d=%5B%5D&e="},
		{"names of an exploded object", styled(spec.StyleForm, true, false), `{"a&b=c": 1}`, "a%26b%3Dc=1"},
		{"items with the delimiter", styled(spec.StyleForm, false, false), `["a,b", ""]`, "q=a%2Cb,"},
		{"items with a pipe", styled(spec.StylePipe, false, false), `["a|b", "c"]`, "q=a%7Cb%7Cc"}, // Appendix E: cannot be told apart
		{"deepObject keys", styled(spec.StyleDeepObject, true, false), `{"a]": {"": 1}, "b": false}`, "q%5Ba%5D%5D%5B%5D=1&q%5Bb%5D=false"},
		{"deepObject empty text", styled(spec.StyleDeepObject, true, false), `{"a": ""}`, "q%5Ba%5D="},
		{"deepObject of nothing", styled(spec.StyleDeepObject, true, false), `{"a": {}, "b": [], "c": null, "d": [null]}`, ""},
		{"deepObject, allowReserved", styled(spec.StyleDeepObject, true, true), `{"a": "x/y&"}`, "q%5Ba%5D=x/y%26"},
		{
			"number as it was written", styled(spec.StyleForm, true, false), `[1.0, 1e2, 1.5e1, 1.55e1, 100e-2, 1e-2, -2E3, 0e9, 12345678901234567890123, 1e999999999, -0.0]`,
			"q=1.0&q=100&q=15&q=1.55e1&q=1&q=1e-2&q=-2000&q=0&q=12345678901234567890123&q=1e999999999&q=-0.0",
		},
		{"JSON content", content("application/vnd.x+json; charset=utf-8"), `{"b": [1.50, "é<"], "a": null}`, "q=%7B%22a%22%3Anull%2C%22b%22%3A%5B1.50%2C%22%C3%A9%3C%22%5D%7D"},
		{"JSON content of nothing", content(jsonType), `[]`, "q=%5B%5D"},
		{"JSON content of null", content(jsonType), `null`, ""},
		{"JSON content of a text", content(jsonType), `"a"`, "q=%22a%22"},
		{"text content", content("text/plain"), `"a b"`, "q=a%20b"},
		{"text content of an object", content("text/plain"), `{"a": 1}`, "q=%7B%22a%22%3A1%7D"},
		{"form content", content(formType), `{"a": "b c", "d": [1, 2]}`, "q=a%3Db%2Bc%26d%3D1%26d%3D2"},
		{"querystring of a form, 3.2.1 Parameter Object Examples", whole(formType), `{"foo": "a + b", "bar": true}`, "bar=true&foo=a+%2B+b"},
		{"querystring of JSON, 3.2.1 Parameter Object Examples", whole(jsonType), `{"numbers": [1, 2], "flag": null}`, "%7B%22flag%22%3Anull%2C%22numbers%22%3A%5B1%2C2%5D%7D"},
		{"querystring of a JSONPath, 3.2.1 Parameter Object Examples", whole("application/jsonpath"), `"$.a.b[1:1]"`, "%24.a.b%5B1%3A1%5D"},
		{"querystring as a text", whole("text/plain"), `"?a=1&b[0]=x y#é%20"`, "a=1&b%5B0%5D=x%20y%23%C3%A9%20"},
		{"querystring as the text of a form", whole(formType), `"a=1&b=+"`, "a=1&b=+"},
		{"querystring without a type", whole(""), `{"a": 1}`, "a=1"},
		{"querystring of null", whole(jsonType), `null`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := wire.Build(operation("GET", "/s", c.parameter), decoded(t, `{"q": `+c.value+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if r.Query != c.want {
				t.Errorf("got  %s\nwant %s", r.Query, c.want)
			}
		})
	}
}

// TestGoValues are values of types that a document's arguments have not.
func TestGoValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  string
	}{
		{1e6, "q=1000000"},
		{0.5, "q=0.5"},
		{-3.0, "q=-3"},
		{1e21, "q=1000000000000000000000"},
		{5, "q=5"},
		{int64(-7), "q=-7"},
		{uint8(3), "q=3"},
		{uint64(math.MaxUint64), "q=18446744073709551615"},
		{float32(0.5), "q=0.5"},
		{[]string{"a", "b"}, "q=a&q=b"},
		{map[string]int{"a": 1}, "a=1"},
		{json.RawMessage(`1e2`), "q=100"},
		{(*int)(nil), ""},
	} {
		r, err := wire.Build(operation("GET", "/s", inQuery("q")), map[string]any{"q": c.value})
		if err != nil || r.Query != c.want {
			t.Errorf("%T %v: got %+v, %v, want %s", c.value, c.value, r, err, c.want)
		}
	}
	for _, in := range []string{spec.InPath, spec.InQuery, spec.InQueryString, spec.InHeader, spec.InCookie} {
		for _, value := range []any{math.NaN(), []any{math.Inf(1)}, map[string]any{"a": map[string]any{"b": func() {}}}, json.Number("x y"), func() {}} {
			if _, isNumber := value.(json.Number); isNumber && in != spec.InQueryString {
				continue // its text is what it is
			}
			p := spec.Parameter{Name: "q", Arg: "the_q", In: in, Style: spec.StyleSimple}
			if in == spec.InQueryString {
				p.Media = jsonType
			}
			r, err := wire.Build(operation("GET", "/{q}", p, inPath("q")), map[string]any{"the_q": value, "q": 1})
			if err == nil {
				t.Errorf("%s %T: built %+v", in, value, r)
				continue
			}
			refuses(t, err, "the_q")
		}
	}
}
