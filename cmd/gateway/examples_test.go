package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesLint holds every example to be free of errors and of warnings.
func TestExamplesLint(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tools.yaml", "contract.yaml", "discovery/tools.yaml", "interpreter/tools.yaml"} {
		var out, talk bytes.Buffer
		path := filepath.Join("../../examples", name)
		if err := run(t.Context(), []string{"gateway", "lint", "--config", path}, streams{http.NoBody, &out, &talk}); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
		if got := out.String(); got != "" {
			t.Errorf("%s: %s", name, got)
		}
		if err := run(t.Context(), []string{"gateway", "tools", "list", "--config", path}, streams{http.NoBody, &out, io.Discard}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(out.String(), "find_customer") {
			t.Errorf("%s lists %s", name, out.String())
		}
	}
}

// TestExampleRuns calls every tool of the example against its upstream.
func TestExampleRuns(t *testing.T) {
	t.Parallel()
	upstream := start(t, build(t, "github.com/toolgate/toolgate/examples/upstream"), "-listen", "127.0.0.1:0")
	data, err := os.ReadFile("../../examples/tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../examples/openapi/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "tools.yaml")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "openapi"), 0o700), os.WriteFile(filepath.Join(dir, "openapi", "shop.yaml"), document, 0o600)); err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte("http://127.0.0.1:9090"), []byte(upstream.url))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ tool, args, want, code string }{
		{"find_customer", `{"id": "7"}`, `{"email":"ada@example.com","id":"7","name":"Ada Moreau"}`, ""},
		{"find_customer", `{"id": "../orders"}`, "", "upstream_error"},
		{"list_orders", `{"customer": "7", "limit": 1}`, `[{"cents":1250,"customer":"7","id":1001,"item":"tea"}]`, ""},
		{"list_orders", `{}`, "", ""},
		{"pay", `{"customer": "12", "amount": 99.90}`, `{"customer":"12","paid":99.90}`, ""},
		{"pay", `{"customer": "12", "amount": 100.5}`, "", "denied"},
		{"word_count", `{"text": "one two three"}`, "3", ""},
		{"shop-get_customer", `{"id": "7"}`, `{"email":"ada@example.com","id":"7","name":"Ada Moreau"}`, ""},
		{"shop-get_customer", `{"id": "8"}`, "", "upstream_error"},
		{"shop-listOrders", `{"customer": "12"}`, `{"orders":[{"id":1003,"customer":"12","item":"cups","cents":2100}]}`, ""},
		{"shop-createPayment", `{}`, "", "not_found"},
		{"total", `{"items": [1, 2, 3.5]}`, "6.5", ""},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		err := run(t.Context(), []string{"gateway", "tools", "call", "--json", "--config", path, "--args", tt.args, tt.tool}, streams{http.NoBody, &out, io.Discard})
		if (err != nil) != (tt.code != "") {
			t.Errorf("%s %s: %v\n%s", tt.tool, tt.args, err, out.String())
		}
		var r struct {
			Content []struct{ Text string }
			Error   struct {
				Type string `json:"error_type"`
			}
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Content) != 1 {
			t.Fatalf("%s: %v, %s", tt.tool, err, out.String())
		}
		if got := strings.TrimSpace(r.Content[0].Text); tt.want != "" && got != tt.want || r.Error.Type != tt.code {
			t.Errorf("%s %s: got %q %s, want %q %s", tt.tool, tt.args, got, r.Error.Type, tt.want, tt.code)
		}
	}
}

// TestExampleDiscovery: the tools of the example are found by searches that it was not
// written for, and one that was found can be called.
func TestExampleDiscovery(t *testing.T) {
	t.Parallel()
	path := "../../examples/discovery/tools.yaml"
	for _, args := range [][]string{
		{"discovery", "eval", "--config", path, "--min-recall", "1"},
		{"discovery", "eval", "--config", path, "--min-ndcg", "0.8", "--min-recall", "0.9", "../../examples/discovery/golden.jsonl"},
	} {
		var out, talk bytes.Buffer
		if err := run(t.Context(), append([]string{"gateway"}, args...), streams{http.NoBody, &out, &talk}); err != nil {
			t.Errorf("%s: %v\n%s%s", args, err, out.String(), talk.String())
		}
	}
	copied := filepath.Join(t.TempDir(), "tools.yaml")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	document, err := filepath.Abs("../../examples/openapi/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, bytes.ReplaceAll(data, []byte("../openapi/shop.yaml"), []byte(document)), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	call := []string{"gateway", "tools", "call", "--config", copied, "--args", `{"name": "track_parcel", "arguments": {"code": "A1"}}`, "call_tool"}
	if err := run(t.Context(), call, streams{http.NoBody, &out, io.Discard}); err != nil || !strings.Contains(out.String(), "on its way") {
		t.Errorf("%v: %s", err, out.String())
	}
}
