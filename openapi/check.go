package openapi

import (
	"encoding/json"
	"sync"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/spec"
)

// maxChecked is the longest answer that is held against its schema, in bytes: what
// it finds is a note for people, for which no call should wait.
const maxChecked = 256 << 10

// check makes what holds the answers of an operation against their schema; nil
// where the document has none.
func (s *Service) check(op *spec.Operation) func(body []byte) string {
	if op.Output == nil {
		return nil
	}
	compiled := sync.OnceValue(func() *schema.Schema {
		c, err := schema.Compile(s.doc.Answer(op))
		if err != nil {
			return nil // what it would have told of is no fault of the answer
		}
		return c
	})
	return func(body []byte) string {
		if len(body) > maxChecked {
			return ""
		}
		c := compiled()
		if c == nil {
			return ""
		}
		value, err := schema.Decode(body)
		if err != nil {
			return ""
		}
		if err := c.Validate(map[string]any{answerName: value}); err != nil {
			return "the answer does not match the schema of the document: " + err.Error()
		}
		return ""
	}
}

const answerName = "answer"

// Answer is the schema of an object whose one member, "answer", is what the
// operation answers; nil where the document has no schema for that.
func (d *Document) Answer(op *spec.Operation) json.RawMessage {
	if op.Output == nil {
		return nil
	}
	text := append([]byte(`{"type":"object","properties":{"`+answerName+`":`), op.Output...)
	text = append(text, `}`...)
	keys := dialect.Reachable(d.Outputs, op.Output)
	for i, key := range keys {
		if i == 0 {
			text = append(text, `,"$defs":{`...)
		} else {
			text = append(text, ',')
		}
		name, _ := json.Marshal(key)
		text = append(append(append(text, name...), ':'), d.Outputs[key]...)
	}
	if len(keys) > 0 {
		text = append(text, '}')
	}
	return append(text, '}')
}
