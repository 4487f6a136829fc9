package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/document"
)

// methods are the keys of a path that are operations, and the methods they stand
// for (OpenAPI 3.2 section 4.9 added query).
var methods = map[string]string{
	"get": "GET", "put": "PUT", "post": "POST", "delete": "DELETE", "options": "OPTIONS",
	"head": "HEAD", "patch": "PATCH", "trace": "TRACE", "query": "QUERY",
}

// readPaths reads all operations, in the order of the document.
func (r *reader) readPaths() {
	paths := r.root.get("paths")
	if paths.node != nil && !paths.isObject() {
		r.warn(paths, "paths-not-map", "paths is no map, so the document has no operations")
	}
	for _, p := range paths.members() {
		r.operation = ""
		path := strings.Clone(p.name)
		if !strings.HasPrefix(path, "/") {
			r.warn(p.spot, "path-without-slash", "the path %q does not start with /, which is put before it", path)
			path = "/" + path
		}
		r.readPath(path, p.spot)
	}
}

// readPath reads the operations of one path, which may be a reference with more
// beside it.
func (r *reader) readPath(path string, at spot) {
	if !at.isObject() {
		if at.node != nil && at.node.Kind != document.Null {
			r.skip(path, at, &flaw{code: "path-not-map", text: "what stands under the path is no map of operations"})
		}
		return
	}
	around := item{at}
	if at.node.Get("$ref") != nil {
		found, err := r.resolve(at)
		if err != nil || !found.isObject() {
			if err == nil {
				err = fmt.Errorf("it is no map of operations")
			}
			r.skip(path, at, unresolved(at, "the path", err))
			return
		}
		around = item{found, at}
	}
	for _, part := range around.nearest() {
		r.readOperations(path, part, around)
	}
}

// item is a path: what it refers to, if it does, and what is written in its place,
// which goes first where both say something.
type item []spot

// nearest are its parts, that which goes first at the start.
func (i item) nearest() []spot {
	parts := slices.Clone(i)
	slices.Reverse(parts)
	return parts
}

// text is the member of the first part that has it.
func (i item) text(name string) string {
	for _, part := range i.nearest() {
		if text := part.text(name); text != "" {
			return text
		}
	}
	return ""
}

// readOperations reads the operations of a part of a path.
func (r *reader) readOperations(path string, part spot, around item) {
	for _, m := range part.members() {
		r.operation = ""
		method, ok := methods[m.name]
		if !ok {
			if method, ok = methods[strings.ToLower(m.name)]; ok {
				r.warn(m.spot, "upper-case-method", "the method %s of %s is written in lower case in OpenAPI", m.name, path)
			}
		}
		if ok && (method != "QUERY" || r.version == dialect.V31) {
			r.readOperation(method, path, m.spot, around)
		}
	}
	for _, m := range part.get("additionalOperations").members() { // OpenAPI 3.2
		if m.name == "CONNECT" || !isToken(m.name) {
			r.skip(m.name+" "+path, m.spot, &flaw{code: "unusable-method", text: fmt.Sprintf("the method %q cannot be sent", m.name)})
			continue
		}
		r.readOperation(strings.Clone(m.name), path, m.spot, around)
	}
}

// isToken reports whether a text can be a method (RFC 9110 section 9.1), in the
// letters and signs that are in use.
func isToken(text string) bool {
	return text != "" && strings.IndexFunc(text, func(c rune) bool {
		return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_'
	}) < 0
}

func (r *reader) readOperation(method, path string, at spot, around item) {
	if r.ctx.Err() != nil {
		return
	}
	name := method + " " + path
	r.operation, r.schemas = name, nil
	if r.full(name, at) {
		return
	}
	if r.done[name] {
		r.skip(name, at, &flaw{code: "duplicate-operation", text: "the operation is there twice, of which the first stands"})
		return
	}
	r.done[name] = true
	// An operation cannot be a reference, and in documents of many files it is.
	written := at
	at, err := r.resolve(written)
	switch {
	case err != nil:
		r.skip(name, written, unresolved(written, "the operation", err))
		return
	case !at.isObject():
		r.skip(name, written, &flaw{code: "operation-not-map", text: "the operation is no map"})
		return
	}
	op, err := r.operationOf(method, path, at, around)
	if err != nil {
		r.skip(name, at, err)
		return
	}
	r.all += len(op.Parameters)
	r.doc.Operations = append(r.doc.Operations, op)
}

// full reports whether the document has as much already as can be read of one. The
// first operation behind that is noted.
func (r *reader) full(name string, at spot) bool {
	text := ""
	switch {
	case r.over:
		return true
	case r.count == MaxOperations:
		text = fmt.Sprintf("the document has more than %d operations", MaxOperations)
	case r.all > MaxAll:
		text = fmt.Sprintf("the operations of the document have more than %d parameters together", MaxAll)
	default:
		r.count++
		return false
	}
	r.over = true
	r.skip(name, at, &flaw{code: "too-many-operations", text: text + "; this operation and all behind it are left out"})
	return true
}
