package wire

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
)

const (
	mediaText   = "text/plain"
	mediaBinary = "application/octet-stream"
)

// property is a member of a body that is an object, in the order in which it is
// sent.
type property struct {
	name  string
	arg   string // of the argument that has it, for messages
	value any
}

// body is the body of a call and its media type; nil for none.
func body(op *spec.Operation, args map[string]any) (data []byte, media string, err error) {
	b := op.Body
	if b == nil {
		return nil, "", nil
	}
	media = mediaOf(b)
	if b.Arg != "" {
		value, given := args[b.Arg]
		if !given || value == nil && b.Kind != spec.BodyJSON {
			return nil, "", nil
		}
		data, media, err = whole(b, media, value)
		return data, media, named(b.Arg, err)
	}
	given, err := properties(op, args)
	if err != nil {
		return nil, "", err
	}
	if len(given) == 0 && !b.Required {
		return nil, "", nil
	}
	switch b.Kind {
	case spec.BodyForm:
		data, err = formOf(given, b.Fields, b.Encodings)
	case spec.BodyMultipart:
		data, media, err = multipartOf(given, b.Fields, b.Encodings, media)
	default:
		data, err = objectOf(given)
	}
	return data, media, err
}

// mediaOf is the type that is sent. One with a wildcard says that any will do, and
// one that no header can hold says nothing.
func mediaOf(b *spec.Body) string {
	if b.Media != "" && !strings.Contains(spec.Essence(b.Media), "*") && isHeaderValue(b.Media) {
		return b.Media
	}
	switch b.Kind {
	case spec.BodyJSON:
		return spec.MediaJSON
	case spec.BodyForm:
		return spec.MediaForm
	case spec.BodyMultipart:
		return spec.MediaMultipart
	case spec.BodyText:
		return mediaText
	}
	return mediaBinary
}

// properties are the members of a body that is made of several arguments: its
// fields in their order, and where it is open whatever is no argument of
// something else. It refuses one under the name that a field is sent as.
func properties(op *spec.Operation, args map[string]any) ([]property, error) {
	var out []property
	taken, owners := map[string]bool{}, fieldClaims(op.Body.Fields, verbatim.text)
	for _, f := range op.Body.Fields {
		taken[f.Arg] = true
		if value, given := args[f.Arg]; given {
			out = append(out, property{f.Name, f.Arg, value})
		}
	}
	if !op.Body.Open {
		return out, nil
	}
	for i := range op.Parameters {
		taken[op.Parameters[i].Arg] = true
	}
	for _, name := range sorted(args) {
		if taken[name] {
			continue
		}
		if err := owners.one(name, name); err != nil {
			return nil, err
		}
		out = append(out, property{name, name, args[name]})
	}
	return out, nil
}

// fieldClaims are the claims of the fields of a body, given or not, by their names
// as they are sent.
func fieldClaims(fields []spec.Field, sent func(name string) string) claims {
	c := claims{}
	for _, f := range fields {
		c[sent(f.Name)] = f.Arg
	}
	return c
}

// claimAll adds those of properties, which come from one argument or are fields.
func (c claims) claimAll(members []property, sent func(name string) string) claims {
	for _, m := range members {
		c[sent(m.name)] = m.arg
	}
	return c
}

// propertiesOf are the members of an object, sorted.
func propertiesOf(object map[string]any) []property {
	out := make([]property, 0, len(object))
	for _, name := range sorted(object) {
		out = append(out, property{name, name, object[name]})
	}
	return out
}

// whole is a body that is one argument.
func whole(b *spec.Body, media string, value any) (data []byte, sent string, err error) {
	switch b.Kind {
	case spec.BodyJSON:
		data, err = marshal(value)
		return data, media, err
	case spec.BodyBinary:
		data, err = decode(b.Arg, value)
		return data, media, err
	case spec.BodyText:
		text, err := textOf(value)
		return []byte(text), media, err
	}
	members, isObject := value.(map[string]any)
	text, isText := value.(string)
	switch {
	case b.Kind == spec.BodyMultipart && isObject:
		return multipartOf(propertiesOf(members), nil, b.Encodings, media)
	case b.Kind == spec.BodyForm && isObject:
		data, err = formOf(propertiesOf(members), nil, b.Encodings)
		return data, media, err
	case b.Kind == spec.BodyForm && isText:
		return []byte(text), media, nil // a form that the caller wrote
	}
	return nil, "", tool.Errorf(tool.InvalidArgs, "%s is sent as a form, and what it holds is no object", quote(b.Arg)).
		WithHint("Send an object whose members are the fields of the form.")
}

// objectOf writes properties as a JSON object in their order.
func objectOf(members []property) ([]byte, error) {
	var b bytes.Buffer
	taken := map[string]bool{}
	b.WriteByte('{')
	for i, m := range members {
		name, err := marshal(m.name)
		if err != nil {
			return nil, err
		}
		if taken[string(name)] { // of texts that are not UTF-8
			return nil, clash(m.arg, m.name)
		}
		taken[string(name)] = true
		value, err := marshal(m.value)
		if err != nil {
			return nil, named(m.arg, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// formOf writes properties as a form (WHATWG URL section 5.2). Without a style a
// property is content: a text, a text per item of a list, JSON of an object
// (Encoding Object, contentType).
func formOf(members []property, fields []spec.Field, encodings map[string]spec.Encoding) ([]byte, error) {
	pairs, owners := []pair{}, fieldClaims(fields, form.text).claimAll(members, form.text)
	for _, m := range members {
		some, err := formPairs(m, encodings[m.name])
		if err == nil {
			err = owners.take(m.arg, some)
		}
		if err != nil {
			return nil, named(m.arg, err)
		}
		pairs = append(pairs, some...)
	}
	return []byte(joined(pairs, "&")), nil
}

func formPairs(m property, encoding spec.Encoding) ([]pair, error) {
	if encoding.Style != "" {
		s := style{arg: m.arg, name: encoding.Style, explode: encoding.Explode, names: form, values: form, limit: maxBody}
		if encoding.AllowReserved {
			s.values = reservedForm
		}
		return s.pairs(m.name, m.value)
	}
	media, contents := concrete(encoding.Media), []any{m.value}
	if items, isList := m.value.([]any); isList && !spec.IsJSON(media) {
		contents = items
	}
	var out []pair
	for _, value := range contents {
		text, present, err := content(media, value)
		if err != nil {
			return nil, err
		}
		if present {
			out = append(out, pair{form.text(m.name), form.text(text)})
		}
	}
	return out, nil
}

// decode takes the standard and the URL alphabet (RFC 4648 sections 4 and 5),
// with or without padding, on any number of lines. The bytes are never nil.
func decode(arg string, value any) ([]byte, error) {
	text, isText := value.(string)
	text = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(text)
	coding := base64.StdEncoding
	if strings.ContainsAny(text, "-_") {
		coding = base64.URLEncoding
	}
	if !strings.HasSuffix(text, "=") {
		coding = coding.WithPadding(base64.NoPadding)
	}
	data, err := coding.Strict().DecodeString(text)
	if err != nil || !isText {
		return nil, tool.Errorf(tool.InvalidArgs, "%s is sent as bytes, and what it holds is not base64", quote(arg)).Because(err).
			WithHint("Send the bytes in base64 (RFC 4648): letters, digits, + and /, no prefix such as data:.")
	}
	return data, nil
}
