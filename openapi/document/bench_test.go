package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/openapi/document"
)

// BenchmarkParse reads a document of 2,000 operations, and prints what that takes
// against decoding the same text with encoding/json.
func BenchmarkParse(b *testing.B) {
	data := []byte(manyOperations(2000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var ours, theirs time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := document.Parse("a.json", data); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(began)
		b.StopTimer()
		began = time.Now()
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
		theirs += time.Since(began)
		b.StartTimer()
	}
	b.ReportMetric(float64(ours)/float64(theirs), "×encoding/json")
}

// manyOperations is a document in the shape of real ones: about 1 KiB for each
// operation.
func manyOperations(n int) string {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Many","version":"1"},"paths":{`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `  "/things/{id}/part-%d": {
    "get": {"operationId": "parts/get-%d", "summary": "Get part %d of a thing", "tags": ["parts"],
      "description": "%s\nSee the [documentation](https://example.com/docs/%d).",
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}},
        {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1, "maximum": 9007199254740993}},
        {"$ref": "#/components/parameters/per-page"}],
      "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/part"}}}},
        "404": {"$ref": "#/components/responses/not_found"}}}}`, i, i, i, strings.Repeat("Words about it. ", 20), i)
	}
	return b.String() + `}}`
}
