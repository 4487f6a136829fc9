package wire_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

// color is the parameter of the specification's Style Examples, with its four
// values.
var colors = []any{
	"",
	"blue",
	[]any{"blue", "black", "brown"},
	map[string]any{"R": json.Number("100"), "G": json.Number("200"), "B": json.Number("150")},
}

// refused stands for a call that is not sent.
const refused = "(refused)"

// TestStyleExamples holds every cell of the table under Style Examples in OpenAPI 3.1.1
// and 3.2.1 (empty, string, array, object). Members stand sorted here, since objects
// of a call have no order.
// What the table marks n/a is what this package does about it.
func TestStyleExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, style string
		explode   bool
		want      [4]string // empty, string, array, object
	}{
		{spec.InPath, spec.StyleMatrix, false, [4]string{";color", ";color=blue", ";color=blue,black,brown", ";color=B,150,G,200,R,100"}},
		{spec.InPath, spec.StyleMatrix, true, [4]string{";color", ";color=blue", ";color=blue;color=black;color=brown", ";B=150;G=200;R=100"}},
		{spec.InPath, spec.StyleLabel, false, [4]string{refused, ".blue", ".blue,black,brown", ".B,150,G,200,R,100"}}, // "." is a dot segment
		{spec.InPath, spec.StyleLabel, true, [4]string{refused, ".blue", ".blue.black.brown", ".B=150.G=200.R=100"}},
		{spec.InPath, spec.StyleSimple, false, [4]string{refused, "blue", "blue,black,brown", "B,150,G,200,R,100"}}, // empty is another path
		{spec.InPath, spec.StyleSimple, true, [4]string{refused, "blue", "blue,black,brown", "B=150,G=200,R=100"}},
		{spec.InHeader, spec.StyleSimple, false, [4]string{"", "blue", "blue,black,brown", "B,150,G,200,R,100"}},
		{spec.InHeader, spec.StyleSimple, true, [4]string{"", "blue", "blue,black,brown", "B=150,G=200,R=100"}},
		{spec.InQuery, spec.StyleForm, false, [4]string{"color=", "color=blue", "color=blue,black,brown", "color=B,150,G,200,R,100"}},
		{spec.InQuery, spec.StyleForm, true, [4]string{"color=", "color=blue", "color=blue&color=black&color=brown", "B=150&G=200&R=100"}},
		{spec.InQuery, spec.StyleSpace, false, [4]string{
			"color=", "color=blue", // n/a
			"color=blue%20black%20brown", "color=B%20150%20G%20200%20R%20100",
		}},
		{spec.InQuery, spec.StyleSpace, true, [4]string{"color=", "color=blue", "color=blue&color=black&color=brown", "B=150&G=200&R=100"}}, // n/a
		{spec.InQuery, spec.StylePipe, false, [4]string{
			"color=", "color=blue", // n/a
			"color=blue%7Cblack%7Cbrown", "color=B%7C150%7CG%7C200%7CR%7C100",
		}},
		{spec.InQuery, spec.StylePipe, true, [4]string{"color=", "color=blue", "color=blue&color=black&color=brown", "B=150&G=200&R=100"}}, // n/a
		{spec.InQuery, spec.StyleTab, false, [4]string{
			"color=", "color=blue", // Swagger 2.0, collectionFormat tsv
			"color=blue%09black%09brown", "color=B%09150%09G%09200%09R%09100",
		}},
		{spec.InQuery, spec.StyleDeepObject, false, [4]string{ // n/a in 3.1.1; in 3.2.1 explode has no effect
			"color=", "color=blue", "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
			"color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100",
		}},
		{spec.InQuery, spec.StyleDeepObject, true, [4]string{
			"color=", "color=blue", "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown", // n/a
			"color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100",
		}},
		{spec.InCookie, spec.StyleForm, false, [4]string{"color=", "color=blue", "color=blue,black,brown", "color=B,150,G,200,R,100"}},
		{spec.InCookie, spec.StyleForm, true, [4]string{"color=", "color=blue", "color=blue; color=black; color=brown", "B=150; G=200; R=100"}}, // "; ": Appendix D
		{spec.InCookie, spec.StyleCookie, false, [4]string{"color=", "color=blue", "color=blue; color=black; color=brown", "B=150; G=200; R=100"}},
		{spec.InCookie, spec.StyleCookie, true, [4]string{"color=", "color=blue", "color=blue; color=black; color=brown", "B=150; G=200; R=100"}},
	} {
		op := operation("GET", "/s", spec.Parameter{Name: "color", In: c.in, Style: c.style, Explode: c.explode})
		if c.in == spec.InPath {
			op.Path = "/{color}"
		}
		for i, value := range colors {
			if got := placed(t, op, c.in, map[string]any{"color": value}); got != c.want[i] {
				t.Errorf("%s %s explode=%t %v:\ngot  %s\nwant %s", c.in, c.style, c.explode, value, got, c.want[i])
			}
		}
		for _, nothing := range []any{nil, []any{}, map[string]any{}, []any{nil}, map[string]any{"R": nil}} {
			got := placed(t, op, c.in, map[string]any{"color": nothing})
			if want := map[bool]string{true: refused}[c.in == spec.InPath]; got != want {
				t.Errorf("%s %s explode=%t %v: got %q, want %q", c.in, c.style, c.explode, nothing, got, want)
			}
		}
	}
}

// placed is what a call puts where its parameter is.
func placed(t *testing.T, op *spec.Operation, in string, args map[string]any) string {
	t.Helper()
	r, err := wire.Build(op, args)
	if err != nil {
		refuses(t, err, "color")
		return refused
	}
	switch in {
	case spec.InPath:
		return strings.TrimPrefix(r.Path, "/")
	case spec.InQuery:
		return r.Query
	case spec.InCookie:
		return r.Header.Get("Cookie")
	}
	return r.Header.Get("color")
}

// refuses checks that an error is one of an argument and names it.
func refuses(t *testing.T, err error, arg string) {
	t.Helper()
	e := tool.AsError(err)
	if e.Code != tool.InvalidArgs || !strings.Contains(e.Message, `"`+arg+`"`) || e.Hint == "" {
		t.Errorf("%v (hint %q): not an error of argument %q", err, e.Hint, arg)
	}
}

// operation is one whose parameters are arguments of their own names.
func operation(method, path string, parameters ...spec.Parameter) *spec.Operation {
	for i := range parameters {
		if parameters[i].Arg == "" {
			parameters[i].Arg = parameters[i].Name
		}
	}
	return &spec.Operation{Method: method, Path: path, Parameters: parameters}
}

// The parameters of most rows, in the default style of their place.
func inPath(name string) spec.Parameter {
	return spec.Parameter{Name: name, In: spec.InPath, Style: spec.StyleSimple, Required: true}
}

func inQuery(name string) spec.Parameter {
	return spec.Parameter{Name: name, In: spec.InQuery, Style: spec.StyleForm, Explode: true}
}

func inHeader(name string) spec.Parameter {
	return spec.Parameter{Name: name, In: spec.InHeader, Style: spec.StyleSimple}
}

func inCookie(name string) spec.Parameter {
	return spec.Parameter{Name: name, In: spec.InCookie, Style: spec.StyleForm, Explode: true}
}

// with changes a parameter.
func with(p spec.Parameter, change func(*spec.Parameter)) spec.Parameter {
	change(&p)
	return p
}

// decoded reads arguments as the gateway does.
func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var args map[string]any
	if err := d.Decode(&args); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return args
}

// headerOf is a header with Accept, which every request has.
func headerOf(pairs ...string) http.Header {
	h := http.Header{"Accept": {"*/*"}}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}
