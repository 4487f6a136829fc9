package openapi

import (
	"encoding/json"
	"strings"
	"sync"

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

// Limits on what is kept of schemas of answers.
const (
	maxAnswerSchema = 64 << 10 // bytes of one with all that it refers to; answers of a larger one are not checked
	maxAnswers      = 64       // operations whose schema is kept compiled, those that answered last
)

// check makes what holds the answers of an operation against their schema; nil
// where the document has none.
func (s *Service) check(op *spec.Operation) func(body []byte) string {
	if op.Output == nil {
		return nil
	}
	return func(body []byte) string {
		if len(body) > maxChecked {
			return ""
		}
		wanted := s.answers.of(s.doc, op)
		if wanted == nil {
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

// answers are the schemas of answers that came last. A compiled one takes many times
// the size of its text, and a document may have thousands.
type answers struct {
	mu    sync.Mutex                         // guards what follows
	known map[*spec.Operation]*schema.Schema // nil for one that is too large
	order []*spec.Operation                  // of those that are no nil, the oldest first
}

// of is the schema of the answers of an operation; nil when they are not checked.
func (a *answers) of(doc *Document, op *spec.Operation) *schema.Schema {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, ok := a.known[op]; ok {
		return s
	}
	if a.known == nil {
		a.known = map[*spec.Operation]*schema.Schema{}
	}
	text := doc.Answer(op)
	if len(text) > maxAnswerSchema {
		a.known[op] = nil
		return nil
	}
	if len(a.order) == maxAnswers {
		delete(a.known, a.order[0])
		a.order = a.order[1:]
	}
	s := schema.Later([]string{answerName}, nil, false, func() json.RawMessage { return text })
	a.known[op], a.order = s, append(a.order, op)
	return s
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
