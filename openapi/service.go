package openapi

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/openapi/wire"
)

// Deps is what a service needs to know beside its block and its document.
type Deps struct {
	Client *httptool.Client
	// Upstreams are those of the configuration by name; one that is nil is broken,
	// which was told already.
	Upstreams   map[string]*httptool.Upstream
	SecretNames []string                // the secrets that templates may name
	Secrets     map[string]secret.Value // their values; nil where nothing is run
	Masker      *secret.Masker
}

// Service is the API of a document, at its address, with what lets requests in.
// base_url or an upstream take all operations, whatever servers the document names:
// who sets one wants no other host to be asked. Without one operations go to their
// own server, else to the first of the document. Credentials go to the origin of the
// latter alone, but for a document that is a file, and so as much the
// configuration's own word as base_url is.
type Service struct {
	doc         *Document
	variables   map[string]string
	from        *url.URL // what relative servers are under: base_url, else where the document came from; nil for none
	base        *url.URL // nil with an upstream, and where baseErr says why
	baseErr     error
	upstream    *httptool.Upstream // nil for none
	named       bool               // base_url or upstream says where the API is
	credentials map[string]*httptool.Credential
	masker      *secret.Masker
	answers     answers
}

// New compiles the block at a key for its document. It reports every mistake there
// and then returns nil. It opens no connection.
func New(at diag.Cursor, cfg Config, doc *Document, deps Deps) *Service {
	s := &Service{
		doc: doc, variables: cfg.ServerVariables, masker: deps.Masker,
		named: cfg.BaseURL != "" || cfg.Upstream != "", credentials: map[string]*httptool.Credential{},
	}
	ok := s.findUpstream(at.Key("upstream"), cfg.Upstream, deps)
	ok = s.checkVariables(at.Key("server_variables")) && ok
	ok = ok && s.findBase(at, cfg)
	for _, name := range slices.Sorted(maps.Keys(cfg.Auth)) {
		ok = s.addCredential(at.Key("auth").Key(name), name, cfg.Auth[name], deps) && ok
	}
	if !ok {
		return nil
	}
	return s
}

func (s *Service) findUpstream(at diag.Cursor, name string, deps Deps) bool {
	if name == "" {
		return true
	}
	u, known := deps.Upstreams[name]
	if !known {
		names := slices.Sorted(maps.Keys(deps.Upstreams))
		at.Hintf(cmp.Or(diag.DidYouMean(name, names), "declare it: upstreams: {"+name+": {url: https://host}}"), "unknown upstream %q", name)
	}
	s.upstream = u
	return u != nil
}

// checkVariables holds the server variables that are configured against those of
// the document: one that some server has, with a value that it can take there. The
// next server would be used in silence else.
func (s *Service) checkVariables(at diag.Cursor) bool {
	known := map[string][]spec.Variable{}
	note := func(servers []spec.Server) {
		for _, server := range servers {
			for name := range server.Variables {
				known[name] = append(known[name], server.Variables[name])
			}
			for _, part := range strings.Split(server.URL, "{")[1:] {
				name, _, _ := strings.Cut(part, "}")
				known[name] = append(known[name], server.Variables[name])
			}
		}
	}
	note(s.doc.Servers)
	for _, op := range s.doc.Operations {
		note(op.Servers)
	}
	ok, names := true, slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(s.variables)) {
		var err error
		for _, v := range known[name] {
			if err = fits(v, name, s.variables[name]); err == nil {
				break
			}
		}
		switch {
		case len(known[name]) == 0:
			at.Key(name).Hintf(cmp.Or(diag.DidYouMean(name, names), hintOf("the document has", names)), "no server of the document has a variable %q", name)
			ok = false
		case err != nil:
			at.Key(name).Errorf("%v", err)
			ok = false
		}
	}
	return ok
}

func hintOf(start string, names []string) string {
	const most = 10 // names that are listed
	if len(names) == 0 {
		return "remove it"
	}
	return start + ": " + strings.Join(names[:min(len(names), most)], ", ")
}

