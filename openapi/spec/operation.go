package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/document"
)

// An operation is read in two steps. First it is brought into a normal form: that
// of OpenAPI 3, whatever the version, without references, with members of the
// right types only, and with a number in place of each schema. Then kin-openapi
// decodes that. So nothing that some document holds can fail there, and schemas
// keep all that kin would lose: digits, order, null.

// operationOf reads an operation. The error is a *flaw.
func (r *reader) operationOf(method, path string, at spot, around item) (*Operation, error) {
	parameters, err := r.parameters(path, at, around)
	if err != nil {
		return nil, err
	}
	body, kind, err := r.body(at, parameters)
	if err != nil {
		return nil, err
	}
	normal := []document.Member{{Name: "parameters", Value: document.Items(parameters.sent...)}}
	if body != nil {
		normal = append(normal, document.Member{Name: "requestBody", Value: *body})
	}
	op := &Operation{
		ID: at.exact("operationId"), Method: method, Path: path,
		Summary: at.text("summary"), Description: at.text("description"), Tags: at.texts("tags"),
		Deprecated: at.node.Bool("deprecated"), Place: at.place(),
		Servers: r.ownServers(at, around), Security: r.security(at),
	}
	if op.Summary == "" && op.Description == "" {
		op.Summary, op.Description = around.text("summary"), around.text("description")
	}
	if err := r.decode(op, document.Map(normal...), kind); err != nil {
		return nil, &flaw{at: at, code: "undecodable", text: "the operation cannot be decoded: " + err.Error()}
	}
	for i := range op.Parameters {
		op.Parameters[i].Description = parameters.described[i]
	}
	r.answers(op, at)
	r.dropCredentials(op)
	return op, nil
}

// ownServers are those of the operation, else of its path; none where those of
// the document hold.
func (r *reader) ownServers(at spot, around item) []Server {
	if r.version == dialect.V20 {
		own := r.hosts(r.root, at)
		if at.node.Get("schemes") == nil || len(own) == 0 || own[0].URL == r.doc.Servers[0].URL {
			return nil
		}
		return own
	}
	for _, of := range append([]spot{at}, around.nearest()...) {
		if own := r.servers(of); len(own) > 0 {
			return own
		}
	}
	return nil
}

// dropCredentials takes out parameters that a security scheme of the operation
// fills: credentials are never arguments.
func (r *reader) dropCredentials(op *Operation) {
	op.Parameters = slices.DeleteFunc(op.Parameters, func(p Parameter) bool {
		for _, alternative := range op.Security {
			for _, u := range alternative {
				s := r.doc.Schemes[u.Scheme]
				same := s.Name == p.Name || p.In == InHeader && strings.EqualFold(s.Name, p.Name)
				if s.Kind == SchemeAPIKey && s.In == p.In && same {
					return true
				}
			}
		}
		return false
	})
}

// parameter is one of an operation, its references resolved.
type parameter struct {
	spot
	name, in string
}

type parameters struct {
	sent      []document.Node // in normal form
	described []string        // their descriptions, which need no decoding
	form      []parameter     // Swagger 2.0: the fields of a form
	body      []parameter     // Swagger 2.0: the body
}

// parameters reads those of the path and of the operation, of which the latter
// stand in place of the former.
func (r *reader) parameters(path string, at spot, around item) (*parameters, error) {
	var merged merged
	for _, of := range append(slices.Clone(around), at) {
		list, err := r.parameterList(of)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			merged.put(p)
		}
	}
	all := merged.all
	if len(all) > MaxParameters {
		return nil, tooMany(at)
	}
	template, err := TakeApart(path)
	if err != nil {
		return nil, &flaw{at: at, code: "unusable-path", text: fmt.Sprintf("no address can be made of %s: %v", path, err)}
	}
	filled, left := holesOf(template, all)
	fixed := map[string]bool{}
	for _, name := range template.Fixed() {
		fixed[name] = true
	}
	out := &parameters{}
	for _, p := range all {
		switch {
		case p.in == inForm:
			out.form = append(out.form, p)
		case p.in == inBody:
			out.body = append(out.body, p)
		case p.in == InPath && !filled[p.name]:
			r.warn(p.spot, "parameter-not-in-path", "the path parameter %q is left out: %s has no {%s}", p.name, path, p.name)
		case p.in == InQuery && fixed[p.name]:
			r.warn(p.spot, "parameter-in-path", "the parameter %q is left out: %s gives it already", p.name, path)
		default:
			out.sent, out.described = append(out.sent, r.normalParameter(p)), append(out.described, p.text("description"))
		}
	}
	for _, name := range left {
		r.warn(at, "undeclared-placeholder", "no parameter declares {%s}; it is taken for a required text", name)
		out.described = append(out.described, "")
		out.sent = append(out.sent, document.Map(
			document.Member{Name: "name", Value: document.Text(name)}, document.Member{Name: "in", Value: document.Text(InPath)},
			document.Member{Name: "required", Value: document.Flag(true)}, document.Member{Name: "schema", Value: r.stub(spot{at.file, textSchema()})},
		))
	}
	return out, nil
}

