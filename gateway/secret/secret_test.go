package secret_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

const (
	hidden = `hunter2 "&/+é`
	masked = "[secret]"
)

func TestValueNeverPrints(t *testing.T) {
	t.Parallel()
	v := secret.NewValue(hidden)
	data, err := json.Marshal(map[string]any{"v": v, "p": &v})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v, "p", &v, "s", struct{ V secret.Value }{v})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb, v)
		fmt.Fprintf(&b, verb, struct{ V *secret.Value }{&v})
		fmt.Fprintf(&b, verb, []secret.Value{v})
	}
	if out := string(data) + b.String(); strings.Contains(out, "hunter") || strings.Contains(out, "68756e746572") {
		t.Errorf("printed: %s", out)
	}
	if v.Reveal() != hidden {
		t.Error("Reveal lost the value")
	}
}

func TestMasker(t *testing.T) {
	t.Parallel()
	m := secret.NewMasker(secret.NewValue(hidden), secret.NewValue("abcd"), secret.NewValue("abcdefgh"))
	quoted, _ := json.Marshal(hidden)
	tests := []struct{ in, want string }{
		{"nothing", "nothing"},
		{"x" + hidden + "y", "x[secret]y"},
		{url.QueryEscape(hidden), "[secret]"},
		{url.PathEscape(hidden), "[secret]"},
		{string(quoted), `"[secret]"`},
		{"Basic " + base64.StdEncoding.EncodeToString([]byte(hidden)), "Basic [secret]"},
		{"abcdefgh", "[secret]"},
		{"abcd abcdefg", "[secret] [secret]efg"},
	}
	for _, tt := range tests {
		if got := m.Text(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
		if got := string(m.Bytes([]byte(tt.in))); got != tt.want {
			t.Errorf("%q: got bytes %q, want %q", tt.in, got, tt.want)
		}
	}
	var none *secret.Masker
	if none.Text("abcd") != "abcd" || none.Bytes(nil) != nil || secret.NewMasker() != nil {
		t.Error("a masker of nothing changes text")
	}
}

func TestResolve(t *testing.T) {
	t.Setenv("TOOLGATE_TEST_SECRET", hidden)
	t.Setenv("TOOLGATE_TEST_SHORT", "abc")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		config secret.Config
		want   string
		err    string
	}{
		{secret.Config{Env: "TOOLGATE_TEST_SECRET"}, hidden, ""},
		{secret.Config{Env: "TOOLGATE_TEST_UNSET"}, "", "environment variable TOOLGATE_TEST_UNSET is not set"},
		{secret.Config{Env: "TOOLGATE_TEST_SHORT"}, "", "fewer than 4 characters"},
		{secret.Config{File: write("blank", "a b \n c\n\n")}, "", "fewer than 4 characters beside white space"},
		{secret.Config{File: write("lf", hidden+"\n")}, hidden, ""},
		{secret.Config{File: write("crlf", hidden+"\r\n")}, hidden, ""},
		{secret.Config{File: write("two", hidden+"\n\n")}, hidden + "\n", ""},
		{secret.Config{File: write("large", strings.Repeat("x", secret.MaxLength+1))}, "", "larger than 64 KiB"},
		{secret.Config{File: filepath.Join(dir, "none")}, "", "no such file"},
	}
	for _, tt := range tests {
		got, err := tt.config.Resolve()
		if got.Reveal() != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.config, got.Reveal(), tt.want)
		}
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%+v: error %v, want %q", tt.config, err, tt.err)
		}
	}
}

