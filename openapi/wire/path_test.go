package wire_test

import (
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

func TestPath(t *testing.T) {
	t.Parallel()
	reserved := func(p *spec.Parameter) { p.AllowReserved = true }
	matrix := func(p *spec.Parameter) { p.Style = spec.StyleMatrix }
	jsonContent := func(p *spec.Parameter) { p.Style, p.Media = "", jsonType }
	textContent := func(p *spec.Parameter) { p.Style, p.Media = "", "text/plain" }
	for _, c := range []struct {
		name, template string
		parameters     []spec.Parameter
		args           string
		path, query    string
	}{
		{"repeated placeholder", "/a/{x}/b/{x}", []spec.Parameter{inPath("x")}, `{"x": "1"}`, "/a/1/b/1", ""},
		{
			"several in one segment", "/r/{a}.{b}/{owner}:{repo}",
			[]spec.Parameter{inPath("a"), inPath("b"), inPath("owner"), inPath("repo")},
			`{"a": "x.y", "b": ".", "owner": "o:", "repo": "r/"}`, "/r/x.y../o%3A:r%2F", "",
		},
		{"dots beside text", "/v{x}/{x}v", []spec.Parameter{inPath("x")}, `{"x": ".."}`, "/v../..v", ""},
		{"empty beside text, in matrix", "/v{x}", []spec.Parameter{with(inPath("x"), matrix)}, `{"x": ""}`, "/v;x", ""},
		{
			"every reserved character", "/{x}",
			[]spec.Parameter{inPath("x")},
			`{"x": ":/?#[]@!$&'()*+,;=% \\\u0000é~"}`,
			"/%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%20%5C%00%C3%A9~", "",
		},
		{"encoded once more", "/{x}", []spec.Parameter{inPath("x")}, `{"x": "%2e%2Ea"}`, "/%252e%252Ea", ""},
		{"dots of a name", "/{x}", []spec.Parameter{inPath("x")}, `{"x": "a../..b/...\\.c"}`, "/a..%2F..b%2F...%5C.c", ""},
		{"marks of RFC 6570", "/a{/x}{.y}{;z}", []spec.Parameter{inPath("x"), inPath("y"), inPath("z")}, `{"x": 1, "y": 2, "z": 3}`, "/a/1.2;z=3", ""},
		{"marks and styles", "/a/{.y}{;z}", []spec.Parameter{with(inPath("y"), func(p *spec.Parameter) { p.Style = spec.StyleLabel }), with(inPath(";z"), func(p *spec.Parameter) { p.Arg = "z" })}, `{"y": 2, "z": 3}`, "/a/.23", ""},
		{"name with a plus before", "/{+path}", []spec.Parameter{inPath("path")}, `{"path": "a/b"}`, "/a%2Fb", ""},
		{"name with a plus of its own", "/{+path}", []spec.Parameter{inPath("path"), with(inPath("+path"), func(p *spec.Parameter) { p.Arg = "own" })}, `{"path": "a", "own": "b"}`, "/b", ""},
		{"name with a star", "/{path*}/{Key+}/{a...}/{b…}", []spec.Parameter{inPath("path"), inPath("Key"), inPath("a"), inPath("b")}, `{"path": "p", "Key": "k", "a": 1, "b": 2}`, "/p/k/1/2", ""},
		{"name that is a pattern", "/{a.b-c}/{d[]}", []spec.Parameter{inPath("a.b-c"), inPath("d[]")}, `{"a.b-c": true, "d[]": "x"}`, "/true/x", ""},
		{"only a whole name", "/{id}/{id2}", []spec.Parameter{inPath("id2"), inPath("id")}, `{"id": 1, "id2": 2}`, "/1/2", ""},
		{"text that looks like a value", "/id/{id}/{{id}", []spec.Parameter{inPath("id")}, `{"id": "{id}"}`, "/id/%7Bid%7D/%7B%7Bid%7D", ""},
		{"text that is no address", "/a b/é|\"<>^`/%41%zz/{/x", nil, `{}`, "/a%20b/%C3%A9%7C%22%3C%3E%5E%60/%41%25zz/%7B/x", ""},
		{"text that is one", "/a:b@c!$&'()*+,;=-._~/", nil, `{}`, "/a:b@c!$&'()*+,;=-._~/", ""},
		{"no path", "", nil, `{}`, "/", ""},
		{"no slash", "a/{x}", []spec.Parameter{inPath("x")}, `{"x": 1}`, "/a/1", ""},
		{"empty segments of the document", "//a//", nil, `{}`, "//a//", ""},
		{"query in the path", "/a?x=1&y={id}&uploads", []spec.Parameter{inPath("id"), inQuery("z")}, `{"id": "&q=/", "z": 2}`, "/a", "x=1&y=%26q%3D%2F&uploads&z=2"},
		{"fragment in the path", "/a#b?c={d}", []spec.Parameter{inQuery("z")}, `{"z": 2}`, "/a", "z=2"},
		{"fragment after the query", "/a?b={c#}#d", []spec.Parameter{inPath("c#")}, `{"c#": 2}`, "/a", "b=2"},
		{"expansions of a query", "/a{?page,limit}{#x}{&y}", []spec.Parameter{inQuery("page")}, `{"page": 2}`, "/a", "page=2"},
		{"allowReserved stays one segment", "/{x}", []spec.Parameter{with(inPath("x"), reserved)}, `{"x": "b../%2e%2ec/a"}`, "/b..%2F%252e%252ec%2Fa", ""},
		{"slashes and dots of a value stay in its segment", "/f/{x}", []spec.Parameter{inPath("x")}, `{"x": "a/../../b\\..%2e%2F"}`, "/f/a%2F..%2F..%2Fb%5C..%252e%252F", ""},
		{"allowReserved", "/{x}", []spec.Parameter{with(inPath("x"), reserved)}, `{"x": "a/b:c@d!$&'()*+,;=?#[]%20%zz e"}`, "/a%2Fb:c@d!$&'()*+,;=%3F%23%5B%5D%2520%25zz%20e", ""},
		{"JSON content", "/{x}", []spec.Parameter{with(inPath("x"), jsonContent)}, `{"x": {"a": [1, "/"]}}`, "/%7B%22a%22%3A%5B1%2C%22%2F%22%5D%7D", ""},
		{"JSON content of a list", "/{x}", []spec.Parameter{with(inPath("x"), jsonContent)}, `{"x": []}`, "/%5B%5D", ""},
		{"text content", "/{x}", []spec.Parameter{with(inPath("x"), textContent)}, `{"x": "a/b"}`, "/a%2Fb", ""},
		{"object in a list", "/{x}", []spec.Parameter{inPath("x")}, `{"x": [{"a": 1.50}, null, [2], "s"]}`, "/%7B%22a%22%3A1.50%7D,%5B2%5D,s", ""},
		{"matrix of an empty member", "/{x}", []spec.Parameter{with(inPath("x"), func(p *spec.Parameter) { p.Style, p.Explode = spec.StyleMatrix, true })}, `{"x": {"a": "", "b": 1}}`, "/;a;b=1", ""},
		{"empty item", "/{x}", []spec.Parameter{inPath("x")}, `{"x": ["", "a"]}`, "/,a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := wire.Build(operation("GET", c.template, c.parameters...), decoded(t, c.args))
			if err != nil {
				t.Fatal(err)
			}
			if r.Path != c.path || r.Query != c.query {
				t.Errorf("got  %s ? %s\nwant %s ? %s", r.Path, r.Query, c.path, c.query)
			}
		})
	}
}