// findBase finds the address of all operations that have no server of their own.
func (s *Service) findBase(at diag.Cursor, cfg Config) bool {
	switch {
	case s.upstream != nil:
		return true
	case cfg.BaseURL != "":
		s.base, s.baseErr = url.Parse(cfg.BaseURL)
		if s.baseErr != nil {
			at.Key("base_url").Errorf("%q is no address", cfg.BaseURL)
		}
		s.from = s.base
		return s.baseErr == nil
	}
	if s.doc.Base != "" {
		s.from, _ = url.Parse(s.doc.Base) // it was asked already
	}
	s.base, s.baseErr = s.resolve(s.doc.Servers, s.from)
	if s.from == nil {
		s.from = s.base
	}
	if s.baseErr == nil || !slices.ContainsFunc(s.doc.Operations, func(op *spec.Operation) bool { return len(op.Servers) == 0 }) {
		return true
	}
	where, hint := at.Key("spec"), "add base_url: https://…"
	if v := at.Key("server_variables"); v.Present() {
		where, hint = v, ""
	}
	where.Hintf(hint, "%v", s.baseErr)
	return false
}

// upstreamName is what an upstream is called in a hint.
const upstreamName = "api"

// addCredential compiles what is shown for one security scheme.
func (s *Service) addCredential(at diag.Cursor, name string, cfg Auth, deps Deps) bool {
	scheme, known := s.doc.Schemes[name]
	if !known {
		names := slices.Sorted(maps.Keys(s.doc.Schemes))
		if len(names) == 0 {
			at.Hintf(s.doc.UpstreamHint(upstreamName), "the document declares no security schemes")
			return false
		}
		at.Hintf(cmp.Or(diag.DidYouMean(name, names), hintOf("the document declares", names)), "the document declares no security scheme %q", name)
		return false
	}
	auth, problem := s.authOf(name, scheme, cfg)
	if problem != "" {
		at.Errorf("%s", problem)
		return false
	}
	c := deps.Client.NewCredential(at, auth, httptool.UpstreamDeps{SecretNames: deps.SecretNames, Secrets: deps.Secrets, Masker: deps.Masker})
	s.credentials[name] = c
	return c != nil
}

// authOf is the credential of a scheme as package httptool knows it, or what is
// wrong with the block.
func (s *Service) authOf(name string, scheme spec.Scheme, cfg Auth) (auth httptool.Auth, problem string) {
	switch {
	case cfg.ClientID != "" && scheme.Kind != spec.SchemeOAuth2:
		return auth, "a client_id is for oauth2, and this scheme is " + kindOf(scheme)
	case cfg.ClientID != "":
		return s.clientOf(name, scheme, cfg)
	case scheme.Kind == spec.SchemeBasic && cfg.Value != "":
		return auth, "this scheme takes a user: write {username: …, password: \"${secret.name}\"}"
	case scheme.Kind == spec.SchemeBasic:
		return httptool.Auth{Basic: &httptool.Basic{Username: cfg.Username, Password: cfg.Password}}, ""
	case cfg.Username != "":
		return auth, "a username is for http basic, and this scheme is " + kindOf(scheme) + ": write \"${secret.name}\""
	case scheme.Kind == spec.SchemeMutual:
		return auth, "this scheme is a certificate: name an upstream with tls: {cert, key}"
	case scheme.Kind == spec.SchemeAPIKey:
		named := &httptool.Named{Name: scheme.Name, Value: cfg.Value}
		switch scheme.In {
		case spec.InQuery:
			return httptool.Auth{Query: named}, ""
		case spec.InCookie:
			return httptool.Auth{Cookie: named}, ""
		}
		return httptool.Auth{Header: named}, ""
	case scheme.Kind == spec.SchemeOther:
		return httptool.Auth{Header: &httptool.Named{Name: "Authorization", Value: cfg.Value}}, ""
	}
	return httptool.Auth{Bearer: cfg.Value}, ""
}

// kindOf names a scheme for people.
func kindOf(scheme spec.Scheme) string {
	switch scheme.Kind {
	case spec.SchemeAPIKey:
		return "an API key in the " + scheme.In
	case spec.SchemeBasic:
		return "http basic"
	case spec.SchemeBearer:
		return "a bearer token"
	case spec.SchemeMutual:
		return "a certificate"
	}
	return scheme.Kind
}

