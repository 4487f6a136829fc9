package rehearsal

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/cmdtool"
	"github.com/toolgate/toolgate/gateway/expression"
)

// Placeholder is what stands for the value of a secret.
func Placeholder(name string) string { return "${secret." + name + "}" }

// encodedPlaceholder is one within an address.
var encodedPlaceholder = regexp.MustCompile(`%24%7Bsecret\.([A-Za-z0-9_.-]+)%7D`)

// readable is an address with its placeholders as they are written.
func readable(u *url.URL) string {
	return encodedPlaceholder.ReplaceAllString(u.String(), "$${secret.$1}")
}

// compareHTTP says how a request is not the one that a test describes. An address is
// compared by what it means, whatever is percent-encoded in it.
func (w *RequestConfig) compareHTTP(req *http.Request, body []byte) (out []Difference) {
	if w == nil {
		return nil
	}
	if w.Method != "" {
		out = append(out, texts("method", strings.ToUpper(w.Method), req.Method)...)
	}
	if w.URL != "" {
		if want, err := url.Parse(w.URL); err != nil || !sameAddress(want, req.URL) {
			out = append(out, Difference{"url", w.URL, readable(req.URL)})
		}
	}
	if w.Path != "" && !slices.Equal(segments(w.Path), segments(req.URL.EscapedPath())) {
		out = append(out, Difference{"path", w.Path, readable(&url.URL{Path: req.URL.Path, RawPath: req.URL.RawPath})})
	}
	query := req.URL.Query()
	out = append(out, named("query", w.Query, func(name string) []string { return query[name] })...)
	out = append(out, named("headers", w.Headers, func(name string) []string { return header(req, name) })...)
	if w.Body != nil {
		out = append(out, w.Body.compare(req.Header.Get("Content-Type"), body)...)
	}
	return out
}

func sameAddress(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) &&
		slices.Equal(segments(a.EscapedPath()), segments(b.EscapedPath())) && sameValues(a.Query(), b.Query())
}

func sameValues(a, b url.Values) bool {
	return maps.EqualFunc(a, b, slices.Equal[[]string])
}

// segments are the parts of a path, each without its encoding.
func segments(path string) []string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			parts[i] = plain
		}
	}
	return parts
}

// header are the values of a header; a user with a password is shown as text.
func header(req *http.Request, name string) []string {
	if strings.EqualFold(name, "host") {
		return []string{req.Host}
	}
	values := slices.Clone(req.Header.Values(name))
	for i, value := range values {
		if encoded, ok := strings.CutPrefix(value, "Basic "); ok {
			if plain, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				values[i] = "Basic " + string(plain)
			}
		}
	}
	return values
}

// named compares the values that are named; an empty list is for one that is not there.
func named(field string, want map[string]expression.Texts, have func(name string) []string) (out []Difference) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got := have(name); !slices.Equal([]string(want[name]), got) && !(len(want[name]) == 0 && len(got) == 0) {
			out = append(out, Difference{field + "." + name, listed(want[name]), listed(got)})
		}
	}
	return out
}

// listed shows the values of one name.
func listed(values []string) string {
	switch len(values) {
	case 0:
		return "(none)"
	case 1:
		return values[0]
	}
	return pretty(values)
}

func (w *BodyConfig) compare(contentType string, got []byte) []Difference {
	switch {
	case w.JSON != nil:
		want, _ := decode(w.JSON)
		if v, ok := decode(got); ok {
			return values("body", want, v)
		}
		return []Difference{{"body", pretty(want), shown(got)}}
	case w.Form != nil:
		return compareForm(w.Form, contentType, got)
	case w.Multipart != nil:
		return compareParts(w.Multipart, contentType, got)
	case *w.Text != string(got):
		return []Difference{{"body", *w.Text, shown(got)}}
	}
	return nil
}

// shown is a body for a reader.
func shown(body []byte) string {
	if len(body) == 0 {
		return "(none)"
	}
	if v, ok := decode(body); ok {
		return pretty(v)
	}
	return strings.ToValidUTF8(string(body), "\uFFFD")
}

func compareForm(form map[string]expression.Texts, contentType string, body []byte) []Difference {
	want := url.Values{}
	for name, values := range form {
		want[name] = values
	}
	got, err := url.ParseQuery(string(body))
	switch {
	case err != nil || !strings.HasPrefix(contentType, "application/x-www-form-urlencoded"):
		return []Difference{{"body", lines(want), shown(body)}}
	case !sameValues(want, got):
		return []Difference{{"body", lines(want), lines(got)}}
	}
	return nil
}

// lines shows a form, one value a line.
func lines(form url.Values) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			out = append(out, name+"="+value)
		}
	}
	return strings.Join(out, "\n")
}

func compareParts(want []PartConfig, contentType string, body []byte) (out []Difference) {
	got := parts(contentType, body)
	if len(got) != len(want) {
		return []Difference{{"body", fmt.Sprintf("%d parts", len(want)), fmt.Sprintf("%d parts", len(got))}}
	}
	for i, w := range want {
		field, g := fmt.Sprintf("body.%d.", i), got[i]
		out = append(out, texts(field+"name", w.Name, g.Name)...)
		if w.Filename != "" {
			out = append(out, texts(field+"filename", w.Filename, g.Filename)...)
		}
		if w.Type != "" {
			out = append(out, texts(field+"type", w.Type, g.Type)...)
		}
		if w.Text != nil {
			out = append(out, texts(field+"text", *w.Text, *g.Text)...)
		}
	}
	return out
}

// parts reads a multipart body as far as it is one.
func parts(contentType string, body []byte) (out []PartConfig) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil
	}
	r := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		part, err := r.NextRawPart()
		if err != nil {
			return out
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return out
		}
		text := string(data)
		out = append(out, PartConfig{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), &text})
	}
}

// compareProcess says how a process is not the one that a test describes.
func (w *RequestConfig) compareProcess(p *cmdtool.Process, stdin []byte, dir string) (out []Difference) {
	if w == nil {
		return nil
	}
	if w.Argv != nil && !slices.Equal([]string(w.Argv), p.Argv) {
		out = append(out, Difference{"argv", pretty([]string(w.Argv)), pretty(p.Argv)})
	}
	if w.Stdin != nil {
		out = append(out, texts("stdin", *w.Stdin, string(stdin))...)
	}
	if w.Cwd != "" {
		out = append(out, texts("cwd", within(dir, w.Cwd), within(dir, p.Dir))...)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Env)) {
		if got, ok := variable(p.Env, name); !ok || got != w.Env[name] {
			if !ok {
				got = "(none)"
			}
			out = append(out, Difference{"env." + name, w.Env[name], got})
		}
	}
	return out
}

// within is a path as seen from a folder.
func within(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if rest, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rest) {
		return rest
	}
	return filepath.Clean(path)
}

func variable(env []string, name string) (string, bool) {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
