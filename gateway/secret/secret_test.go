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

const hidden = `hunter2 "&/+é`

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
