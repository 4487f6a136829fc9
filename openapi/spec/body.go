package spec

import (
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/document"
)

// body is the normal form of the body of an operation, with the one media type
// that is going to be sent, and its kind; nil for none.
func (r *reader) body(at spot, p *parameters) (normal *document.Node, kind string, err error) {
	if r.version == dialect.V20 {
		return r.oldBody(at, p)
	}
	written := at.get("requestBody")
	if written.node == nil {
		return nil, "", nil
	}
	b, err := r.resolve(written)
	if err != nil {
		return nil, "", unresolved(written, "the body", err)
	}
	content := b.get("content").members()
	if len(content) == 0 {
		if b.isObject() && b.node.Bool("required") {
			return nil, "", &flaw{at: written, code: "body-without-content", text: "the body is needed, and nothing says what it is"}
		}
		r.warn(written, "body-without-content", "the body has no content and is left out")
		return nil, "", nil
	}
	names := make([]string, len(content))
	for i, c := range content {
		names[i] = c.name
	}
	chosen := content[r.choose(names, func(i int) spot {
		entry, _ := r.resolve(content[i].spot)
		return entry.get("schema")
	})]
	entry, err := r.resolve(chosen.spot)
	if err != nil {
		return nil, "", unresolved(chosen.spot, "the content of the body", err)
	}
	schema := entry.get("schema")
	kind = r.kindOf(chosen.name, schema)
	if items := entry.get("itemSchema"); schema.node == nil && items.node != nil && kind == BodyJSON { // OpenAPI 3.2: a list of these
		list := document.Map(document.Member{Name: "type", Value: document.Text("array")}, document.Member{Name: "items", Value: *items.node})
		schema = spot{items.file, &list}
	}
	media := document.Map(
		document.Member{Name: "schema", Value: r.stub(schema)},
		document.Member{Name: "encoding", Value: r.encodings(kind, schema, entry.get("encoding"))},
	)
	return r.normalBody(b, r.sent(chosen.spot, chosen.name, kind), media), kind, nil
}

func (r *reader) normalBody(b spot, media string, entry document.Node) *document.Node {
	n := document.Map(
		document.Member{Name: "required", Value: document.Flag(b.node.Bool("required"))},
		document.Member{Name: "description", Value: document.Text(b.node.String("description"))},
		document.Member{Name: "content", Value: document.Map(document.Member{Name: media, Value: entry})},
	)
	return &n
}

// oldBody is the body of Swagger 2.0: the parameter that is the body, or the
// fields of a form.
func (r *reader) oldBody(at spot, p *parameters) (normal *document.Node, kind string, err error) {
	consumes := at.texts("consumes")
	if at.node.Get("consumes") == nil {
		consumes = r.root.texts("consumes")
	}
	switch {
	case len(p.body) > 0:
		for _, f := range p.form {
			r.warn(f.spot, "field-beside-body", "the field %q is left out: a request has one body, which is the parameter in: body", f.name)
		}
		if len(consumes) == 0 {
			consumes = []string{MediaJSON}
		}
		b := p.body[0]
		schema := schemaOfParameter(b.spot)
		media := consumes[r.choose(consumes, func(int) spot { return schema })]
		kind = r.kindOf(media, schema)
		if kind == BodyForm || kind == BodyMultipart { // these are written as fields, not as a body
			media, kind = MediaJSON, BodyJSON
		}
		entry := document.Map(document.Member{Name: "schema", Value: r.stub(schema)})
		return r.normalBody(b.spot, r.sent(at, media, kind), entry), kind, nil
	case len(p.form) > 0:
		normal, kind = r.oldForm(at, consumes, p.form)
		return normal, kind, nil
	}
	return nil, "", nil
}