// holesOf tells which path parameters fill placeholders of a template, and names
// those that no parameter fills, each once.
func holesOf(t Template, all []parameter) (filled map[string]bool, left []string) {
	filled = map[string]bool{}
	var names []string
	for _, p := range all {
		if p.in == InPath {
			names = append(names, p.name)
		}
	}
	for _, piece := range slices.Concat(t.Path, t.Query) {
		if !piece.Hole {
			continue
		}
		i := piece.Parameter(names)
		switch {
		case i >= 0:
			filled[names[i]] = true
		case !piece.IsExpansion() && !slices.Contains(left, plain(piece.Text)):
			left = append(left, plain(piece.Text))
		}
	}
	return filled, left
}

func textSchema() *document.Node {
	n := document.Map(document.Member{Name: "type", Value: document.Text("string")})
	return &n
}

// identity is what two parameters share that are the same: their place and their
// name. Names of headers do not differ in case (RFC 9110 section 5.1).
type identity struct{ in, name string }

func (p parameter) identity() identity {
	if p.in == InHeader {
		return identity{p.in, strings.ToLower(p.name)}
	}
	return identity{p.in, p.name}
}

// merged are parameters, each of them once.
type merged struct {
	all []parameter
	at  map[identity]int // where in all one is
}

// put adds a parameter, or puts it in place of the one that it is, which it gives
// back.
func (m *merged) put(p parameter) (before parameter, is bool) {
	i, is := m.at[p.identity()]
	if is {
		before, m.all[i] = m.all[i], p
		return before, true
	}
	if m.at == nil {
		m.at = map[identity]int{}
	}
	m.at[p.identity()] = len(m.all)
	m.all = append(m.all, p)
	return before, false
}

// parameterList reads the parameters of a list, each of them once.
func (r *reader) parameterList(of spot) ([]parameter, error) {
	written := of.get("parameters")
	entries := make([]named, 0, len(written.items()))
	for _, entry := range written.items() {
		entries = append(entries, named{"", entry})
	}
	if written.isObject() { // an author's slip: a map of parameters
		entries = written.entries()
	}
	if len(entries) > MaxParameters {
		return nil, tooMany(written)
	}
	var list merged
	for _, entry := range entries {
		p, err := r.parameterAt(entry)
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		if before, is := list.put(*p); is && before.node != p.node {
			r.warn(entry.spot, "duplicate-parameter", "the parameter %q is there twice in its place, of which the last stands", p.name)
		}
	}
	return list.all, nil
}

// tooMany is why an operation of very many parameters is left out.
func tooMany(at spot) *flaw {
	return &flaw{at: at, code: "too-many-parameters", text: fmt.Sprintf("there are more than %d parameters", MaxParameters)}
}

// places are where parameters can be. The last two are Swagger 2.0's, where body
// and fields are parameters.
var places = []string{InPath, InQuery, InHeader, InCookie, InQueryString, inBody, inForm}

const (
	inBody = "body"
	inForm = "formdata"
)

