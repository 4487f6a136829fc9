package spec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/document"
)

// Limits of one document. What passes one is left out with the reason.
const (
	MaxOperations = 20_000  // those that are left out included; GitHub's has 1,100
	MaxParameters = 1_000   // of an operation, with those of its path
	MaxAll        = 500_000 // parameters of all operations together
)

// Read reads a document. Only a text that is no OpenAPI document of a known
// version is an error: what cannot be understood in one is repaired with a
// warning, or its operation is left out with the reason. When the context is over
// before it is read, its cause is the error.
func Read(ctx context.Context, source Source) (*Document, error) {
	version, stated, err := versionOf(source.Main())
	if err != nil {
		return nil, err
	}
	r := &reader{
		ctx: ctx, source: source, version: version, told: map[Finding]bool{}, done: map[string]bool{},
		in:  dialect.New(source, version, dialect.Input),
		out: dialect.New(source, version, dialect.Output),
	}
	r.doc = &Document{OpenAPI: stated}
	r.read()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r.doc, nil
}

// reader reads one document.
type reader struct {
	ctx     context.Context // of this reading; nothing is read on when it is over
	source  Source
	version dialect.Version
	in, out *dialect.Converter
	doc     *Document
	root    spot
	told    map[Finding]bool
	done    map[string]bool // the operations that were read, by method and path
	count   int             // of the operations so far, with those that are left out
	all     int             // parameters of the operations so far
	over    bool            // no more operations are read
	// Of the operation that is being read:
	operation string
	schemas   []spot // that its normal form stands in for, by number
}

func (r *reader) read() {
	r.root = spot{r.source.Main(), r.source.Main().Root}
	info := r.root.get("info")
	r.doc.Title, r.doc.Version, r.doc.Description = info.words("title"), info.words("version"), info.text("description")
	for _, t := range r.root.get("tags").items() {
		if name := t.exact("name"); name != "" {
			r.doc.Tags = append(r.doc.Tags, Tag{Name: name, Description: t.text("description")})
		}
	}
	r.readServers()
	r.readSchemes()
	r.readPaths()
	r.operation = ""
	r.doc.Inputs, r.doc.Outputs = kept(r.in.Definitions()), kept(r.out.Definitions())
	if len(r.doc.Schemes) == 0 {
		r.doc.Schemes = nil
	}
	for _, p := range slices.Concat(r.in.Problems(), r.out.Problems()) {
		r.note(Finding{Place: fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column), Code: p.Code, Text: p.Text})
	}
}

// kept are definitions under names that are no part of the document's text, which
// they would hold on to.
func kept(definitions map[string]json.RawMessage) map[string]json.RawMessage {
	if len(definitions) == 0 {
		return nil
	}
	out := make(map[string]json.RawMessage, len(definitions))
	for key, text := range definitions {
		out[strings.Clone(key)] = slices.Clone(text)
	}
	return out
}

// warn notes something about a place that was repaired.
func (r *reader) warn(at spot, code, format string, args ...any) {
	r.note(Finding{Operation: r.operation, Place: at.place(), Code: code, Text: fmt.Sprintf(format, args...)})
}

// note keeps a warning, each once.
func (r *reader) note(f Finding) {
	if !r.told[f] {
		r.told[f] = true
		r.doc.Warnings = append(r.doc.Warnings, f)
	}
}

// flaw is why an operation is left out.
type flaw struct {
	at   spot
	code string
	text string
}

func (f *flaw) Error() string { return f.text }

// skip notes an operation that is left out.
func (r *reader) skip(operation string, at spot, err error) {
	f := Finding{Operation: operation, Place: at.place(), Code: "unreadable", Text: err.Error()}
	if own, ok := errors.AsType[*flaw](err); ok {
		f.Code = own.code
		if own.at.file != nil {
			f.Place = own.at.place()
		}
	}
	r.doc.Skipped = append(r.doc.Skipped, f)
}

// unresolved words a reference that leads nowhere.
func unresolved(at spot, what string, err error) *flaw {
	code := "dangling-reference"
	if e, ok := errors.AsType[*document.RefError](err); ok {
		code = e.Code
	}
	return &flaw{at: at, code: code, text: what + " cannot be read: " + err.Error()}
}

// schema converts the schema of an argument.
func (r *reader) schema(s spot) json.RawMessage { return r.in.Schema(s.file, s.node) }

const notOpenAPI = "this is not an OpenAPI document"

// versionOf reads the version that a document states. A number, which YAML makes
// of 3.1 without quotes, is taken too.
func versionOf(file *document.File) (version dialect.Version, stated string, err error) {
	root := spot{file, file.Root}
	if !root.isObject() {
		return 0, "", fmt.Errorf("%s: %s: %s", file.Name, notOpenAPI, alienKind(root))
	}
	stated = root.words("openapi")
	if stated == "" {
		stated = root.words("swagger")
	}
	switch {
	case stated == "":
		return 0, "", fmt.Errorf("%s: %s: %s", file.Name, notOpenAPI, alienKind(root))
	case stated == "2" || strings.HasPrefix(stated, "2."):
		return dialect.V20, stated, nil
	case stated == "3" || strings.HasPrefix(stated, "3.0"):
		return dialect.V30, stated, nil
	case strings.HasPrefix(stated, "3.1"), strings.HasPrefix(stated, "3.2"):
		return dialect.V31, stated, nil
	}
	where := root.get("openapi")
	if where.node == nil {
		where = root.get("swagger")
	}
	return 0, "", fmt.Errorf("%s: this is version %s of OpenAPI, which is not known: write or convert it to 2.0, 3.0, 3.1 or 3.2", where.place(), stated)
}

// alienKind says what a document seems to be that is none of OpenAPI's, and what to
// do about it.
func alienKind(root spot) string {
	info := root.get("info")
	switch {
	case !root.isObject():
		return "it is no map, and has to be one that starts with openapi: 3.1.0 or swagger: \"2.0\""
	case strings.Contains(info.text("schema"), "getpostman.com"), info.get("_postman_id").node != nil:
		return "it is a Postman collection; export or convert it as OpenAPI"
	case root.node.Get("asyncapi") != nil:
		return "it is an AsyncAPI document, which describes messages; give the OpenAPI document of the API"
	case root.node.Get("arazzo") != nil:
		return "it is an Arazzo document, which describes workflows of other documents; give those that it names under sourceDescriptions"
	case root.node.Get("overlay") != nil:
		return "it is an Overlay, which changes another document; apply it, and give what comes out"
	case root.node.Get("swaggerVersion") != nil:
		return "it is of Swagger 1, which has to be converted to OpenAPI first"
	case root.node.Get("$schema") != nil && root.node.Get("paths") == nil:
		return "it seems to be a JSON Schema, which has no operations; give the document that uses it"
	}
	return "it has neither openapi nor swagger, which say its version; start it with openapi: 3.1.0 or swagger: \"2.0\""
}
