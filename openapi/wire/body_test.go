package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

func TestBody(t *testing.T) {
	t.Parallel()
	const none = "(none)"
	for _, c := range []struct {
		name, args string
		body       spec.Body
		want       string
		media      string
	}{
		{"fields in their order, null told from absent", `{"a": null, "b": 1.50, "id": 7}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Fields: fields("b", "c", "a")}, `{"b":1.50,"a":null}`, jsonType},
		{"renamed field", `{"body_id": 1, "id": 7}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Fields: []spec.Field{{Name: "id", Arg: "body_id"}}}, `{"id":1}`, jsonType},
		{"further fields", `{"id": 7, "z": 1, "b": "<&>", "a": {"y": [], "x": {}}}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Fields: fields("b"), Open: true}, `{"b":"<&>","a":{"x":{},"y":[]},"z":1}`, jsonType},
		{"no further fields", `{"id": 7, "z": 1, "b": 2}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Fields: fields("b")}, `{"b":2}`, jsonType},
		{"required without fields", `{"id": 7}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Required: true, Fields: fields("b")}, `{}`, jsonType},
		{"optional without fields", `{"id": 7}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Open: true}, none, ""},
		{"whole and absent", `{"id": 7}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Required: true, Arg: "body"}, none, ""},
		{"whole and null", `{"id": 7, "body": null}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Arg: "body"}, `null`, jsonType},
		{"whole and empty", `{"id": 7, "body": ""}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Arg: "body"}, `""`, jsonType},
		{"digits", `{"id": 7, "body": [9007199254740993, 1e6, 0.10, -0]}`, spec.Body{Kind: spec.BodyJSON, Media: jsonType, Arg: "body"}, `[9007199254740993,1e6,0.10,-0]`, jsonType},
		{"type as given", `{"id": 7, "body": 1}`, spec.Body{Kind: spec.BodyJSON, Media: "Application/JSON; charset=UTF-8", Arg: "body"}, `1`, "Application/JSON; charset=UTF-8"},
		{"wildcard, JSON", `{"id": 7, "body": 1}`, spec.Body{Kind: spec.BodyJSON, Media: "*/*", Arg: "body"}, `1`, jsonType},
		{"type that is none", `{"id": 7, "body": 1}`, spec.Body{Kind: spec.BodyJSON, Media: "application/json\r\nX: y", Arg: "body"}, `1`, jsonType},
		{"wildcard, text", `{"id": 7, "body": "a"}`, spec.Body{Kind: spec.BodyText, Media: "text/*", Arg: "body"}, `a`, "text/plain"},
		{"wildcard, bytes", `{"id": 7, "body": "YQ=="}`, spec.Body{Kind: spec.BodyBinary, Media: "image/*", Arg: "body"}, `a`, "application/octet-stream"},
		{"wildcard, form", `{"id": 7, "body": {"a": 1}}`, spec.Body{Kind: spec.BodyForm, Media: "application/*", Arg: "body"}, `a=1`, formType},
		{"empty text", `{"id": 7, "body": ""}`, spec.Body{Kind: spec.BodyText, Media: "text/plain", Arg: "body"}, ``, "text/plain"},
		{"absent text", `{"id": 7, "body": null}`, spec.Body{Kind: spec.BodyText, Media: "text/plain", Arg: "body"}, none, ""},
		{"text that is none", `{"id": 7, "body": {"a": "<"}}`, spec.Body{Kind: spec.BodyText, Media: "text/plain", Arg: "body"}, `{"a":"<"}`, "text/plain"},
		{"bytes in the alphabet of URLs", `{"id": 7, "body": "_-8\n="}`, spec.Body{Kind: spec.BodyBinary, Media: "image/png", Arg: "body"}, "\xff\xef", "image/png"},
		{"bytes without padding", `{"id": 7, "body": "_-8"}`, spec.Body{Kind: spec.BodyBinary, Media: "image/png", Arg: "body"}, "\xff\xef", "image/png"},
		{"no bytes", `{"id": 7, "body": ""}`, spec.Body{Kind: spec.BodyBinary, Media: "image/png", Arg: "body"}, "", "image/png"},
		{
			"form", `{"id": 7, "b": "~ *-._é'&=+%", "a": [true, null, 1e3, {"x": 1}], "c": null, "d": {}, "e": [], "f": ""}`,
			spec.Body{Kind: spec.BodyForm, Media: formType, Fields: fields("b", "a", "c", "d", "e", "f")},
			"b=%7E+*-._%C3%A9%27%26%3D%2B%25&a=true&a=1000&a=%7B%22x%22%3A1%7D&d=%7B%7D&f=", formType,
		},
		{"form as a whole", `{"id": 7, "body": {"b": 1, "a": "x"}}`, spec.Body{Kind: spec.BodyForm, Media: formType, Arg: "body"}, "a=x&b=1", formType},
		{"form as a text", `{"id": 7, "body": "a=x&b=1"}`, spec.Body{Kind: spec.BodyForm, Media: formType, Arg: "body"}, "a=x&b=1", formType},
		{"required form without fields", `{"id": 7}`, spec.Body{Kind: spec.BodyForm, Media: formType, Required: true, Fields: fields("b")}, "", formType},
		{"styles in a form", `{"id": 7, "a": {"k": [1, {"l": "m n"}]}, "b": [1, 2], "c": [1, 2], "d": {"x": 1, "y": 2}, "e": [1, 2], "f": "a/b&c d"}`, spec.Body{
			Kind: spec.BodyForm, Media: formType, Fields: fields("a", "b", "c", "d", "e", "f"),
			Encodings: map[string]spec.Encoding{
				"a": {Style: spec.StyleDeepObject, Explode: true}, "b": {Style: spec.StyleForm}, "c": {Style: spec.StyleForm, Explode: true},
				"d": {Style: spec.StyleForm, Explode: true}, "e": {Style: spec.StyleSpace}, "f": {Style: spec.StyleForm, AllowReserved: true},
			},
		}, "a%5Bk%5D%5B0%5D=1&a%5Bk%5D%5B1%5D%5Bl%5D=m+n&b=1,2&c=1&c=2&x=1&y=2&e=1%202&f=a/b%26c+d", formType},
		{"content types in a form", `{"id": 7, "a": "x", "b": [1, 2], "c": "x"}`, spec.Body{
			Kind: spec.BodyForm, Media: formType, Fields: fields("a", "b", "c"),
			Encodings: map[string]spec.Encoding{"a": {Media: jsonType}, "b": {Media: jsonType}, "c": {Media: "text/*, text/plain"}},
		}, "a=%22x%22&b=%5B1%2C2%5D&c=x", formType},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			op := operation("POST", "/{id}", inPath("id"))
			op.Body = &c.body
			r, err := wire.Build(op, decoded(t, c.args))
			if err != nil {
				t.Fatal(err)
			}
			got := none
			if r.Body != nil {
				got = string(r.Body)
			}
			if got != c.want || r.Header.Get("Content-Type") != c.media {
				t.Errorf("got  %s %s\nwant %s %s", r.Header.Get("Content-Type"), got, c.media, c.want)
			}
		})
	}
}

// received is a part as a server reads it.
type received struct{ Name, File, Media, Text string }

func parts(t *testing.T, r *wire.Request, media string) []received {
	t.Helper()
	if n := strings.Count(strings.ToLower(r.Header.Get("Content-Type")), "boundary="); n != 1 {
		t.Errorf("%d boundaries", n)
	}
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != media {
		t.Fatalf("content type %q, %v", r.Header.Get("Content-Type"), err)
	}
	reader := multipart.NewReader(bytes.NewReader(r.Body), parameters["boundary"])
	var out []received
	for {
		p, err := reader.NextRawPart()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, received{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(data)})
	}
}

func TestMultipart(t *testing.T) {
	t.Parallel()
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG"))
	encodings := map[string]spec.Encoding{
		"file": {Binary: true}, "thumb": {Binary: true, Media: "image/png, image/jpeg"}, "any": {Binary: true, Media: "audio/*, audio/mpeg"}, "doc": {Binary: true, Media: "application/geo+json"},
		"note": {Media: "text/markdown"}, "json": {Media: jsonType}, "deep": {Style: spec.StyleDeepObject, Explode: true}, "csv": {Style: spec.StyleForm},
		"pipes": {Style: spec.StylePipe},
	}
	for _, c := range []struct {
		name, args, media string
		body              spec.Body
		want              []received
	}{
		{
			"files and fields", `{"file": "AAEC/w==", "thumb": "` + png + `", "title": "t", "tags": ["a", null, "b"], "attributes": {"parent": {"id": "0"}}, "n": 1e3, "none": null, "empty": ""}`,
			"multipart/form-data",
			spec.Body{Kind: spec.BodyMultipart, Media: "multipart/form-data", Fields: fields("file", "thumb", "title", "tags", "attributes", "n", "none", "empty")},
			[]received{
				{"file", "file.bin", "application/octet-stream", "\x00\x01\x02\xff"},
				{"thumb", "thumb.png", "image/png", "\x89PNG"},
				{"title", "", "", "t"},
				{"tags", "", "", "a"},
				{"tags", "", "", "b"},
				{"attributes", "", jsonType, `{"parent":{"id":"0"}}`},
				{"n", "", "", "1000"},
				{"empty", "", "", ""},
			},
		},
		{
			"several files", `{"file": ["YQ", "Yg=="], "any": "YQ==", "doc": "e30="}`, "multipart/form-data",
			spec.Body{Kind: spec.BodyMultipart, Media: "multipart/form-data", Fields: fields("file", "any", "doc")},
			[]received{{"file", "file.bin", "application/octet-stream", "a"}, {"file", "file.bin", "application/octet-stream", "b"}, {"any", "any.mp3", "audio/mpeg", "a"}, {"doc", "doc.json", "application/geo+json", "{}"}},
		},
		{
			"content types", `{"note": "n", "json": ["a", 1]}`, "multipart/mixed",
			spec.Body{Kind: spec.BodyMultipart, Media: "multipart/mixed", Fields: fields("note", "json")},
			[]received{{"note", "", "text/markdown", "n"}, {"json", "", jsonType, `"a"`}, {"json", "", jsonType, `1`}},
		},
		{
			"lists of objects", `{"list": [{"a": 1}, [2]]}`, "multipart/form-data",
			spec.Body{Kind: spec.BodyMultipart, Media: "*/*", Fields: fields("list")},
			[]received{{"list", "", jsonType, `{"a":1}`}, {"list", "", jsonType, `[2]`}},
		},
		{
			"styles, never percent-encoded", `{"deep": {"a&": {"b": "c d"}}, "csv": ["1 ", "2"], "pipes": ["x", "y"]}`, "multipart/form-data",
			spec.Body{Kind: spec.BodyMultipart, Media: "multipart/form-data", Fields: fields("deep", "csv", "pipes")},
			[]received{{"deep[a&][b]", "", "", "c d"}, {"csv", "", "", "1 ,2"}, {"pipes", "", "", "x|y"}},
		},
		{
			"whole, sorted", `{"body": {"title": "t", "file": "YQ=="}}`, "multipart/form-data",
			spec.Body{Kind: spec.BodyMultipart, Media: "multipart/form-data", Arg: "body"},
			[]received{{"file", "file.bin", "application/octet-stream", "a"}, {"title", "", "", "t"}},
		},
		{
			"names that would end the line", `{"a\"\r\nb": "x"}`, "multipart/form-data",
			spec.Body{Kind: spec.BodyMultipart, Media: "multipart/form-data", Open: true},
			[]received{{"a%22%0D%0Ab", "", "", "x"}},
		},
		{
			"names with backslashes, and a boundary of the document", `{"a\\": "x", "\\b\\\\": "y"}`, "multipart/form-data",
			spec.Body{Kind: spec.BodyMultipart, Media: `multipart/form-data; Boundary="a;b"; x=1`, Open: true},
			[]received{{`\b\\`, "", "", "y"}, {`a\`, "", "", "x"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.body.Encodings = encodings
			op := operation("POST", "/")
			op.Body = &c.body
			r, err := wire.Build(op, decoded(t, c.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, parts(t, r, c.media)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBodyRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body  spec.Body
		value any
	}{
		{spec.Body{Kind: spec.BodyBinary, Arg: "x"}, "data:image/png;base64,AAEC"},
		{spec.Body{Kind: spec.BodyBinary, Arg: "x"}, map[string]any{}},
		{spec.Body{Kind: spec.BodyForm, Arg: "x"}, []any{"a"}},
		{spec.Body{Kind: spec.BodyMultipart, Arg: "x"}, "a"},
		{spec.Body{Kind: spec.BodyMultipart, Fields: []spec.Field{{Name: "f", Arg: "x"}}, Encodings: map[string]spec.Encoding{"f": {Binary: true}}}, "?"},
		{spec.Body{Kind: spec.BodyMultipart, Fields: []spec.Field{{Name: "f", Arg: "x"}}, Encodings: map[string]spec.Encoding{"f": {Binary: true}}}, []any{1}},
		{spec.Body{Kind: spec.BodyJSON, Arg: "x"}, json.Number("nan")},
		{spec.Body{Kind: spec.BodyJSON, Fields: fields("x")}, json.Number("nan")},
		{spec.Body{Kind: spec.BodyForm, Fields: fields("x")}, []any{[]any{json.Number("nan")}}},
	} {
		op := operation("POST", "/")
		op.Body = &c.body
		r, err := wire.Build(op, map[string]any{"x": c.value})
		if err == nil {
			t.Errorf("%s %v: built %+v", c.body.Kind, c.value, r)
			continue
		}
		refuses(t, err, "x")
	}
}

// TestLimits holds the parts of a request to their sizes.
func TestLimits(t *testing.T) {
	t.Parallel()
	deepest, empty := any("x"), any([]any{})
	for range 2000 { // names grow with the depth, all of them with its square
		deepest, empty = []any{"x", deepest}, []any{empty}
	}
	deep := with(inQuery("x"), func(p *spec.Parameter) { p.Style = spec.StyleDeepObject })
	text := func(size int) string { return strings.Repeat("a", size) }
	for _, c := range []struct {
		p     spec.Parameter
		value any
		want  string // empty where the request is built
	}{
		{inPath("x"), text(64<<10 - 1), ""},
		{inPath("x"), text(64 << 10), "the path of the request would be longer than the 64 KiB that the gateway sends at once"},
		{inQuery("x"), text(64<<10 - 2), ""},
		{inQuery("x"), text(64<<10 - 1), "the query of the request would be longer than the 64 KiB that the gateway sends at once"},
		{deep, empty, `the text of "x" would be longer than the 64 KiB that the gateway sends at once`},
		{deep, deepest, `the text of "x" would be longer than the 64 KiB that the gateway sends at once`},
		{inHeader("X"), text(63 << 10), ""},
		{inHeader("X"), text(64 << 10), "the header of the request would be longer than the 64 KiB that the gateway sends at once"},
		{inCookie("x"), text(64 << 10), "the header of the request would be longer than the 64 KiB that the gateway sends at once"},
		{spec.Parameter{In: "body"}, text(32<<20 - 2), ""},
		{spec.Parameter{In: "body"}, text(32<<20 - 1), "the body of the request would be longer than the 32 MiB that the gateway sends at once"},
	} {
		c.p.Arg = "x"
		op := operation("POST", "/{x}", c.p, with(inPath("x"), func(p *spec.Parameter) { p.Arg = "id" }))
		if c.p.In == "body" {
			op.Body = &spec.Body{Kind: spec.BodyJSON, Arg: "x"}
		}
		r, err := wire.Build(op, map[string]any{"x": c.value, "id": 1})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "invalid_args: ")
		}
		if got != c.want || (r == nil) != (err != nil) {
			t.Errorf("%s: got error %q, want %q", c.p.In, got, c.want)
		}
	}
}