// letIn are the credentials of an operation: the first of its alternatives that
// is configured whole. One without any is taken where no other is; lacks says
// which are missing where none can be taken. An API whose document asks for
// nothing anywhere is shown all that is configured, as that is what its
// configuration can only mean.
func (s *Service) letIn(op *spec.Operation) (shown []*httptool.Credential, lacks [][]string) {
	if s.asksForNothing() {
		for _, name := range slices.Sorted(maps.Keys(s.credentials)) {
			shown = append(shown, s.credentials[name])
		}
		return shown, nil
	}
	open := len(op.Security) == 0
	for _, alternative := range op.Security {
		have, missing := s.have(alternative)
		switch {
		case len(alternative) == 0:
			open = true
		case len(missing) == 0:
			return have, nil
		default:
			lacks = append(lacks, missing)
		}
	}
	if open {
		return nil, nil
	}
	return nil, lacks
}

// have are the credentials of one alternative, and the names of those missing. A
// certificate is the connection's business.
func (s *Service) have(alternative []spec.Use) (have []*httptool.Credential, missing []string) {
	for _, u := range alternative {
		c, ok := s.credentials[u.Scheme]
		switch {
		case ok:
			have = append(have, c)
		case s.doc.Schemes[u.Scheme].Kind != spec.SchemeMutual:
			missing = append(missing, u.Scheme)
		}
	}
	return have, missing
}

func (s *Service) asksForNothing() bool {
	return len(s.credentials) > 0 && !slices.ContainsFunc(s.doc.Operations, func(op *spec.Operation) bool { return len(op.Security) > 0 })
}

// Lacks says which credentials an operation needs that are not configured: each
// entry is one way to be let in, by the names of the schemes that are missing. It is
// empty where the upstream has its own.
func (s *Service) Lacks(op *spec.Operation) [][]string {
	if s.upstream != nil && s.upstream.HasAuth() {
		return nil
	}
	_, lacks := s.letIn(op)
	return lacks
}

// Runner makes what runs an operation. at is where its answers are asked about. It
// reports every mistake there and then returns nil. An operation that has no
// address is an error of its own.
func (s *Service) Runner(at diag.Cursor, op *spec.Operation, answers httptool.Answers, deps httptool.Deps) (tool.Runner, error) {
	r := httptool.Requests{Lenient: true, Check: s.check(op)}
	if s.upstream != nil {
		r.Upstream = s.upstream
		r.Draft = func(args map[string]any) (*httptool.Draft, error) { return s.Draft(op, args) }
		if shown, _ := s.letIn(op); len(shown) > 0 {
			r.Credentials = shown
		}
		return httptool.NewRequests(at, r, answers, deps), nil
	}
	base, err := s.place(op)
	if err != nil {
		return nil, err
	}
	r.Draft = func(args map[string]any) (*httptool.Draft, error) { return draft(base, op, args) }
	if s.trusts(base) {
		r.Credentials, _ = s.letIn(op)
	}
	if r.Credentials == nil {
		r.Credentials = []*httptool.Credential{}
	}
	return httptool.NewRequests(at, r, answers, deps), nil
}

// Draft writes the request of one call, without credentials. The error is a
// *tool.Error where the arguments are at fault.
func (s *Service) Draft(op *spec.Operation, args map[string]any) (*httptool.Draft, error) {
	base, err := s.place(op)
	if s.upstream != nil {
		base, err = s.upstream.URL()
	}
	if err != nil {
		return nil, err
	}
	return draft(base, op, args)
}

// trusts reports whether credentials may go to the address of an operation, which
// may be that of a server of its own.
func (s *Service) trusts(u *url.URL) bool {
	return s.doc.Base == "" || s.base != nil && origin(s.base) == origin(u)
}

// Origin is where the requests of an operation go: scheme, host and port. It is
// empty where that is known only when a call is made.
func (s *Service) Origin(op *spec.Operation) string {
	if s.upstream != nil {
		return ""
	}
	u, err := s.place(op)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// draft writes the request of one call.
func draft(base *url.URL, op *spec.Operation, args map[string]any) (*httptool.Draft, error) {
	req, err := wire.Build(op, args)
	if err != nil {
		return nil, err
	}
	text := base.Scheme + "://" + base.Host + strings.TrimSuffix(base.EscapedPath(), "/") + req.Path
	if req.Query != "" {
		text += "?" + req.Query
	}
	u, err := url.Parse(text)
	if err != nil || u.Host != base.Host || u.Scheme != base.Scheme || u.User != nil {
		return nil, tool.Errorf(tool.Internal, "the address of this tool is not valid").Because(cmp.Or(err, errors.New("an address left its origin")))
	}
	return &httptool.Draft{Method: req.Method, URL: u, Header: req.Header, Body: req.Body}, nil
}
