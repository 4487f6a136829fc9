package spec

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/document"
)

// What the normal form of an operation has beside OpenAPI.
const (
	schemaNumber = "x-schema" // of a schema: under which number the reader has it
	binaryMark   = "x-binary" // of an encoding: bytes are sent
)

// decode reads parameters and body from the normal form of an operation.
func (r *reader) decode(op *Operation, normal document.Node, kind string) error {
	var model openapi3.Operation
	if err := json.Unmarshal(normal.JSON(), &model); err != nil {
		return err
	}
	for _, ref := range model.Parameters {
		p, err := r.parameterOf(ref.Value)
		if err != nil {
			return err
		}
		op.Parameters = append(op.Parameters, p)
	}
	if model.RequestBody == nil {
		return nil
	}
	b := model.RequestBody.Value
	op.Body = &Body{Kind: kind, Required: b.Required, Description: strings.TrimSpace(b.Description)}
	for media, entry := range b.Content {
		op.Body.Media = media
		op.Body.Schema = r.numbered(entry.Schema)
		op.Body.Encodings = encodingsOf(entry.Encoding)
	}
	return nil
}

func (r *reader) parameterOf(p *openapi3.Parameter) (Parameter, error) {
	out := Parameter{
		Name: p.Name, In: p.In, Required: p.Required, Deprecated: p.Deprecated, AllowReserved: p.AllowReserved,
	}
	for media, entry := range p.Content {
		out.Media, out.Schema = media, r.numbered(entry.Schema)
		return out, nil
	}
	out.Schema = r.numbered(p.Schema)
	if p.In == InQueryString {
		out.Style, out.Explode = StyleForm, true
		return out, nil
	}
	how, err := p.SerializationMethod()
	if err != nil {
		return Parameter{}, err
	}
	out.Style, out.Explode = how.Style, how.Explode
	return out, nil
}

// numbered converts the schema that a number stands for.
func (r *reader) numbered(ref *openapi3.SchemaRef) json.RawMessage {
	if ref == nil || ref.Value == nil {
		return json.RawMessage("{}")
	}
	var i int
	if _, err := fmt.Sscan(fmt.Sprint(ref.Value.Extensions[schemaNumber]), &i); err != nil || i < 0 || i >= len(r.schemas) {
		return json.RawMessage("{}")
	}
	s := r.schemas[i]
	if s.node == nil {
		return json.RawMessage("{}")
	}
	return r.schema(s)
}

func encodingsOf(all map[string]*openapi3.Encoding) map[string]Encoding {
	out := make(map[string]Encoding, len(all))
	for name, e := range all {
		binary, _ := e.Extensions[binaryMark].(bool)
		own := Encoding{Media: e.ContentType, Binary: binary, AllowReserved: e.AllowReserved}
		if how := e.SerializationMethod(); e.Style != "" || e.Explode != nil || e.AllowReserved {
			own.Style, own.Explode = how.Style, how.Explode
			if e.Explode == nil && how.Style != StyleForm {
				own.Explode = false
			}
		}
		out[name] = own
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (r *reader) isOld() bool { return r.version == dialect.V20 }
