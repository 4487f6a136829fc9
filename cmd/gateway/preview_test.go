package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

// uncounted are the operations of the documents that the list has none of: what it
// was made with could not load them.
var uncounted = map[string]int{"spotify-official.yml": 96, "square.json": 316}

// operationsOfDocuments are the real documents in the folder TG_TESTDATA, with how
// many operations each has.
func operationsOfDocuments(t *testing.T) map[string]int {
	t.Helper()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	f, err := os.Open(filepath.Join(folder, "openapi", "SOURCE.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, row := range rows[1:] { // file, origin, version, licence, operations
		n, err := strconv.Atoi(row[4])
		if err != nil {
			t.Fatal(err)
		}
		n += uncounted[row[0]]
		out[filepath.Join(folder, "openapi", "specs", filepath.FromSlash(row[0]))] = n
	}
	return out
}

// largestHere is the size of a document, in bytes, above which it is read by a process
// without the race detector, which would take minutes.
const largestHere = 2 << 20

func previewOf(t *testing.T, bin, file string) (string, error) {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() <= largestHere {
		return gatewayOutput(t, "openapi", "preview", "--json", file)
	}
	out, err := exec.CommandContext(t.Context(), bin, "openapi", "preview", "--json", file).Output()
	return string(out), err
}

// TestPreviewOfRealDocuments: every operation of every document becomes a tool or is
// skipped.
func TestPreviewOfRealDocuments(t *testing.T) {
	t.Parallel()
	total, skipped := 0, 0
	documents, bin := operationsOfDocuments(t), build(t, "github.com/toolgate/toolgate/cmd/gateway")
	for file, want := range documents {
		out, err := previewOf(t, bin, file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var p previewJSON
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatal(err)
		}
		if got := len(p.Tools) + len(p.Skipped); got != want || len(p.LeftOut) > 0 {
			t.Errorf("%s: %d tools, %d skipped and %d left out, of %d operations", file, len(p.Tools), len(p.Skipped), len(p.LeftOut), want)
		}
		for _, f := range append(p.Skipped, p.Warnings...) {
			if f.Place == "" || f.Code == "" || f.Text == "" {
				t.Errorf("%s: a finding without a part: %+v", file, f)
			}
		}
		total += want
		skipped += len(p.Skipped)
	}
	t.Logf("%d operations of %d documents, of which %d are skipped", total, len(documents), skipped)
	if len(documents) != 83 || total != 11_027+96+316 {
		t.Errorf("%d documents, %d operations", len(documents), total)
	}
}

// largestImport is the size of a document, in bytes, that TestImportOfRealDocuments
// takes: what is written does not grow with schemas.
const largestImport = 512 << 10

var (
	remark      = regexp.MustCompile(`(?m)^ *#.*\n`)
	switchedOff = regexp.MustCompile(`(?m)^( *)#([^ \n])`)
)

// TestImportOfRealDocuments: what is written lints, without its comments and with
// everything switched on, too.
func TestImportOfRealDocuments(t *testing.T) {
	t.Parallel()
	dir, tried := t.TempDir(), 0
	for file := range operationsOfDocuments(t) {
		if info, err := os.Stat(file); err != nil || info.Size() > largestImport {
			continue
		}
		tried++
		out, err := gatewayOutput(t, "openapi", "import", file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for variant, text := range map[string]string{
			"as it is": out, "without comments": remark.ReplaceAllString(out, ""), "all switched on": switchedOff.ReplaceAllString(out, "$1$2"),
		} {
			name := filepath.Join(dir, "tools.yaml")
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if problems, err := gatewayOutput(t, "lint", "-c", name); err != nil {
				t.Errorf("%s, %s: %v\n%s\n%s", file, variant, err, problems, text)
			}
		}
	}
	if tried < 60 {
		t.Errorf("only %d documents", tried)
	}
}

// small is a document with one operation, and no address of its own.
const small = `{"openapi": "3.1.0", "info": {"title": "Small", "version": "1"}, "security": [{"key": []}, {"client": []}],
"components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}, "client": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://login.example.com/token", "scopes": {}}}}}},
"servers": [{"url": "/api/{version}", "variables": {"version": {"default": "v1"}}}],
"paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}}}`

// TestImportFromAddress asks a server on this machine, which needs a network.
func TestImportFromAddress(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/docs/openapi.json" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(small))
	}))
	defer server.Close()
	address := server.URL + "/docs/openapi.json"
	cfg := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(cfg, []byte("version: 1\nnetworks: {allow: [127.0.0.0/8]}\nsources: {s: {openapi: {spec: \""+address+"\"}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := "to let tools reach it, put a range that holds it under networks.allow (or give --network CIDR)"
	for _, tt := range []struct {
		args []string
		want string // in the output, or in the error
		code int
	}{
		{[]string{"import", address}, refused, exitUsage},
		{[]string{"import", "--network", "10.0.0.0/8", address}, refused, exitUsage},
		{[]string{"import", "--network", "10.0.0.0/40", address}, `"10.0.0.0/40" is no network`, exitUsage},
		{[]string{"import", "--network", "127.0.0.1", address}, "      base_url: \"" + server.URL + "/api/v1\"\n", 0},
		{[]string{"import", "--network", "127.0.0.1", address}, "      # All requests go to this address, and so do credentials; the document names it.\n", 0},
		{[]string{"import", "--network", "127.0.0.1", address}, `        #client: {client_id: "${secret.small_client_client_id}", client_secret: "${secret.small_client_client_secret}", token_url: "https://login.example.com/token"}` + "\n", 0},
		{[]string{"preview", "--network", "127.0.0.1", address}, `token_url: "https://login.example.com/token"}`, 0},
		{[]string{"import", "--network", "127.0.0.1", address + "?tok=abc"}, "      # The address had more behind ?, which may be a secret and is not written here.\n      spec: \"" + address + "\"\n", 0},
		{[]string{"preview", "--network", "127.0.0.1", address + "?tok=abc"}, address + "?…\n", 0},
		{[]string{"preview", "--network", "127.0.0.1", server.URL + "/x?tok=abc"}, "/x: the server answered with status 404", exitUsage},
		{[]string{"import", "--config", cfg, address}, "  small:\n    openapi:\n      spec: \"" + address + "\"\n", 0},
		{[]string{"preview", "--config", cfg, address}, "small-a  ", 0},
		{[]string{"preview", "--config", cfg, "--source", "s"}, "s-a   ", 0},
		{[]string{"preview", "--network", "127.0.0.1", server.URL + "/x"}, "/x: the server answered with status 404", exitUsage},
	} {
		out, err := gatewayOutput(t, append([]string{"openapi"}, tt.args...)...)
		var talk bytes.Buffer
		if strings.Contains(out+talk.String(), "abc") {
			t.Errorf("%v: the query is shown: %s%s", tt.args, out, talk.String())
		}
		if code := report(&talk, err); code != tt.code || !strings.Contains(out+talk.String(), tt.want) {
			t.Errorf("%v: exit %d\n%s%s", tt.args, code, out, talk.String())
		}
	}
}

func TestNamespaceOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ place, title, want string }{
		{"github.json", "GitHub's API", "github"},
		{"/a/b/adyen-checkout-v66.json", "", "adyen-checkout-v66"},
		{"dir/openapi.yaml", "Pet Store — v3.0", "pet_store_v3_0"},
		{"https://example.com/openapi.json?key=x.y", "Museum", "museum"},
		{"https://example.com", "", "api"},
		{"https://example.com/v2/swagger.json", "Überprüfung", "berpr_fung"},
		{"openapi.json", "API", "api"},
		{"openapi.json", "日本", "api"},
		{"3scale.yml", "", "_3scale"},
		{"My Shop (2).json", "", "my_shop_2"},
		{strings.Repeat("long-", 10) + ".json", "", "long-long-long-long-long-long-lo"},
		{strings.Repeat("x", 31) + "-y.json", "", strings.Repeat("x", 31)},
	} {
		got := namespaceOf(filepath.FromSlash(tt.place), tt.title)
		if got != tt.want || checkNamespace(got) != "" {
			t.Errorf("%s, %s: got %q, want %q", tt.place, tt.title, got, tt.want)
		}
	}
}

