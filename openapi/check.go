package openapi

import (
	"encoding/json"
	"strings"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/spec"
)

// maxChecked is the longest answer that is held against its schema, in bytes: what
// it finds is a note for people, for which no call should wait.
const maxChecked = 256 << 10

// maxPlaces is how many places that do not match are named. The values there are
// not: they may be what the record of calls must not hold.
const maxPlaces = 5

// check makes what holds the answers of an operation against their schema; nil
// where the document has none.
func (s *Service) check(op *spec.Operation) func(body []byte) string {
	if op.Output == nil {
		return nil
	}
	wanted := schema.Later([]string{answerName}, nil, false, func() json.RawMessage { return s.doc.Answer(op) })
	return func(body []byte) string {
		if len(body) > maxChecked {
			return ""
		}
		value, err := schema.Decode(body)
		if err != nil {
			return ""
		}
		places := wanted.Misfits(map[string]any{answerName: value}, maxPlaces)
		if len(places) == 0 {
			return ""
		}
		return "the answer does not match the schema of the document at " + strings.Join(places, ", ")
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
