package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

func TestHeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		p     spec.Parameter
		value string
		want  []string // name and value pairs beside Accept
	}{
		{"as it is", inHeader("X-A"), `"a b;q=\"1\", é%20\ttab"`, []string{"X-A", "a b;q=\"1\", é%20\ttab"}},
		{"empty", inHeader("X-A"), `""`, []string{"X-A", ""}},
		{"name in any case", inHeader("x-a"), `1e3`, []string{"X-A", "1000"}},
		{"nested", inHeader("X-A"), `[{"a": [1]}, "b"]`, []string{"X-A", `{"a":[1]},b`}},
		{"JSON content", spec.Parameter{Name: "X-A", In: spec.InHeader, Media: jsonType}, `{"a": "x\ny"}`, []string{"X-A", `{"a":"x\ny"}`}},
		{"text content", spec.Parameter{Name: "X-A", In: spec.InHeader, Media: "text/plain"}, `"a=b; c"`, []string{"X-A", "a=b; c"}},
		{"no content", spec.Parameter{Name: "X-A", In: spec.InHeader, Media: jsonType}, `null`, nil},
		{"the gateway's", inHeader("ACCEPT"), `"x"`, nil},
		{"the host", inHeader("host"), `"evil.example"`, nil},
		{"framing", inHeader("content-length"), `1`, nil},
		{"framing", inHeader("Transfer-Encoding"), `"chunked"`, nil},
		{"hop by hop", inHeader("Connection"), `"close"`, nil},
		{"hop by hop", inHeader("TE"), `"trailers"`, nil},
		{"hop by hop", inHeader("Proxy-Authorization"), `"x"`, nil},
		{"codings", inHeader("Accept-Encoding"), `"br"`, nil},
		{"the gateway's, whatever it holds", inHeader("Authorization"), `"a\nb"`, nil},
		{"a language", inHeader("Accept-Language"), `"de"`, []string{"Accept-Language", "de"}},
		{"cookie", inCookie("c"), `"a b\"c,d;e\\f\u0001é%g=+/!"`, []string{"Cookie", "c=a%20b%22c%2Cd%3Be%5Cf%01%C3%A9%25g=+/!"}},
		{"cookie of an odd name", inCookie("a=b; c"), `1`, []string{"Cookie", "a%3Db%3B%20c=1"}},
		{"cookie of list items with commas", with(inCookie("c"), func(p *spec.Parameter) { p.Explode = false }), `["a,b", "c"]`, []string{"Cookie", "c=a%2Cb,c"}},
		{"cookie, allowReserved", with(inCookie("c"), func(p *spec.Parameter) { p.AllowReserved = true }), `"%20%zz/"`, []string{"Cookie", "c=%20%25zz/"}},
		{"cookie of nothing", inCookie("c"), `[]`, nil},
		{"style cookie", with(inCookie("c"), func(p *spec.Parameter) { p.Style = spec.StyleCookie }), `{"greeting": "Hello%2C%20world!", "code": 42}`, []string{"Cookie", "code=42; greeting=Hello%2C%20world!"}},
		{"style cookie, quoted", with(inCookie("c"), func(p *spec.Parameter) { p.Style = spec.StyleCookie }), `"\"a\""`, []string{"Cookie", `c="a"`}},
		{"cookie of JSON", spec.Parameter{Name: "c", In: spec.InCookie, Media: jsonType}, `{"a": 1}`, []string{"Cookie", `c={%22a%22:1}`}},
		{"cookie of text", spec.Parameter{Name: "c", In: spec.InCookie, Media: "text/plain"}, `"a%20b"`, []string{"Cookie", `c=a%20b`}},
		{"cookie of no content", spec.Parameter{Name: "c", In: spec.InCookie, Media: "text/plain"}, `null`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := decoded(t, `{"x": `+c.value+`}`)
			c.p.Arg = "x"
			r, err := wire.Build(operation("GET", "/", c.p), args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(headerOf(c.want...), r.Header); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCookiesOfAllKinds has a header parameter that is the Cookie field, whose
// effect OpenAPI leaves open. It is not sent, as it would hold any cookie.
func TestCookiesOfAllKinds(t *testing.T) {
	t.Parallel()
	op := operation("GET", "/", inCookie("a"), inHeader("Cookie"), inCookie("b"), inHeader("X-A"), with(inHeader("x-a"), func(p *spec.Parameter) { p.Arg = "again" }))
	r, err := wire.Build(op, map[string]any{"a": "1", "b": []any{"2", "3"}, "Cookie": "c=4", "X-A": "5", "again": "6"})
	if err != nil {
		t.Fatal(err)
	}
	want := headerOf("Cookie", "a=1; b=2; b=3")
	want["X-A"] = []string{"5", "6"}
	if diff := cmp.Diff(want, r.Header); diff != "" {
		t.Error(diff)
	}
}

func TestHeaderRefusals(t *testing.T) {
	t.Parallel()
	cookieStyle := func(p *spec.Parameter) { p.Style = spec.StyleCookie }
	for _, c := range []struct {
		p     spec.Parameter
		value any
	}{
		{inHeader("X-A"), "a\r\nHost: b"},
		{inHeader("X-A"), []any{"a", "\n"}},
		{inHeader("X-A"), "\x00"},
		{inHeader("X-A"), "\x7f"},
		{inHeader("X A"), "a"},
		{inHeader("X:A"), "a"},
		{inHeader(""), "a"},
		{with(inCookie("c"), cookieStyle), "a; admin=1"},
		{with(inCookie("c"), cookieStyle), "a\r\nb"},
		{with(inCookie("c"), cookieStyle), "a b"},
		{with(inCookie("c"), cookieStyle), "é"},
		{with(inCookie("c"), cookieStyle), `"`},
		{with(inCookie("c"), cookieStyle), []any{"a", "b,c"}},
		{spec.Parameter{Name: "c", In: spec.InCookie, Media: "text/plain"}, "a;b=c"},
	} {
		c.p.Arg = "the_x"
		r, err := wire.Build(operation("GET", "/", c.p), map[string]any{"the_x": c.value})
		if err == nil {
			t.Errorf("%s %q: built %+v", c.p.Name, c.value, r)
			continue
		}
		refuses(t, err, "the_x")
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		types []string
		want  string
	}{
		{nil, "*/*"},
		{[]string{"", "a\nb"}, "*/*"},
		{[]string{"text/html", "application/json"}, "application/json, text/html;q=0.5"},
		{[]string{"application/json", "application/vnd.github+json", "application/json;stream=watch", "text/event-stream"}, "application/json"},
		{[]string{"image/png", "application/vnd.api+json", "text/json", "Application/JSON; charset=utf-8", "text/json"}, "application/vnd.api+json, text/json, Application/JSON; charset=utf-8, image/png"},
		{[]string{"text/event-stream"}, "text/event-stream"},
		{[]string{"text/event-stream", "text/plain"}, "text/plain"},
		{[]string{"image/png", "application/xml", "image/png"}, "image/png, application/xml"},
		{[]string{"*/*"}, "*/*"},
	} {
		r, err := wire.Build(&spec.Operation{Method: "GET", Path: "/", Accept: c.types}, nil)
		if err != nil || r.Header.Get("Accept") != c.want {
			t.Errorf("%q: got %+v, %v, want %s", c.types, r, err, c.want)
		}
	}
}
