package assembly

import (
	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/openapi/spec"
)

// BytesPerToken is about how many bytes of English and JSON models count as one
// token.
const BytesPerToken = 4

// Items are operations of a document as package source knows them, in their order.
func Items(operations []*spec.Operation) []source.Item {
	items := make([]source.Item, len(operations))
	for i, op := range operations {
		name := Original(op)
		items[i] = source.Item{Original: name, Name: name, Method: op.Method, Path: op.Path, Tags: op.Tags}
	}
	return items
}

// Original is the document's own name of an operation, by which the configuration
// overrides it: its operationId, else METHOD and path.
func Original(op *spec.Operation) string {
	if op.ID != "" {
		return op.ID
	}
	return op.Method + " " + op.Path
}