// TestPathRefusals are values that would make another address of this one.
func TestPathRefusals(t *testing.T) {
	t.Parallel()
	plain := func(*spec.Parameter) {}
	reserved := func(p *spec.Parameter) { p.AllowReserved = true }
	label := func(p *spec.Parameter) { p.Style = spec.StyleLabel }
	text := func(p *spec.Parameter) { p.Style, p.Media = "", "text/plain" }
	for _, c := range []struct {
		template string
		change   func(*spec.Parameter)
		args     string
	}{
		{"/files/{x}", plain, `{}`},
		{"/files/{x}", plain, `{"x": null}`},
		{"/files/{x}", plain, `{"x": ""}`},
		{"/files/{x}", plain, `{"x": "."}`},
		{"/files/{x}", plain, `{"x": ".."}`},
		{"/files/{x}/", plain, `{"x": ".."}`},
		{"/files/{x}", plain, `{"x": [".."]}`},
		{"/files/{x}", plain, `{"x": [""]}`},
		{"/files/{x}", plain, `{"x": []}`},
		{"/files/{x}", plain, `{"x": {}}`},
		{"/files/.{x}", plain, `{"x": "."}`},
		{"/files/{x}.", plain, `{"x": "."}`},
		{"/files/%2e{x}", plain, `{"x": "."}`},
		{"/files/{x};v=1", plain, `{"x": ".."}`},
		{"/files/{x}{x}", plain, `{"x": "."}`},
		{"/files/a{x}", plain, `{"x": ""}`},
		{"/files?q={x}", plain, `{}`},
		{"/files/{x}", label, `{"x": ""}`},
		{"/files/{x}", label, `{"x": "."}`},
		{"/files/{x}", text, `{"x": ""}`},
		{"/files/{x}", text, `{"x": ".."}`},
		{"/files/{x}", reserved, `{"x": ".."}`},
		{"/files/{x}", reserved, `{"x": "..;a/b"}`},
		{"/files/{x}", plain, `{"x": "..;x"}`},
	} {
		p := with(with(inPath("x"), func(p *spec.Parameter) { p.Arg = "the_x" }), c.change)
		args := decoded(t, c.args)
		if value, given := args["x"]; given {
			args = map[string]any{"the_x": value}
		}
		r, err := wire.Build(operation("DELETE", c.template, p), args)
		if err == nil {
			t.Errorf("%s %s: built %s", c.template, c.args, r.Path)
			continue
		}
		refuses(t, err, "the_x")
	}
}

func TestPathWithoutParameter(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/a/{b}", "/a/{}", "/a?b={c}", "/a/{+}", "/a/{b/c}", "/a/{/}", "/a/../b", "/a/%2E./b"} {
		if r, err := wire.Build(operation("GET", path), nil); tool.AsError(err).Code != tool.Internal {
			t.Errorf("%s: built %v, error %v", path, r, err)
		}
	}
}