func TestMaskerForms(t *testing.T) {
	t.Parallel()
	const long = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nVJTUt9Us8cKjMzEfYyjiWA4R4\n-----END KEY-----\n"
	m := secret.NewMasker(secret.NewValue(" "+hidden+"\n\n"), secret.NewValue(long), secret.NewValue("12345678"), secret.NewValue(`nab\c🔑`), secret.NewValue("a b c"))
	tests := []struct{ in, want string }{
		{`hunter2 \"&\/+é`, "[secret]"},
		{`hunter2 \\\"\u0026\\/+\u00E9`, "[secret]"},
		{"hunter2%20%22%26%2f%2B%c3%A9", "[secret]"},
		{"hunter2+%2522%2526%252f%252B%25c3%25A9", "[secret]"},
		{"hunter2 &quot;&amp;amp;&#47;&plus;&eacute;", "[secret]"},
		{"hunter2=20=22=26/=\r\n+=C3=A9", "[secret]"},
		{`hunter2\x20\"&\/+\303\251`, "[secret]"},
		{`hunter2 "&/+\u{e9}`, "[secret]"},
		{"hunter2\n\t\"&/+\r\n  é, hunter2\"&/\\n+é", "[secret], [secret]"},
		{"hun ter2 \"&/+é", "hun ter2 \"&/+é"},
		{"Hunter2 \"&/+é", "Hunter2 \"&/+é"},
		{"hunter2 \"&/+\uFFFD", "[secret]"},
		{`C:\nab\c🔑 nab\\c\ud83d\udd11 nab\c\\ud83d\\udd11 \U0001f511`, `C:\[secret] [secret] [secret] \U0001f511`},
		{strings.TrimSpace(long), "[secret]"},
		{strings.ReplaceAll(long, "\n", `\n`), `[secret]\n`},
		{strings.ReplaceAll(long, "\n", " "), "[secret] "},
		{"it begins with hunter2 \"&…", "it begins with hunter2 \"&…"},
		{"hunter...", "hunter..."},
		{"the [secret] secret", "the [secret] secret"},
		{`{"n": 12345678, "m": [-12345678.5], "12345678": "\nab\\c\ud83d\udd11"}`, `{"n": "[secret]", "m": ["-[secret].5"], "[secret]": "[secret]"}`},
		{`["1234\u00355678", "\"12345678\"", "<\u003c12345678"]`, `["1234\u00355678", "\"[secret]\"", "<<[secret]"]`},
		{`["1234\u0035678", "{\"a\":12345678}"]`, `["[secret]", "{\"a\":\"[secret]\"}"]`},
		{"12345678", "[secret]"},
		{"a b c", "a b c"},
	}
	for _, tt := range tests {
		if got := m.Text(tt.in); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestMaskerCuts(t *testing.T) {
	t.Parallel()
	m := secret.NewMasker(secret.NewValue(hidden))
	left := strings.Repeat("x", m.Reach())
	tests := []struct {
		name    string
		mask    func(string) string
		in, out string
	}{
		{"start", m.Head, "a hunter2" + left, "a hunter2"},
		{"start, a whole one", m.Head, "a " + hidden + " b" + left, "a [secret] b"},
		{"start, one that reaches over the edge", m.Head, "a " + hidden + left[2:], "a [secret]"},
		{"start, nothing is left", m.Head, left, ""},
		{"end", m.Tail, left + hidden[5:] + " b", hidden[5:] + " b"},
		{"end, a whole one", m.Tail, left + "a " + hidden + " b", "a [secret] b"},
		{"end, one that reaches over the edge", m.Tail, left[2:] + hidden + " b", "[secret] b"},
		{"end, nothing is left", m.Tail, left, ""},
		{"blocks", func(s string) string { return strings.Join(m.Texts(strings.Split(s, "|")), "|") }, "a hunter2 |\"&/|+é b|" + hidden, "a [secret]|[secret]|[secret] b|[secret]"},
	}
	for _, tt := range tests {
		if got := tt.mask(tt.in); got != tt.out {
			t.Errorf("%s: %q: got %q, want %q", tt.name, tt.in, got, tt.out)
		}
	}
	var none *secret.Masker
	if none.Reach() != 0 || none.Head("a") != "a" || none.Tail("a") != "a" || (&secret.Masker{}).Reach() != 0 {
		t.Error("a masker of nothing cuts")
	}
}

// TestMaskerOddSecret looks for secrets made of escapes in texts made of the
// same, where there is more than one way to read everything.
func TestMaskerOddSecret(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{`\`, `\\n`, "%25", "&amp;", "%0A+%20", "\uFFFD", "\n\t", "+=="} {
		value := strings.Repeat(unit, 20) + "the end"
		m := secret.NewMasker(secret.NewValue(value))
		for _, before := range []int{0, 7, 1000, 1500} {
			text := strings.Repeat(unit, before) + value + " " + strings.Repeat("x", 3000)
			for _, out := range []string{m.Text(text), m.Head(text), m.Tail(text)} {
				if strings.Contains(out, "the end") || !strings.HasSuffix(out, strings.Repeat("x", 500)) {
					t.Errorf("%q after %d: %.50q (%d bytes)", unit, before, out, len(out))
				}
			}
		}
	}
	if text := "hunter2\n" + strings.Repeat(" \n", 50_000) + "x"; secret.NewMasker(secret.NewValue("hunter2 x")).Text(text) != masked {
		t.Error("much white space hides a secret")
	}
	if text := "hunter2" + strings.Repeat(`\n`, 500_000) + "y"; secret.NewMasker(secret.NewValue("hunter2 x")).Text(text) != text {
		t.Error("white space without end was taken for a secret")
	}
}
