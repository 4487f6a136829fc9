package spec_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi/document"
	"github.com/toolgate/toolgate/openapi/spec"
)

// TestValidate writes findings as "code operation place: text".
func TestValidate(t *testing.T) {
	t.Parallel()
	const head = "{\"openapi\": \"3.0.3\", \"info\": {\"title\": \"a\", \"version\": \"1\"},\n"
	const ok = `"responses": {"200": {"description": "ok"}}`
	const repaired = "; here it was repaired, or what is broken was left out"
	tests := []struct {
		name  string
		files map[string]string // the main one is "a"
		want  []string
	}{
		{"sound", map[string]string{"a": head + `"paths": {"/a": {"get": {` + ok + `}}}}`}, nil},
		{"sound, in YAML and two files", map[string]string{
			"a":        "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths:\n  /a: {$ref: b/c.yaml}\n",
			"b/c.yaml": "get: {responses: {'200': {description: ok}}}\n",
		}, nil},
		{"sound, of Swagger 2.0", map[string]string{"a": `{"swagger": "2.0", "info": {"title": "a", "version": "1"}, "paths": {"/a": {"get": {` + ok + `}}}}`}, nil},
		{"in operations", map[string]string{"a": head + "\"paths\": {\"/a:b\": {\"get\": {}},\n\"/b\": {\"post\": {}}}}"}, []string{
			"invalid GET /a:b a:2:27: invalid paths: invalid path /a:b: invalid operation GET: value of responses must be an object",
			"invalid POST /b a:3:16: invalid paths: invalid path /b: invalid operation POST: value of responses must be an object",
		}},
		{"in a schema", map[string]string{"a": head + "\"paths\": {}, \"components\": {\"schemas\": {\n\"A\": {\"type\": \"file\"}}}}"}, []string{
			`invalid  a:3:6: invalid components: schema "A": unsupported 'type' value "file"`,
		}},
		{"in the document", map[string]string{"a": `{"openapi": "3.0.3", "info": {"title": "a", "version": "1"}}`}, []string{
			"invalid  a:1:1: invalid paths: must be an object",
		}},
		{"not to be loaded", map[string]string{"a": head + `"paths": {"/a": {"get": {"parameters": [{"$ref": "#/components/parameters/P"}], ` + ok + `}}}, "components": {"parameters": {}}}`}, []string{
			`unloadable  a: kin-openapi cannot load it: failed to resolve "P" in fragment in URI: "#/components/parameters/P": map key "P" not found` + repaired,
		}},
		{"outside", map[string]string{"a": head + `"paths": {"/a": {"$ref": "../b.yaml"}}}`}, []string{
			"unloadable  a: kin-openapi cannot load it: ../b.yaml: only files below the folder of the document are read" + repaired,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			set, err := document.Open(t.Context(), document.Options{Path: filepath.Join(dir, "a")})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range spec.Validate(t.Context(), set) {
				got = append(got, f.Code+" "+f.Operation+" "+f.Place+": "+f.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