// parameterAt reads a parameter; nil for one that is left out.
func (r *reader) parameterAt(entry named) (*parameter, error) {
	found, err := r.resolve(entry.spot)
	if err != nil {
		return nil, unresolved(entry.spot, "a parameter", err)
	}
	p := &parameter{found, found.exact("name"), strings.ToLower(found.text("in"))}
	if p.name == "" {
		p.name = strings.Clone(entry.name)
	}
	switch {
	case !found.isObject(), p.in == "", p.name == "" && p.in != inBody && p.in != InQueryString:
		r.warn(entry.spot, "unreadable-parameter", "a parameter without a name or place is left out")
		return nil, nil
	case p.in == InHeader && strings.EqualFold(p.name, "cookie"):
		r.warn(entry.spot, "cookie-header", "the header parameter %q is left out, because it would hold cookies of any name; write a parameter in: cookie for each", p.name)
		return nil, nil
	case p.in == InHeader && IsGateways(p.name):
		return nil, nil
	case contains(places, p.in) && (r.isOld() || p.in != inBody && p.in != inForm):
		return p, nil
	case found.node.Bool("required"):
		return nil, &flaw{at: entry.spot, code: "unknown-place", text: fmt.Sprintf("the parameter %q is needed, and its place %q is not known%s", p.name, found.text("in"), placeHint(p.in))}
	}
	r.warn(entry.spot, "unknown-place", "the parameter %q is left out: its place %q is not known%s", p.name, found.text("in"), placeHint(p.in))
	return nil, nil
}

// placeHint says what OpenAPI 3 has in place of two places of Swagger 2.0.
func placeHint(in string) string {
	if in == inBody || in == inForm {
		return "; write a requestBody"
	}
	return ""
}

// stub stands in for a schema: the number under which the reader finds it.
func (r *reader) stub(s spot) document.Node {
	r.schemas = append(r.schemas, s)
	return document.Map(document.Member{Name: schemaNumber, Value: document.Digits(fmt.Sprint(len(r.schemas) - 1))})
}

// normalParameter is the normal form of a parameter.
func (r *reader) normalParameter(p parameter) document.Node {
	members := []document.Member{{Name: "name", Value: document.Text(p.name)}, {Name: "in", Value: document.Text(p.in)}}
	for _, flag := range []string{"required", "deprecated", "allowReserved"} {
		if p.node.Bool(flag) || flag == "required" && p.in == InPath {
			members = append(members, document.Member{Name: flag, Value: document.Flag(true)})
		}
	}
	if r.version == dialect.V20 {
		return document.Map(append(members, r.oldSchema(p)...)...)
	}
	if media, entry, ok := r.parameterContent(p); ok {
		content := document.Map(document.Member{Name: "schema", Value: r.stub(entry.get("schema"))})
		return document.Map(append(members, document.Member{Name: "content", Value: document.Map(document.Member{Name: media, Value: content})})...)
	}
	members = append(members, document.Member{Name: "schema", Value: r.stub(p.get("schema"))})
	if style := p.text("style"); style != "" {
		if contains(stylesOf(p.in), style) {
			members = append(members, document.Member{Name: "style", Value: document.Text(style)})
		} else {
			r.warn(p.get("style"), "unknown-style", "the parameter %q cannot be written in the style %q in its place; the style of the place is taken", p.name, style)
		}
	}
	if e := p.node.Get("explode"); e != nil && e.Kind == document.Bool {
		members = append(members, document.Member{Name: "explode", Value: document.Flag(e.Text == "true")})
	}
	return document.Map(members...)
}

// parameterContent is the media type that a parameter's value is written in.
func (r *reader) parameterContent(p parameter) (media string, entry spot, ok bool) {
	content := p.get("content").members()
	if len(content) == 0 {
		return "", spot{}, false
	}
	chosen := content[0]
	for _, c := range content {
		if IsJSON(c.name) {
			chosen = c
			break
		}
	}
	found, err := r.resolve(chosen.spot)
	if err != nil {
		r.warn(chosen.spot, "dangling-reference", "the content of the parameter %q cannot be read: %v", p.name, err)
		found = spot{}
	}
	return chosen.name, found, true
}

// stylesOf are the styles that a parameter can have in a place (OpenAPI 3.2
// section 4.12.2.3), deepObject with arrays and cookies with pipes among them,
// which documents use though the table leaves them out.
func stylesOf(in string) []string {
	switch in {
	case InPath:
		return []string{StyleSimple, StyleLabel, StyleMatrix}
	case InHeader:
		return []string{StyleSimple}
	case InCookie:
		return []string{StyleForm, StyleCookie}
	}
	return []string{StyleForm, StyleSpace, StylePipe, StyleTab, StyleDeepObject}
}
