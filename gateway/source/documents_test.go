package source_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestRealDocuments names the operations of real documents, which lie in the
// folder TG_TESTDATA: every one gets a name of its own, which is its operationId
// wherever that is legal and no other is like it.
func TestRealDocuments(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	files, err := filepath.Glob(filepath.Join(folder, "openapi", "specs", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	operations, kept, derived, hashed := 0, 0, 0, 0
	for _, file := range files {
		items := operationsOf(t, file)
		var report diag.Report
		seen := map[string]string{}
		for i, c := range source.Choose(diag.NewCursor(&report, nil), source.Config{Namespace: "api"}, items) {
			fold := tool.FoldName(c.Name)
			if c.Left != "" || !legal.MatchString(c.Name) || seen[fold] != "" {
				t.Errorf("%s: %s has the name %s, with that of %q: %s", file, items[i].Original, c.Name, seen[fold], c.Left)
			}
			seen[fold] = items[i].Original
			switch {
			case c.Name == "api-"+items[i].Original:
				kept++
			case strings.HasPrefix(items[i].Original, items[i].Method+" "):
				derived++
			default:
				if len(c.Name) > 7 && c.Name[len(c.Name)-7] == '_' && isHash(c.Name[len(c.Name)-6:]) {
					hashed++
				}
			}
		}
		operations += len(items)
	}
	t.Logf("%d operations of %d files: %d keep their operationId, %d have none, %d have a hash", operations, len(files), kept, derived, hashed)
	if operations < 8_000 || kept < operations/2 {
		t.Errorf("%d operations were named, of which %d keep their name", operations, kept)
	}
}

func isHash(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }

// methods are the keys of a path that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// maxYAML keeps the test from reading for long what says nothing new of names.
const maxYAML = 1 << 20

// operationsOf reads no more of a document than names need.
func operationsOf(t *testing.T, file string) []source.Item {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(file) != ".json" {
		data = asJSON(data)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if json.Unmarshal(data, &doc) != nil {
		return nil // what lies beside the documents, and the large ones
	}
	var out []source.Item
	for path, item := range doc.Paths {
		for method, value := range item {
			var o struct {
				OperationID string `json:"operationId"`
			}
			if slices.Contains(methods, method) && json.Unmarshal(value, &o) == nil {
				out = append(out, op(o.OperationID, strings.ToUpper(method)+" "+path))
			}
		}
	}
	slices.SortFunc(out, func(a, b source.Item) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return out
}

// asJSON is the paths of a document in YAML; nil for what is none.
func asJSON(data []byte) []byte {
	var doc struct {
		Paths map[string]map[string]any `yaml:"paths" json:"paths"`
	}
	if len(data) > maxYAML || yaml.Unmarshal(data, &doc) != nil {
		return nil
	}
	for _, item := range doc.Paths {
		for method, value := range item {
			o, _ := value.(map[string]any)
			id, _ := o["operationId"].(string)
			item[method] = map[string]string{"operationId": id}
		}
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return nil
	}
	return out
}