// oldForm makes one object of the fields of a form. One that has a file is
// multipart, whatever the document consumes (Swagger 2.0, Parameter Object).
func (r *reader) oldForm(at spot, consumes []string, fields []parameter) (*document.Node, string) {
	media, kind := MediaForm, BodyForm
	isForm := func(m string) bool { return Essence(m) == MediaForm }
	for _, m := range consumes {
		if isMultipart(m) && !slices.ContainsFunc(consumes, isForm) {
			media, kind = m, BodyMultipart
		}
	}
	var properties, encodings []document.Member
	var required []document.Node
	for _, f := range fields {
		schema := schemaOfParameter(f.spot).node
		if strings.EqualFold(f.text("type"), "file") {
			media, kind = MediaMultipart, BodyMultipart
		}
		if d := f.node.Get("description"); d != nil {
			schema = schema.With("description", *d)
		}
		properties = append(properties, document.Member{Name: f.name, Value: *schema})
		if f.node.Bool("required") {
			required = append(required, document.Text(f.name))
		}
		if f.text("type") == "array" {
			style, explode := collection(f.spot, inForm)
			encodings = append(encodings, document.Member{Name: f.name, Value: document.Map(
				document.Member{Name: "style", Value: document.Text(style)}, document.Member{Name: "explode", Value: document.Flag(explode)},
			)})
		}
	}
	schema := document.Map(
		document.Member{Name: "type", Value: document.Text("object")},
		document.Member{Name: "properties", Value: document.Map(properties...)},
		document.Member{Name: "required", Value: document.Items(required...)},
	)
	written := spot{at.file, &schema}
	declared := document.Map(encodings...)
	entry := document.Map(
		document.Member{Name: "schema", Value: r.stub(written)},
		document.Member{Name: "encoding", Value: r.encodings(kind, written, spot{at.file, &declared})},
	)
	body := document.Map(document.Member{Name: "required", Value: document.Flag(len(required) > 0)})
	return r.normalBody(spot{at.file, &body}, r.sent(at, media, kind), entry), kind
}

// encodings says how the properties of a form or multipart body are written:
// what the document says of it, and which of them are bytes.
func (r *reader) encodings(kind string, schema, declared spot) document.Node {
	if kind != BodyForm && kind != BodyMultipart {
		return document.Map()
	}
	var all []document.Member
	said := map[string]spot{}
	for _, e := range declared.entries() {
		said[e.name] = e.spot
	}
	for _, p := range r.properties(schema) {
		e := said[p.name]
		var members []document.Member
		if m := e.text("contentType"); m != "" {
			members = append(members, document.Member{Name: "contentType", Value: document.Text(m)})
		}
		style, explode, reserved := e.text("style"), e.node.Get("explode"), e.node.Get("allowReserved")
		if style != "" && contains(stylesOf(InQuery), style) {
			members = append(members, document.Member{Name: "style", Value: document.Text(style)})
		} else if style != "" {
			r.warn(e.get("style"), "unknown-style", "the property %q cannot be written in the style %q in a body; the usual one is taken", p.name, style)
		}
		if explode != nil && explode.Kind == document.Bool {
			members = append(members, document.Member{Name: "explode", Value: document.Flag(explode.Text == "true")})
		}
		if reserved != nil && reserved.Kind == document.Bool {
			members = append(members, document.Member{Name: "allowReserved", Value: document.Flag(reserved.Text == "true")})
		}
		if kind == BodyMultipart && r.in.Binary(p.file, p.node) {
			members = append(members, document.Member{Name: binaryMark, Value: document.Flag(true)})
		}
		if len(members) > 0 {
			all = append(all, document.Member{Name: p.name, Value: document.Map(members...)})
		}
	}
	return document.Map(all...)
}

// properties are those of an object schema, behind references and in branches
// too; the first of a name stands.
func (r *reader) properties(schema spot) []named {
	w := propertyWalk{reader: r, seen: map[*document.Node]bool{}, names: map[string]bool{}}
	w.walk(schema)
	return w.all
}

// propertyWalk gathers properties. It looks at each schema once, as branches may
// lead back to where they came from.
type propertyWalk struct {
	*reader
	seen  map[*document.Node]bool
	names map[string]bool
	all   []named
}

func (w *propertyWalk) walk(schema spot) {
	s, err := w.resolve(schema)
	if err != nil || s.node == nil || w.seen[s.node] {
		return
	}
	w.seen[s.node] = true
	for _, p := range s.get("properties").entries() {
		if !w.names[p.name] {
			w.names[p.name] = true
			w.all = append(w.all, p)
		}
	}
	for _, combined := range []string{"allOf", "oneOf", "anyOf"} {
		for _, branch := range s.get(combined).items() {
			w.walk(branch)
		}
	}
}
