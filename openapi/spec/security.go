package spec

import (
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/dialect"
	"github.com/toolgate/toolgate/openapi/document"
)

func contains(list []string, text string) bool { return slices.Contains(list, text) }

// readSchemes reads the ways to be let in that the document declares.
func (r *reader) readSchemes() {
	r.doc.Schemes = map[string]Scheme{}
	declared := r.root.get("components").get("securitySchemes")
	if r.version == dialect.V20 {
		declared = r.root.get("securityDefinitions")
	}
	for _, s := range declared.entries() {
		found, err := r.resolve(s.spot)
		if err != nil || !found.isObject() {
			r.warn(s.spot, "unreadable-scheme", "the security scheme %q cannot be read and is left out", s.name)
			continue
		}
		scheme := r.scheme(found)
		if scheme.Kind == SchemeAPIKey && (scheme.Name == "" || !contains([]string{InHeader, InQuery, InCookie}, scheme.In)) {
			r.warn(s.spot, "unreadable-scheme", "the security scheme %q does not say where its key goes, and is left out: it needs a name, and in: header, query or cookie", s.name)
			continue
		}
		r.doc.Schemes[strings.Clone(s.name)] = scheme
	}
}

func (r *reader) scheme(s spot) Scheme {
	switch strings.ToLower(s.text("type")) {
	case "apikey":
		return Scheme{Kind: SchemeAPIKey, In: strings.ToLower(s.text("in")), Name: s.exact("name")}
	case "basic": // Swagger 2.0
		return Scheme{Kind: SchemeBasic}
	case "http":
		switch strings.ToLower(s.text("scheme")) {
		case "basic":
			return Scheme{Kind: SchemeBasic}
		case "bearer":
			return Scheme{Kind: SchemeBearer}
		}
	case "openidconnect":
		return Scheme{Kind: SchemeBearer}
	case "oauth2":
		return r.oauth2(s)
	case "mutualtls":
		return Scheme{Kind: SchemeMutual}
	}
	return Scheme{Kind: SchemeOther}
}

// oauth2 reads the flow that a program can take on its own: client credentials.
func (r *reader) oauth2(s spot) Scheme {
	flow := s.get("flows").get("clientCredentials")
	if r.version == dialect.V20 && s.text("flow") == "application" {
		flow = s
	}
	scheme := Scheme{Kind: SchemeOAuth2, TokenURL: flow.text("tokenUrl")}
	for _, scope := range flow.get("scopes").entries() {
		scheme.Scopes = append(scheme.Scopes, strings.Clone(scope.name))
	}
	return scheme
}

// security reads the requirements of an operation, or else those of the document.
func (r *reader) security(operation spot) [][]Use {
	list := operation.get("security")
	if list.node == nil {
		list = r.root.get("security")
	}
	if list.node == nil {
		return nil
	}
	alternatives := list.items()
	if list.node.Kind == document.Object || list.node.Kind == document.String { // an author's slip: one alternative without its list
		alternatives = []spot{list}
	}
	var all [][]Use
	for _, alternative := range alternatives {
		schemes := schemesOf(alternative)
		if len(schemes) == 0 && !alternative.isObject() {
			r.warn(alternative, "unreadable-security", "this is no map of security schemes and is left out")
			continue
		}
		all = append(all, r.uses(schemes))
	}
	return all
}

// schemesOf are the schemes of one alternative, by their names. Authors write these
// without the lists of scopes, too: as a text, or as a list of texts.
func schemesOf(alternative spot) []named {
	if alternative.isObject() {
		return alternative.entries()
	}
	var all []named
	for _, s := range append(alternative.items(), alternative) {
		if s.node.Kind == document.String {
			all = append(all, named{s.node.Text, s})
		}
	}
	return all
}

// uses reads the schemes of one alternative: all of them are needed.
func (r *reader) uses(schemes []named) []Use {
	var uses []Use
	for _, m := range schemes {
		if _, ok := r.doc.Schemes[m.name]; !ok {
			r.warn(m.spot, "unknown-scheme", "the security scheme %q is not declared", m.name)
		}
		u := Use{Scheme: strings.Clone(m.name)}
		for _, scope := range m.items() {
			if scope.node.Kind == document.String {
				u.Scopes = append(u.Scopes, strings.Clone(scope.node.Text))
			}
		}
		uses = append(uses, u)
	}
	return uses
}