// TestYAMLText reads back what is written, alone, as a key and in a flow map.
func TestYAMLText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "a", "a b", "yes", "NULL", "1", "1e3", "0x1f", ".5", ".", "..", "../a.yaml", "-", "-a", "a: b", "a #b", "#a", "a,b", "{a}", "[a]", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a`",
		`"`, `\`, "'", "a\nb", "a\tb", "\x00", "\x7f", "\u0085", "\u2028", "\ufeff", "\u200b", "é", "日本", "🙂", "\U000e0001", "~", "=", "<<", "?", "a?", "2024-01-01", "1:20", "${secret.x}", "<a>&", "---", "...",
	} {
		written := yamlText(text)
		for _, document := range []string{"v: " + written, written + ": v", "{v: " + written + ", w: x}", "- " + written} {
			if strings.ContainsAny(document, "\n\r") || plain(document) != document {
				t.Errorf("%q: %q is not fit for a line", text, document)
			}
			var got any
			if err := yaml.Unmarshal([]byte(document), &got); err != nil {
				t.Errorf("%q: %q: %v", text, document, err)
				continue
			}
			if found := anyText(got); !found[text] {
				t.Errorf("%q: %q gives %#v", text, document, got)
			}
		}
	}
}

// anyText are the texts in a value, keys among them.
func anyText(v any) map[string]bool {
	out := map[string]bool{}
	switch v := v.(type) {
	case string:
		out[v] = true
	case []any:
		for _, item := range v {
			for text := range anyText(item) {
				out[text] = true
			}
		}
	case map[string]any:
		for key, value := range v {
			out[key] = true
			for text := range anyText(value) {
				out[text] = true
			}
		}
	}
	return out
}

// TestProgress: a terminal is told how far reading a document is, and nobody else.
func TestProgress(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	file := filepath.Join(t.TempDir(), "small.json")
	if err := os.WriteFile(file, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	req := &specRequest{path: file}
	if _, err := req.open(t.Context(), newProgress(&b), true); err != nil || b.Len() > 0 {
		t.Errorf("got %q, %v", b.String(), err)
	}
	long := time.Now().Add(-time.Hour)
	if _, err := req.open(t.Context(), &progress{out: &b, since: long}, true); err != nil {
		t.Error(err)
	}
	const clear = "\r\x1b[K"
	want := clear + "reading …" + clear + "parsing …" +
		clear + "operations [" + strings.Repeat(" ", barWidth) + "] 0/1" + clear + "operations [" + strings.Repeat("=", barWidth) + "] 1/1" +
		clear + "validating …" + clear
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
