package dialect

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/openapi/document"
)

// maxHops is the longest chain of references that say nothing but where to look
// further.
const maxHops = 100

// maxKey is the longest key of a definition, in bytes, before a number is added.
const maxKey = 120

// target is a schema and where it stands.
type target struct {
	file  *document.File
	node  *document.Node
	scope *scope // the schemas around it
}

// within is the scope of what stands in the target.
func (t target) within() *scope {
	if t.node.Get("$defs") == nil && t.node.Get("definitions") == nil {
		return t.scope
	}
	return &scope{at: t, around: t.scope}
}

// scope is a schema with definitions of its own, and those around it.
type scope struct {
	at     target
	around *scope
}

// lookup is a reference as it stands in a file and a scope.
type lookup struct {
	file  *document.File
	ref   string
	scope *scope
	root  *document.Node
}

// found is what a lookup came to.
type found struct {
	target
	code, text string // of the problem; empty when there is none
	name       string // the last part of the last reference of the chain
}

// definition is what one key is of: a schema, converted with its unions or bare, by
// itself or as a part of an owner that was nested too deep.
type definition struct {
	node, owner *document.Node
	bare        bool
}

// resolve finds the schema that a reference refers to, over references that say
// nothing but where to look further.
func (c *Converter) resolve(x context, ref string) found {
	at := lookup{file: x.file, ref: ref, scope: x.scope}
	if ref == "#" {
		at.root = x.root.node
	}
	if f, ok := c.targets[at]; ok {
		return f
	}
	f := c.follow(x, ref)
	c.targets[at] = f
	return f
}

func (c *Converter) follow(x context, ref string) found {
	for range maxHops {
		f := c.step(x, ref)
		if f.code != "" {
			return f
		}
		next := textOf(f.node.Get("$ref"))
		if next == "" || !c.isPure(f.node) {
			return f
		}
		x.file, x.scope, x.root, ref = f.file, f.scope, f.target, next
	}
	return lost(ref, document.DanglingReference, fmt.Sprintf("leads back to itself, or over more than %d references", maxHops))
}

// isPure reports whether a schema with a reference says nothing else.
func (c *Converter) isPure(n *document.Node) bool {
	if c.version < V31 {
		return !c.nullable(n)
	}
	return !slices.ContainsFunc(n.Members, func(m document.Member) bool { return m.Name != "$ref" && isKeyword(m.Name) })
}

// step finds what one reference refers to.
func (c *Converter) step(x context, ref string) found {
	if ref == "#" && isDocument(x.file) {
		return found{target: x.root, name: "root"}
	}
	file, node, err := c.find.Find(x.file, ref)
	if err == nil && node != nil {
		t := target{file: file, node: node, scope: scopeOf(file, ref)}
		if !isSchema(ref, node) {
			return lost(ref, NotASchema, "what stands there is no schema")
		}
		return found{target: t, name: nameOf(ref)}
	}
	for s := x.scope; s != nil; s = s.around {
		if n := inside(s.at.node, ref); n != nil {
			return found{target: target{file: s.at.file, node: n, scope: s}, name: nameOf(ref)}
		}
	}
	return broken(ref, err)
}

// broken is what comes of a reference that a Finder has not found.
func broken(ref string, err error) found {
	if bad, ok := errors.AsType[*document.RefError](err); ok {
		return found{code: bad.Code, text: bad.Error()}
	}
	return lost(ref, document.DanglingReference, "there is nothing")
}

// lost is what comes of a reference that leads nowhere.
func lost(ref, code, text string) found {
	return found{code: code, text: (&document.RefError{Ref: ref, Code: code, Text: text}).Error()}
}

// isDocument reports whether a file is an OpenAPI document and no schema itself.
func isDocument(file *document.File) bool {
	if file == nil {
		return true
	}
	return file.Root.Get("openapi") != nil || file.Root.Get("swagger") != nil || file.Root.Get("paths") != nil
}

// inside follows a pointer from a schema that has definitions of its own.
func inside(n *document.Node, ref string) *document.Node {
	if !strings.HasPrefix(ref, "#/$defs/") && !strings.HasPrefix(ref, "#/definitions/") {
		return nil
	}
	for _, token := range strings.Split(ref[2:], "/") {
		n = member(n, unescape(token))
	}
	return n
}

// member is the member of an object or the item of an array; nil for none.
func member(n *document.Node, token string) *document.Node {
	if n == nil || n.Kind != document.Array {
		return n.Get(token)
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(n.Members) {
		return nil
	}
	return &n.Members[i].Value
}

// scopeOf are the schemas around what a pointer points to that have definitions of
// their own.
func scopeOf(file *document.File, ref string) (s *scope) {
	_, fragment, _ := strings.Cut(ref, "#")
	if !strings.Contains(fragment, "/$defs/") && !strings.Contains(fragment, "/definitions/") || file == nil {
		return nil
	}
	n := file.Root
	for i, token := range strings.Split(fragment, "/") {
		if i == 0 { // before the first slash
			continue
		}
		if n == nil {
			return s
		}
		if n != file.Root || !isDocument(file) {
			s = target{file: file, node: n, scope: s}.within()
		}
		n = member(n, unescape(token))
	}
	return s
}

// unescape reads one part of a JSON pointer in a URI (RFC 6901 section 6).
func unescape(token string) string {
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// nameOf is what a reference calls its target: the last part of its pointer, or the
// name of the file.
func nameOf(ref string) string {
	file, fragment, _ := strings.Cut(ref, "#")
	if fragment == "" || fragment == "/" {
		base := path.Base(file)
		return strings.TrimSuffix(base, path.Ext(base))
	}
	return unescape(fragment[strings.LastIndexByte(fragment, '/')+1:])
}

// isSchema tells schemas from what else a document holds.
func isSchema(ref string, n *document.Node) bool {
	if n.Kind == document.Bool {
		return true
	}
	if n.Kind != document.Object || isComponent(ref) {
		return false
	}
	for _, name := range []string{"type", "properties", "items", "allOf", "oneOf", "anyOf", "enum", "$ref", "format"} {
		if n.Get(name) != nil {
			return true
		}
	}
	for _, name := range []string{"schema", "content", "in", "responses"} {
		if n.Get(name) != nil {
			return false
		}
	}
	return true
}

// isComponent reports whether a reference is to a component that is no schema.
func isComponent(ref string) bool {
	_, fragment, _ := strings.Cut(ref, "#")
	parts := strings.Split(strings.TrimPrefix(fragment, "/components"), "/")
	if len(parts) != 3 || parts[0] != "" {
		return false
	}
	switch parts[1] {
	case "responses", "parameters", "examples", "requestBodies", "headers", "securitySchemes", "securityDefinitions", "links", "callbacks", "pathItems", "paths", "mediaTypes":
		return true
	}
	return false
}

// define gives the key of a definition, and has it converted unless it was.
func (c *Converter) define(x context, name string, d definition) string {
	if key, ok := c.keys[d]; ok {
		return key
	}
	if d.bare {
		name += "_base"
	}
	key := c.key(name)
	c.keys[d] = key
	c.waiting = append(c.waiting, task{context: x, key: key, node: d.node})
	return key
}

// key makes a key of a name that no other definition has.
func (c *Converter) key(name string) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '_'
	}, name)
	if base = base[:min(len(base), maxKey)]; base == "" {
		base = "schema"
	}
	key, i := base, max(c.taken[base], 1)
	for ; c.taken[key] > 0; i++ { // from where the last search for this name ended
		key = base + "_" + strconv.Itoa(i+1)
	}
	c.taken[base] = i
	c.taken[key] = max(c.taken[key], 1)
	return key
}
