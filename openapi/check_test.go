package openapi_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// checker is what holds answers of an operation against their schema.
func checker(t *testing.T, d *openapi.Document, op *spec.Operation) func([]byte) string {
	t.Helper()
	client := httptool.NewClient(nil)
	t.Cleanup(func() { _ = client.Close() })
	var problems diag.Report
	s := openapi.New(cursor(&problems), openapi.Config{BaseURL: nowhere}, d, openapi.Deps{Client: client})
	if s == nil {
		t.Fatal(problems.Problems())
	}
	return openapi.Checker(s, op)
}

// answering is a document of one operation whose answers have a schema.
func answering(t *testing.T, schema string) *openapi.Document {
	t.Helper()
	return written(t, fmt.Sprintf(`{"openapi":"3.0.3","info":{"title":"T","version":"1"},
"paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"schema":%s}}}}}}},
"components":{"schemas":{"Tree":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"leaves":{"type":"array","items":{"$ref":"#/components/schemas/Tree"}},"note":{"type":"string","nullable":true}}}}}}`, schema), "")
}

// TestCheck holds what is said of answers: the places that do not match, and no
// values.
func TestCheck(t *testing.T) {
	t.Parallel()
	const tree, start = `{"$ref":"#/components/schemas/Tree"}`, "the answer does not match the schema of the document at "
	deep := strings.Repeat(`{"id":1,"leaves":[`, 20) + `{"id":"SECRET"}` + strings.Repeat("]}", 20)
	wrong := `[` + strings.Repeat(`"SECRET",`, 9) + `1]`
	for _, c := range []struct{ name, schema, body, want string }{
		{"object", tree, `{"id":1,"leaves":[{"id":2}],"more":true}`, ""},
		{"null", tree, `{"id":1,"note":null}`, ""},
		{"wrong type", tree, `{"id":"SECRET"}`, start + "answer.id"},
		{"missing", tree, `{}`, start + "answer.id"},
		{"inside", tree, `{"id":1,"leaves":[{"id":2},{"id":"SECRET","note":5}]}`, start + "answer.leaves[1].id, answer.leaves[1].note"},
		{"deep", tree, deep, start + "answer" + strings.Repeat(".leaves[0]", 20) + ".id"},
		{"scalar for an object", tree, `"SECRET"`, start + "answer"},
		{"array", `{"type":"array","items":{"type":"integer"}}`, `[1,2]`, ""},
		{"array of others", `{"type":"array","items":{"type":"integer"}}`, `[1,"SECRET"]`, start + "answer[1]"},
		{"many", `{"type":"array","items":{"type":"integer"}}`, wrong, start + "answer[0], answer[1], answer[2], answer[3], answer[4], and 4 more"},
		{"scalar", `{"type":"integer"}`, `5`, ""},
		{"wrong scalar", `{"type":"integer"}`, `"SECRET"`, start + "answer"},
		{"large number", `{"type":"integer"}`, `123456789012345678901234567890`, ""},
		{"anything", `{}`, `[{"a":1}]`, ""},
		{"not JSON", tree, `<html>`, ""},
		{"empty", tree, ``, ""},
		{"too large", tree, `{"id":"` + strings.Repeat("x", openapi.MaxChecked) + `"}`, ""},
		{"just as large as is checked", tree, `{"id":"` + strings.Repeat("x", openapi.MaxChecked-9) + `"}`, start + "answer.id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := answering(t, c.schema)
			if diff := cmp.Diff(c.want, checker(t, d, d.Operations[0])([]byte(c.body))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoCheck holds that there is nothing to check where the document has no
// schema.
func TestNoCheck(t *testing.T) {
	t.Parallel()
	d := written(t, head30+"paths: {/a: {get: {responses: {200: {content: {text/csv: {schema: {type: string}}}}}}}}\n", "")
	if checker(t, d, d.Operations[0]) != nil || d.Answer(d.Operations[0]) != nil {
		t.Error("there is a schema")
	}
}

// TestChecksOfRealDocuments holds that schemas of answers compile, those of Stripe
// too, of which every one refers to a thousand others.
func TestChecksOfRealDocuments(t *testing.T) {
	t.Parallel()
	step := 60 // of each document, one operation in so many is tried
	names := []string{"kubernetes-v2.json", "stripe.json", "github.json"}
	if raced {
		step, names = 200, names[:1]
	}
	for _, name := range names {
		path := filepath.Join(testdata(t), "openapi/specs", name)
		d, err := openapi.Load(t.Context(), openapi.LoadOptions{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := 0; i < len(d.Operations); i += step {
			op := d.Operations[i]
			check := checker(t, d, op)
			if check == nil {
				continue
			}
			n++
			text := d.Answer(op)
			if !json.Valid(text) {
				t.Fatalf("%s %s: no JSON", op.Method, op.Path)
			}
			s := schema.Later([]string{"answer"}, nil, false, func() json.RawMessage { return text })
			if err := s.Validate(map[string]any{}); err != nil {
				t.Errorf("%s: %s %s: %v", name, op.Method, op.Path, err)
			}
			_ = check([]byte(`{}`))
		}
		if n == 0 {
			t.Errorf("%s: nothing to check", name)
		}
	}
}
