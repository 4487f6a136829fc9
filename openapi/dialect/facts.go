package dialect

import (
	"strings"

	"github.com/toolgate/toolgate/openapi/document"
)

// facts are what must be known of a schema before its first keyword is written.
type facts struct {
	node          *document.Node
	types         []string // of "type", repaired; empty when there is none
	list          bool     // they are written as a list
	lost          bool     // "type" said something that is not known
	null          bool     // null is to be accepted as well
	wrap          bool     // … by an anyOf around all else
	binary        bool     // the value is bytes: base64, as all bytes are in JSON
	encoded       bool     // the value is base64 already
	above, below  bool     // minimum and maximum are exclusive
	note          string   // what is added to the description
	discriminated bool     // its oneOf is told apart by a discriminator
}

// read looks at the keywords that decide on others.
func (c *Converter) read(n *document.Node) facts {
	s := facts{node: n}
	var format, encoding, media string
	composed := false
	for i := range n.Members {
		m := &n.Members[i]
		switch v := &m.Value; m.Name {
		case "type":
			s.readTypes(v)
		case "format":
			if format = textOf(v); format == looseFormat && textOf(n.Get("description")) == "" {
				s.note = "A duration."
			}
		case "contentEncoding":
			encoding = textOf(v)
		case "contentMediaType":
			media = textOf(v)
		case "exclusiveMinimum":
			s.above = isTrue(v)
		case "exclusiveMaximum":
			s.below = isTrue(v)
		case "allOf", "oneOf", "anyOf", "const", "if", "not":
			composed = true
		case "pattern":
			if v.Kind == document.String && !c.compiles(v.Text) {
				s.note = "Must match the pattern /" + v.Text + "/."
				c.loose++
			}
		case "discriminator":
			s.discriminated = v.Kind == document.Object
		}
	}
	s.readBytes(format, encoding, media)
	s.null = c.nullable(n)
	s.wrap = s.null && composed
	if s.lost {
		c.loose++
	}
	return s
}

// readBytes finds out whether the value is bytes.
func (s *facts) readBytes(format, encoding, media string) {
	if len(s.types) > 0 && !s.has("string") {
		return
	}
	bytes := format == "binary" || encoding == "binary" || media != "" && encoding == "" && !isText(media)
	s.binary = s.binary || bytes
	s.encoded = format == "byte" && encoding == "" && !s.binary
	if (s.binary || s.encoded) && len(s.types) == 0 {
		s.types = []string{"string"}
	}
}

// isText reports whether a media type is one of texts.
func isText(media string) bool {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	media = strings.TrimSpace(media)
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "yaml") {
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/jwt", "application/javascript", "application/sql", "application/graphql", "application/x-www-form-urlencoded":
		return true
	}
	return false
}

func (s *facts) has(name string) bool {
	for _, t := range s.types {
		if t == name {
			return true
		}
	}
	return false
}

// nullable reports whether a schema of OpenAPI 3.0 or Swagger 2.0 says that null is
// accepted; later dialects have no such keyword.
func (c *Converter) nullable(n *document.Node) bool {
	switch c.version {
	case V20:
		return isTrue(n.Get("x-nullable")) || isTrue(n.Get("nullable"))
	case V30:
		return isTrue(n.Get("nullable"))
	}
	return false
}

// readTypes reads "type", which authors fill with the words of many languages.
func (s *facts) readTypes(v *document.Node) {
	s.list = v.Kind == document.Array
	if v.Kind == document.String {
		s.addType(v.Text)
	}
	for i := range v.Members {
		if s.list {
			s.addType(textOf(&v.Members[i].Value))
		}
	}
	if s.lost {
		s.types = nil
	}
}

func (s *facts) addType(word string) {
	t := typeOf(word)
	switch t {
	case "":
		s.lost = s.lost || word != ""
		return
	case "file":
		s.binary, t = true, "string"
	}
	if !s.has(t) {
		s.types = append(s.types, t)
	}
}

// typeOf is the type of JSON that a word for a type means, "file" for bytes, and
// empty where there is none.
func typeOf(word string) string {
	switch word {
	case "string", "number", "integer", "boolean", "array", "object", "null":
		return word
	}
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "string", "str", "text", "char", "varchar", "date", "datetime", "date-time", "timestamp", "time", "uuid", "guid", "uri", "url", "email", "password", "byte", "base64", "enum":
		return "string"
	case "integer", "int", "int32", "int64", "long", "short", "bigint":
		return "integer"
	case "number", "float", "double", "decimal", "numeric":
		return "number"
	case "boolean", "bool":
		return "boolean"
	case "array", "list", "set":
		return "array"
	case "object", "dict", "map", "hash", "struct":
		return "object"
	case "null", "none", "nil":
		return "null"
	case "file", "binary":
		return "file"
	}
	return ""
}

// impliedFormat is the format that a word for a type says.
func impliedFormat(v *document.Node) string {
	switch strings.ToLower(textOf(v)) {
	case "date":
		return "date"
	case "datetime", "date-time":
		return "date-time"
	case "uuid", "guid":
		return "uuid"
	}
	return ""
}

func textOf(n *document.Node) string {
	if n == nil || n.Kind != document.String {
		return ""
	}
	return n.Text
}

// isTrue reports whether a flag is set, also by authors who quote it.
func isTrue(n *document.Node) bool {
	return n != nil && (n.Kind == document.Bool || n.Kind == document.String) && n.Text == "true"
}
