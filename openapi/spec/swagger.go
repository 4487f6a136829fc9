package spec

import (
	"strings"

	"github.com/toolgate/toolgate/openapi/document"
)

// Swagger 2.0 differs from OpenAPI 3 in how operations are written: the schema of
// a parameter is the parameter itself, arrays have a collectionFormat, and the
// body and the fields of a form are parameters.

// oldSchema is the schema and the style of a parameter. An array without a
// collectionFormat is separated by commas (Swagger 2.0, Parameter Object).
func (r *reader) oldSchema(p parameter) []document.Member {
	members := []document.Member{{Name: "schema", Value: r.stub(schemaOfParameter(p.spot))}}
	style, explode := collection(p.spot, p.in)
	if format := p.get("collectionFormat"); !collected(p.text("collectionFormat"), p.in) {
		r.warn(format, "unknown-style", "the parameter %q cannot be written in the collectionFormat %q in its place; commas are written", p.name, p.text("collectionFormat"))
	}
	return append(members,
		document.Member{Name: "style", Value: document.Text(style)},
		document.Member{Name: "explode", Value: document.Flag(explode)},
	)
}

// collection is the style that writes an array as the collectionFormat says.
func collection(p spot, in string) (style string, explode bool) {
	if in == InPath || in == InHeader {
		return StyleSimple, false
	}
	switch strings.ToLower(p.text("collectionFormat")) {
	case "multi":
		return StyleForm, true
	case "ssv":
		return StyleSpace, false
	case "tsv":
		return StyleTab, false
	case "pipes":
		return StylePipe, false
	}
	return StyleForm, false
}

// collected reports whether lists can be written in a collectionFormat in a place.
func collected(format, in string) bool {
	switch strings.ToLower(format) {
	case "", "csv":
		return true
	case "multi", "ssv", "tsv", "pipes":
		return in == InQuery || in == inForm
	}
	return false
}

// schemaOfParameter is the schema that a parameter of Swagger 2.0 is itself, or
// has, where its author wrote it as OpenAPI 3 does.
func schemaOfParameter(p spot) spot {
	if s := p.get("schema"); s.isObject() {
		return s
	}
	return spot{p.file, p.node.Without("name", "in", "required", "description", "collectionFormat", "allowEmptyValue")}
}
