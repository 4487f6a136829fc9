package wire_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

// awkward are texts that mean something in an address or a header.
var awkward = []string{
	"", ".", "..", "../admin", "%2e%2e", "..;x", "a/b", "a?b=c&d", "#f", "a,b", "a=b", "{x}", "é \u2028", "\x00\r\n", "\xff", "100%", "%41", "+ ", "a;b", `"q"`, `\`, "a[0]",
}

func seed(f *testing.F) {
	for i, text := range awkward {
		f.Add(text, awkward[len(awkward)-1-i], uint8(i))
	}
}

// FuzzPath decodes the segments of a path, which give back the values, and makes
// sure that no value leaves its segment.
func FuzzPath(f *testing.F) {
	seed(f)
	styles := []struct{ name, start, delimiter string }{{spec.StyleSimple, "", ","}, {spec.StyleLabel, ".", "."}, {spec.StyleMatrix, ";x=", ";x="}}
	f.Fuzz(func(t *testing.T, a, b string, choice uint8) {
		style := styles[int(choice)%len(styles)]
		x := with(inPath("x"), func(p *spec.Parameter) { p.Style, p.Explode, p.AllowReserved = style.name, true, choice&64 != 0 })
		var value any = a
		want := []string{a}
		if choice&128 != 0 {
			value, want = []any{a, b}, []string{a, b}
		}
		r, err := wire.Build(operation("GET", "/one/{x}/{y}:two", x, inPath("y")), map[string]any{"x": value, "y": b})
		if err != nil {
			e := err.Error()
			if !strings.Contains(e, `"x"`) && !strings.Contains(e, `"y"`) && !strings.Contains(e, "longer") {
				t.Fatalf("%q %q: %v", a, b, err)
			}
			return
		}
		u, err := url.Parse("https://host" + r.Path)
		if err != nil || u.Host != "host" || u.RawQuery != "" || u.Fragment != "" || u.EscapedPath() != r.Path || path.Clean(r.Path) != r.Path {
			t.Fatalf("%q %q: %s is not the path that was meant (%v)", a, b, r.Path, err)
		}
		segments := strings.Split(r.Path, "/")[1:]
		last := segments[len(segments)-1]
		if segments[0] != "one" || unescaped(t, last) != b+":two" {
			t.Fatalf("%q %q: %s", a, b, r.Path)
		}
		if name, _, _ := strings.Cut(spec.Unescaped(segments[1]), ";"); len(segments) != 3 || name == "." || name == ".." {
			t.Fatalf("%q %q: %s", a, b, r.Path)
		}
		if x.AllowReserved && strings.ContainsAny(a+b, ",.;=") {
			return // these stay as they are, and are delimiters too
		}
		text := segments[1]
		if style.name == spec.StyleMatrix { // an empty value has no equals sign
			text = strings.NewReplacer(";x=", ";x=", ";x", ";x=").Replace(text)
		}
		var got []string
		for part := range strings.SplitSeq(strings.TrimPrefix(text, style.start), style.delimiter) {
			got = append(got, unescaped(t, part))
		}
		if style.name == spec.StyleLabel { // a dot in a value cannot be told from the delimiter
			got, want = []string{strings.Join(got, ".")}, []string{strings.Join(want, ".")}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %s gives %q", want, r.Path, got)
		}
	})
}

func unescaped(t *testing.T, text string) string {
	t.Helper()
	plain, err := url.PathUnescape(text)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// FuzzQuery decodes the pairs of a query, which are those that were meant, in
// their order and no others: the name of a parameter has the value of its own
// argument only.
func FuzzQuery(f *testing.F) {
	seed(f)
	f.Add("x", "last", uint8(2))
	f.Add("last", "last", uint8(7))
	f.Fuzz(func(t *testing.T, a, b string, choice uint8) {
		p := with(inQuery(a), func(p *spec.Parameter) { p.Arg = "x" })
		last := with(inQuery("last"), func(p *spec.Parameter) { p.Arg = "y" })
		var value any
		want := [][2]string{{a, b}}
		if a == "last" {
			a = "first" // no two parameters have the same name
			want[0][0] = a
			p.Name = a
		}
		switch choice % 8 {
		case 0:
			value = b
		case 1:
			value, want = []any{b, a}, [][2]string{{a, b}, {a, a}}
		case 2:
			value, want = map[string]any{b: a}, [][2]string{{b, a}}
		case 3:
			p.Style, value, want = spec.StyleDeepObject, map[string]any{b: []any{a, map[string]any{a: b}}}, [][2]string{{a + "[" + b + "][0]", a}, {a + "[" + b + "][1][" + a + "]", b}}
		case 4:
			p.Style, p.Explode, value, want = spec.StylePipe, false, []any{b, a}, [][2]string{{a, b + "|" + a}}
		case 5:
			p.Explode, value, want = false, map[string]any{b: a}, [][2]string{{a, b + "," + a}}
		case 6:
			if p.AllowReserved, value = true, b; strings.Contains(b, "%") {
				return // an escape stays as it is
			}
		case 7:
			p.In, p.Media, value, want = spec.InQueryString, formType, map[string]any{b: a}, [][2]string{{b, a}}
		}
		r, err := wire.Build(operation("GET", "/", p, last), map[string]any{"x": value, "y": b})
		if err != nil {
			if strings.Contains(err.Error(), "longer") || b == "last" && strings.Contains(err.Error(), "that is taken") {
				return
			}
			t.Fatal(err)
		}
		want = append(want, [2]string{"last", b})
		if p.In == spec.InQueryString { // which stands behind all others
			slices.Reverse(want)
			r.Query = strings.ReplaceAll(r.Query, "+", "%20")
		}
		var got [][2]string
		for pair := range strings.SplitSeq(r.Query, "&") {
			name, text, found := strings.Cut(pair, "=")
			if !found || strings.ContainsAny(pair, "+#[]|\" ") {
				t.Fatalf("%q is no pair", pair)
			}
			got = append(got, [2]string{unescaped(t, name), unescaped(t, text)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", r.Query, diff)
		}
		if u, err := url.Parse("https://host/?" + r.Query); err != nil || u.RawQuery != r.Query || u.Fragment != "" {
			t.Fatalf("%s is no query: %v", r.Query, err)
		}
	})
}

// FuzzBody reads an open body as servers do, in which a field has the value of its
// own argument only.
func FuzzBody(f *testing.F) {
	seed(f)
	f.Add("id", "id", uint8(0))
	f.Add("id", "id", uint8(1))
	f.Fuzz(func(t *testing.T, a, b string, choice uint8) {
		op := operation("POST", "/")
		op.Body = &spec.Body{
			Kind: spec.BodyJSON, Media: jsonType, Open: true,
			Fields:    []spec.Field{{Name: a, Arg: "field"}, {Name: "object", Arg: "object"}},
			Encodings: map[string]spec.Encoding{"object": {Style: spec.StyleForm, Explode: true}},
		}
		if choice%2 == 1 {
			op.Body.Kind, op.Body.Media = spec.BodyForm, formType
		}
		args := map[string]any{"field": "own", "object": map[string]any{b: "alien"}}
		if b != "field" && b != "object" {
			args[b] = "alien"
		}
		r, err := wire.Build(op, args)
		if err != nil {
			return
		}
		if choice%2 == 0 {
			var got map[string]any
			if err := json.Unmarshal(r.Body, &got); err != nil {
				t.Fatalf("%s: %v", r.Body, err)
			}
			if name := strings.ToValidUTF8(a, "\ufffd"); name == a && got[a] != "own" {
				t.Fatalf("%q %q: %s", a, b, r.Body)
			}
			return
		}
		form, err := url.ParseQuery(string(r.Body))
		if err != nil || !slices.Equal(form[a], []string{"own"}) {
			t.Fatalf("%q %q: %s, %v", a, b, r.Body, err)
		}
	})
}

// FuzzCookie reads the cookies as net/http does and decodes them, which gives
// back what was meant.
func FuzzCookie(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, a, b string, choice uint8) {
		if a == "" {
			a = "name" // a cookie without a name is none
		}
		p, last := with(inCookie(a), func(p *spec.Parameter) { p.Arg = "x" }), with(inCookie("last"), func(p *spec.Parameter) { p.Arg = "y" })
		var value any = b
		want := [][2]string{{a, b}, {"last", b}}
		if choice%2 == 1 {
			value, want = []any{b, a}, [][2]string{{a, b}, {a, a}, {"last", b}}
		}
		r, err := wire.Build(operation("GET", "/", p, last), map[string]any{"x": value, "y": b})
		if err != nil {
			if strings.Contains(err.Error(), "longer") || a == "last" && strings.Contains(err.Error(), "that is taken") {
				return
			}
			t.Fatal(err)
		}
		cookies, err := http.ParseCookie(r.Header.Get("Cookie"))
		if err != nil {
			t.Fatalf("%s: %v", r.Header.Get("Cookie"), err)
		}
		var got [][2]string
		for _, c := range cookies {
			got = append(got, [2]string{unescaped(t, c.Name), unescaped(t, c.Value)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", r.Header.Get("Cookie"), diff)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	op := operation("POST", "/repos/{owner}/{repo}/issues/{number}", inPath("owner"), inPath("repo"), inPath("number"), inQuery("labels"), inQuery("since"), inHeader("X-Request"))
	op.Accept = []string{"application/json", "text/html"}
	op.Body = &spec.Body{Kind: spec.BodyJSON, Media: jsonType, Required: true, Fields: fields("title", "body", "assignees")}
	args := map[string]any{
		"owner": "octo cat", "repo": "hello-world", "number": 1347.0, "labels": []any{"bug", "help wanted"}, "since": "2024-01-02T03:04:05+02:00", "X-Request": "7",
		"title": "Found a bug", "body": "It does not work: <b>&</b>", "assignees": []any{"octocat"},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Build(op, args); err != nil {
			b.Fatal(err)
		}
	}
}
