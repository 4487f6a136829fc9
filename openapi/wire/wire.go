// Package wire writes the request of a call of an imported operation, as the
// styles of OpenAPI, RFC 6570 and RFC 3986 say.
//
// Rules: everything outside the unreserved characters is percent-encoded in a
// path and in a query, so that a value never leaves its place; absent, null and
// an empty list or object are not sent, and an empty text is; what a style has no
// form for, such as an object inside a list, is compact JSON text; members of an
// object whose order is not known are sorted. Sections that are named without a
// document are those of OpenAPI 3.1.1.
package wire

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
)

// The limits of a request.
const (
	maxAddress = 64 << 10 // bytes of the path and the query, each
	maxHeader  = 64 << 10 // bytes of the names and values of the header
	maxBody    = 32 << 20 // bytes
)

const (
	contentType  = "Content-Type" // as net/http spells them in a Header
	acceptHeader = "Accept"
	cookieHeader = "Cookie"
)

// Request is what is sent, without server address and credentials.
type Request struct {
	Method string
	Path   string      // percent-encoded, starts with "/"; to be put behind the server's path
	Query  string      // percent-encoded, without "?"
	Header http.Header // canonical names; Content-Type where there is a body, Accept, Cookie
	Body   []byte      // nil for no body; empty but not nil for an empty one
}

// Build makes the request of a call from arguments that fit the operation's
// schema: nil, bool, string, any type of number, []any and map[string]any. An
// error is a *tool.Error: of code invalid_args, whose text names the argument, or
// of code internal where the path has a placeholder that no parameter fills. The
// path and the query are 64 KiB each at most, so are the fields of the header
// together, and the body is 32 MiB at most.
func Build(op *spec.Operation, args map[string]any) (*Request, error) {
	path, query, err := address(op, args)
	if err != nil {
		return nil, err
	}
	header, err := header(op, args)
	if err != nil {
		return nil, err
	}
	r := &Request{Method: op.Method, Path: path, Query: query, Header: header}
	data, media, err := body(op, args)
	if err != nil {
		return nil, err
	}
	if data != nil {
		r.Body, header[contentType] = data, []string{media}
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return r, nil
}

// check holds the request to its limits.
func (r *Request) check() error {
	size := 0
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	switch {
	case len(r.Path) > maxAddress:
		return tooLong("path of the request", maxAddress)
	case len(r.Query) > maxAddress:
		return tooLong("query of the request", maxAddress)
	case size > maxHeader:
		return tooLong("header of the request", maxHeader)
	case len(r.Body) > maxBody:
		return tooLong("body of the request", maxBody)
	}
	return nil
}

// tooLong tells that a part of the request exceeds its limit, in bytes.
func tooLong(part string, limit int) *tool.Error {
	most := strconv.Itoa(limit>>10) + " KiB"
	if limit >= 1<<20 {
		most = strconv.Itoa(limit>>20) + " MiB"
	}
	return tool.Errorf(tool.InvalidArgs, "the %s would be longer than the %s that the gateway sends at once", part, most).
		WithHint("Send less, or in several calls.")
}

// wrong is the error of a parameter's argument. It names the argument as the
// model knows it, and the place that the value was for.
func wrong(p *spec.Parameter, format string, values ...any) *tool.Error {
	e := tool.Errorf(tool.InvalidArgs, format, values...)
	e.Message = quote(p.Arg) + ", which is a " + p.In + " parameter, " + e.Message
	return e
}

// named turns what is wrong with an argument into an error that names it. One
// that does so already stays.
func named(arg string, err error) error {
	if _, ok := errors.AsType[*tool.Error](err); ok || err == nil {
		return err
	}
	return tool.Errorf(tool.InvalidArgs, "%s cannot be sent", quote(arg)).Because(err).
		WithHint("Send values that JSON can hold.")
}

// quote puts a name between quotes, the way that messages do.
func quote(name string) string { return `"` + name + `"` }

// parameters are those of one place, in order.
func parameters(op *spec.Operation, in string) func(yield func(*spec.Parameter) bool) {
	return func(yield func(*spec.Parameter) bool) {
		for i := range op.Parameters {
			if op.Parameters[i].In == in && !yield(&op.Parameters[i]) {
				return
			}
		}
	}
}

// inOrder are the names of an object's members in the order in which they are
// sent: first those that the document lists, in its order.
func inOrder(object map[string]any, listed []string) []string {
	if len(listed) == 0 {
		return sorted(object)
	}
	names := make([]string, 0, len(object))
	for _, name := range listed {
		if _, ok := object[name]; ok {
			names = append(names, name)
		}
	}
	if len(names) == len(object) {
		return names
	}
	of := make(map[string]bool, len(names))
	for _, name := range names {
		of[name] = true
	}
	for _, name := range sorted(object) {
		if !of[name] {
			names = append(names, name)
		}
	}
	return names
}

// sorted are the names of an object's members, of which no order is known.
func sorted(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
