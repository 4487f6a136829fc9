package wire_test

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

// TestClaims are values that would be sent under the name of another argument, and
// some that only look like it.
func TestClaims(t *testing.T) {
	t.Parallel()
	as := func(p spec.Parameter, arg string) spec.Parameter { p.Arg = arg; return p }
	listed := func(p spec.Parameter, names ...string) spec.Parameter { p.Order = names; return p }
	deep := func(p spec.Parameter) spec.Parameter { p.Style = spec.StyleDeepObject; return p }
	whole := func(media string) spec.Parameter {
		return spec.Parameter{Name: "all", In: spec.InQueryString, Media: media}
	}
	renamed := []spec.Field{{Name: "id", Arg: "body_id"}, {Name: "o", Arg: "o"}}
	open := func(kind, media string) *spec.Body {
		return &spec.Body{
			Kind: kind, Media: media, Open: true, Fields: renamed,
			Encodings: map[string]spec.Encoding{"o": {Style: spec.StyleForm, Explode: true}},
		}
	}
	for _, c := range []struct {
		name       string
		path       string
		parameters []spec.Parameter
		body       *spec.Body
		args       string
		refused    string // the argument that the error names, and no other; empty where the request is built
	}{
		{"extra of JSON", "/", nil, open(spec.BodyJSON, jsonType), `{"id": 1}`, "id"},
		{"extra of JSON beside the field", "/", nil, open(spec.BodyJSON, jsonType), `{"id": 1, "body_id": 2}`, "id"},
		{"extra of JSON, the parameter has the name", "/", []spec.Parameter{inQuery("id")}, open(spec.BodyJSON, jsonType), `{"id": 1, "body_id": 2}`, ""},
		{"extra of a form", "/", nil, open(spec.BodyForm, formType), `{"id": 1}`, "id"},
		{"extra of a multipart body", "/", nil, open(spec.BodyMultipart, "multipart/form-data"), `{"id": 1}`, "id"},
		{"other extra", "/", nil, open(spec.BodyJSON, jsonType), `{"x": 1, "body_id": 2}`, ""},
		{"member in a form", "/", nil, open(spec.BodyForm, formType), `{"o": {"id": 1}}`, "o"},
		{"member in a form, and an extra", "/", nil, open(spec.BodyForm, formType), `{"o": {"x": 1}, "x": 2}`, "x"},
		{"member in a multipart body", "/", nil, open(spec.BodyMultipart, "multipart/form-data"), `{"o": {"id": 1}}`, "o"},
		{"other member in a form", "/", nil, open(spec.BodyForm, formType), `{"o": {"x": 1}}`, ""},
		{
			"member of a form that is one argument", "/", nil,
			&spec.Body{Kind: spec.BodyForm, Arg: "body", Encodings: map[string]spec.Encoding{"o": {Style: spec.StyleForm, Explode: true}}},
			`{"body": {"a": 1, "o": {"a": 2}}}`, "a",
		},
		{"texts that are not UTF-8", "/", nil, &spec.Body{Kind: spec.BodyJSON, Open: true, Fields: []spec.Field{{Name: "\ufffd", Arg: "f"}}}, `{"f": 1, "�": 2}`, "\ufffd"},

		{"member in a query", "/", []spec.Parameter{inQuery("o"), as(inQuery("limit"), "n")}, nil, `{"o": {"limit": 1}}`, "o"},
		{"member in a query, behind", "/", []spec.Parameter{as(inQuery("limit"), "n"), inQuery("o")}, nil, `{"o": {"limit": 1}, "n": 2}`, "o"},
		{"members of two objects", "/", []spec.Parameter{inQuery("o"), inQuery("p")}, nil, `{"o": {"a": 1}, "p": {"a": 1}}`, "p"},
		{"listed member of an object that is not given", "/", []spec.Parameter{inQuery("o"), listed(inQuery("p"), "a")}, nil, `{"o": {"a": 1}}`, "o"},
		{"member that two list", "/", []spec.Parameter{listed(inQuery("o"), "a"), listed(inQuery("p"), "a")}, nil, `{"p": {"a": 1}}`, ""},
		{"members of two objects that differ", "/", []spec.Parameter{inQuery("o"), inQuery("p")}, nil, `{"o": {"a": 1}, "p": {"b": 1}}`, ""},
		{"member of the own name", "/", []spec.Parameter{inQuery("o")}, nil, `{"o": {"o": 1}}`, ""},
		{"list", "/", []spec.Parameter{inQuery("o")}, nil, `{"o": [1, 2]}`, ""},
		{"brackets", "/", []spec.Parameter{deep(inQuery("a")), as(inQuery("a[b]"), "n")}, nil, `{"a": {"b": 1}}`, "a"},
		{"a query as a text", "/", []spec.Parameter{as(inQuery("a b"), "n"), whole(formType)}, nil, `{"all": "x=1&a+b=2"}`, "all"},
		{"a query as an escaped text", "/", []spec.Parameter{as(inQuery("a b"), "n"), whole(formType)}, nil, `{"all": "x=1;%61%20b"}`, "all"},
		{"a query as an object", "/", []spec.Parameter{as(inQuery("a b"), "n"), whole(formType)}, nil, `{"all": {"a b": 1}}`, "all"},
		{"a query as another text", "/", []spec.Parameter{inQuery("x"), whole("application/jsonpath")}, nil, `{"all": "x"}`, "all"},
		{"a query of its own", "/", []spec.Parameter{inQuery("x"), whole(formType)}, nil, `{"all": "y=1&y=2", "x": 1}`, ""},
		{"member that the path has", "/a?x=1", []spec.Parameter{inQuery("o")}, nil, `{"o": {"x": 2}}`, "o"},
		{"other member than the path has", "/a?x=1", []spec.Parameter{inQuery("o")}, nil, `{"o": {"y": 2}}`, ""},

		{"member in cookies", "/", []spec.Parameter{inCookie("o"), as(inCookie("sid"), "s")}, nil, `{"o": {"sid": 1}}`, "o"},
		{"members of two objects in cookies", "/", []spec.Parameter{inCookie("o"), inCookie("p")}, nil, `{"o": {"a": 1}, "p": {"a": 2}}`, "p"},
		{"cookies of another place", "/", []spec.Parameter{inCookie("o"), inQuery("sid")}, nil, `{"o": {"sid": 1}, "sid": 2}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i := range c.parameters {
				if c.parameters[i].In == spec.InCookie {
					c.parameters[i].Explode = true
				}
			}
			op := operation("POST", c.path, c.parameters...)
			op.Body = c.body
			r, err := wire.Build(op, decoded(t, c.args))
			switch {
			case c.refused != "" && err == nil:
				t.Errorf("built %s ? %s, %s, %s", r.Path, r.Query, r.Header, r.Body)
			case c.refused != "":
				refuses(t, err, c.refused)
				for _, hidden := range []string{"n", "s", "body_id"} { // perhaps, from the model
					if strings.Contains(err.Error(), `"`+hidden+`"`) {
						t.Errorf("it names %s: %v", hidden, err)
					}
				}
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// TestFixedQuery has a parameter that the path itself gives.
func TestFixedQuery(t *testing.T) {
	t.Parallel()
	r, err := wire.Build(operation("GET", "/a?x=1", inQuery("x"), inQuery("y")), map[string]any{"x": "2", "y": "3"})
	if err != nil || r.Query != "x=1&y=3" {
		t.Errorf("got %+v, %v", r, err)
	}
}
