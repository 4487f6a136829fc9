package openapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// TestFixtures does what the folders of faults say, each of a document and what
// must become of it. What no check has taken of an expectation is a failure.
func TestFixtures(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(testdata(t), "openapi/faults/*/expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want := 40; len(folders) != want {
		t.Errorf("%d folders, want %d", len(folders), want)
	}
	for _, path := range folders {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c := newCard(t, "", text)
			f := &fixture{T: t, folder: folder}
			f.all(c)
			c.end()
		})
	}
}

// card is an object of which every member has to be taken.
type card struct {
	t       *testing.T
	where   string
	members map[string]json.RawMessage
}

func newCard(t *testing.T, where string, text []byte) *card {
	t.Helper()
	c := &card{t: t, where: where}
	if err := json.Unmarshal(text, &c.members); err != nil {
		t.Fatal(where, err)
	}
	return c
}

// take takes a member that may not be there.
func (c *card) take(name string, into any) bool {
	c.t.Helper()
	text, ok := c.members[name]
	if !ok {
		return false
	}
	delete(c.members, name)
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		c.t.Fatalf("%s.%s: %v", c.where, name, err)
	}
	return true
}

// inside takes a member that is an object of its own; nil when it is not there.
func (c *card) inside(name string) *card {
	c.t.Helper()
	var text json.RawMessage
	if !c.take(name, &text) {
		return nil
	}
	return newCard(c.t, c.where+"."+name, text)
}

// list takes a member that is a list of objects.
func (c *card) list(name string) []*card {
	c.t.Helper()
	var texts []json.RawMessage
	c.take(name, &texts)
	all := make([]*card, len(texts))
	for i, text := range texts {
		all[i] = newCard(c.t, fmt.Sprintf("%s.%s[%d]", c.where, name, i), text)
	}
	return all
}

// copy is the same card, of which everything has to be taken once more.
func (c *card) copy() *card { return &card{t: c.t, where: c.where, members: maps.Clone(c.members)} }

// end fails for what was not taken.
func (c *card) end() {
	c.t.Helper()
	for name := range c.members {
		c.t.Errorf("%s.%s is not checked", c.where, name)
	}
}

// fixture is one folder.
type fixture struct {
	*testing.T
	folder  string
	doc     *openapi.Document
	choices []source.Choice
}

func (f *fixture) all(c *card) {
	if !f.load(c) {
		return
	}
	f.imported(c)
	f.schemas(c)
	// What is said for all cases goes to each.
	shared := map[string]json.RawMessage{}
	for _, name := range []string{"tool", "auth", "server_variables", "order"} {
		if text, ok := c.members[name]; ok {
			shared[name] = text
		}
	}
	cases := c.list("cases")
	for _, one := range cases {
		for name, text := range shared {
			if _, ok := one.members[name]; !ok {
				one.members[name] = text
			}
		}
		f.call(one)
		one.end()
	}
	if len(cases) == 0 {
		f.call(c)
		return
	}
	for name := range shared {
		delete(c.members, name)
	}
}

// load reads the document, and reports whether there is one.
func (f *fixture) load(c *card) bool {
	options := openapi.LoadOptions{Path: filepath.Join(f.folder, "spec.yaml"), Fetch: fetch(f.asked)}
	var address string
	if c.take("spec_url", &address) {
		options.Path = address
		options.Fetch = fetch(func(req *http.Request) (*http.Response, error) { return f.served(address, req) })
	}
	d, err := openapi.Load(f.Context(), options)
	var want string
	if c.take("error", &want) {
		if err == nil || !holds(err.Error(), want) {
			f.Errorf("error %v, want %q", err, want)
		}
		return false
	}
	if err != nil {
		f.Fatal(err)
	}
	f.doc = d
	return true
}

type fetch func(*http.Request) (*http.Response, error)

func (f fetch) Do(req *http.Request) (*http.Response, error) { return f(req) }

// asked is what a document must not do.
func (f *fixture) asked(req *http.Request) (*http.Response, error) {
	f.Errorf("%s was asked for", req.URL)
	return nil, errors.New("no network")
}

func (f *fixture) served(address string, req *http.Request) (*http.Response, error) {
	if req.URL.String() != address {
		return f.asked(req)
	}
	text, err := os.ReadFile(filepath.Join(f.folder, "spec.yaml"))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req, Body: io.NopCloser(bytes.NewReader(text))}, err
}

// imported checks what became tools.
func (f *fixture) imported(c *card) {
	f.choose()
	for _, one := range c.list("tools") {
		var method, path, pattern string
		one.take("method", &method)
		one.take("path", &path)
		i := slices.IndexFunc(f.doc.Operations, func(op *spec.Operation) bool { return op.Method == method && op.Path == path })
		if i < 0 {
			f.Errorf("%s %s is no tool", method, path)
			continue
		}
		if one.take("name_pattern", &pattern) && !regexp.MustCompile(pattern).MatchString(f.choices[i].Name) {
			f.Errorf("the name %q does not match %s", f.choices[i].Name, pattern)
		}
		one.end()
	}
	var count int
	if c.take("count", &count) && len(f.doc.Operations) != count {
		f.Errorf("%d tools, want %d", len(f.doc.Operations), count)
	}
	if c.take("min_count", &count) && len(f.doc.Operations) < count {
		f.Errorf("%d tools, want at least %d", len(f.doc.Operations), count)
	}
	var is bool
	if c.take("unique_names", &is) && is {
		names := map[string]bool{}
		for _, choice := range f.choices {
			if names[choice.Name] {
				f.Errorf("two tools are called %q", choice.Name)
			}
			names[choice.Name] = true
		}
	}
	f.findings(c)
}

// choose names the operations as a configuration without any wishes does.
func (f *fixture) choose() {
	items := make([]source.Item, len(f.doc.Operations))
	for i, op := range f.doc.Operations {
		name := op.ID
		if name == "" {
			name = op.Method + " " + op.Path
		}
		items[i] = source.Item{Original: name, Name: name, Method: op.Method, Path: op.Path, Tags: op.Tags}
	}
	var problems diag.Report
	f.choices = source.Choose(cursor(&problems), source.Config{Namespace: "api"}, items)
	if err := problems.Problems().Err(); err != nil {
		f.Error(err)
	}
	for _, choice := range f.choices {
		if choice.Left != "" {
			f.Errorf("%s is left out: %s", choice.Name, choice.Left)
		}
	}
}

// findings checks what is told of a document, and what was read for it.
func (f *fixture) findings(c *card) {
	all := slices.Concat(f.doc.Skipped, f.doc.Warnings)
	var text strings.Builder
	place := regexp.MustCompile(`spec\.yaml:\d+:\d+$`)
	for _, x := range all {
		if !place.MatchString(x.Place) || x.Text == "" || x.Code == "" {
			f.Errorf("a finding without place, text or code: %+v", x)
		}
		fmt.Fprintln(&text, x.Operation, x.Text)
	}
	var is bool
	if c.take("diagnostics", &is) && is != (len(all) > 0) {
		f.Errorf("findings: %v, want %v", all, is)
	}
	var mentions []string
	c.take("diagnostics_mention", &mentions)
	for _, want := range mentions {
		if !strings.Contains(text.String(), want) {
			f.Errorf("the findings do not mention %q: %s", want, text.String())
		}
	}
	var unread []string
	c.take("no_file_reads", &unread)
	for _, name := range unread {
		if slices.Contains(f.doc.Files, name) {
			f.Errorf("%s was read", name)
		}
	}
	c.take("no_network", &is) // asked fails the test, whatever this says
	if len(f.doc.Files) != 1 {
		f.Errorf("read were %q", f.doc.Files)
	}
}

// operation takes the operation that a card names; nil when it names none.
func (f *fixture) operation(c *card) *spec.Operation {
	var name string
	if !c.take("tool", &name) {
		return nil
	}
	for _, op := range f.doc.Operations {
		if op.ID == name {
			return op
		}
	}
	f.Fatalf("there is no operation %q", name)
	return nil
}

// arguments takes those of a call, under the names that ours have.
func (f *fixture) arguments(c *card, op *spec.Operation) map[string]any {
	var by map[string]any
	var raw string
	if op == nil {
		return nil
	}
	if c.take("args_raw", &raw) {
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&by); err != nil {
			f.Fatal(err)
		}
	} else if !c.take("args", &by) {
		return nil
	}
	args := map[string]any{}
	for in, values := range by {
		if in == "body" {
			f.body(op, values, args)
			continue
		}
		for name, v := range values.(map[string]any) {
			p := parameter(op, in+"."+name)
			if p == nil {
				f.Fatalf("%s has no parameter %s in %s", op.ID, name, in)
			}
			args[p.Arg] = v
		}
	}
	return args
}

// body puts what gives a body among the arguments.
func (f *fixture) body(op *spec.Operation, v any, args map[string]any) {
	if op.Body == nil {
		f.Fatalf("%s has no body", op.ID)
	}
	if op.Body.Arg != "" {
		args[op.Body.Arg] = v
		return
	}
	for name, v := range v.(map[string]any) {
		if arg := field(op, name); arg != "" {
			name = arg
		} else if !op.Body.Open {
			f.Fatalf("the body of %s has no %q", op.ID, name)
		}
		args[name] = v
	}
}

// field is the argument that gives a property of the body; empty for none.
func field(op *spec.Operation, name string) string {
	for _, x := range op.Body.Fields {
		if x.Name == name {
			return x.Arg
		}
	}
	return ""
}

// parameter finds a parameter by place and name; nil for none.
func parameter(op *spec.Operation, key string) *spec.Parameter {
	for i := range op.Parameters {
		if p := &op.Parameters[i]; p.In+"."+p.Name == key {
			return p
		}
	}
	return nil
}

// call checks what a call sends and answers.
func (f *fixture) call(c *card) {
	op := f.operation(c)
	args := f.arguments(c, op)
	if args == nil {
		return // it is about the import alone
	}
	cfg, deps := f.config(c)
	var problems diag.Report
	s := openapi.New(cursor(&problems), cfg, f.doc, deps)
	args, err := f.gate(op, args)
	var draft *httptool.Draft
	switch {
	case s == nil:
		err = problems.Problems().Err()
	case err == nil:
		draft, err = s.Draft(op, args)
	}
	var want string
	switch {
	case c.take("error", &want):
		if err == nil || !holds(err.Error(), want) {
			f.Errorf("%s: error %v, want %q", c.where, err, want)
		}
		return
	case err != nil:
		f.Errorf("%s: %v", c.where, err)
		return
	}
	f.send(c, op, args, cfg, deps, draft)
}

// gate does to arguments what the gateway does before a tool runs.
func (f *fixture) gate(op *spec.Operation, args map[string]any) (map[string]any, error) {
	s, err := schema.Compile(f.doc.Arguments(op))
	if err != nil {
		return nil, err
	}
	args = s.Cast(args)
	return args, s.Validate(args)
}

// config takes what is configured beside the document. Credentials are secrets, as
// they are in a configuration.
func (f *fixture) config(c *card) (openapi.Config, openapi.Deps) {
	deps := openapi.Deps{Client: nearby(f.T), Secrets: map[string]secret.Value{}}
	hidden := func(text string) string {
		if text == "" {
			return ""
		}
		name := fmt.Sprintf("s%d", len(deps.SecretNames))
		deps.SecretNames = append(deps.SecretNames, name)
		deps.Secrets[name] = secret.NewValue(text)
		return "${secret." + name + "}"
	}
	cfg := openapi.Config{Auth: map[string]openapi.Auth{}}
	c.take("server_variables", &cfg.ServerVariables)
	var auth map[string]json.RawMessage
	c.take("auth", &auth)
	for name, text := range auth {
		if text[0] == '"' {
			var value string
			if err := json.Unmarshal(text, &value); err != nil {
				f.Fatal(err)
			}
			cfg.Auth[name] = openapi.Auth{Value: hidden(value)}
			continue
		}
		var a openapi.Auth
		of := newCard(f.T, c.where+".auth."+name, text)
		of.take("username", &a.Username)
		of.take("password", &a.Password)
		of.take("client_id", &a.ClientID)
		of.take("client_secret", &a.ClientSecret)
		of.end()
		a.Username, a.Password, a.ClientID, a.ClientSecret = hidden(a.Username), hidden(a.Password), hidden(a.ClientID), hidden(a.ClientSecret)
		cfg.Auth[name] = a
	}
	return cfg, deps
}

// send runs a call against a server, and compares what that received, and what
// the call answered.
func (f *fixture) send(c *card, op *spec.Operation, args map[string]any, cfg openapi.Config, deps openapi.Deps, draft *httptool.Draft) {
	x := expected{T: f.T, card: c.inside("request")}
	c.take("order", &x.order)
	if also := c.inside("also_accept"); also != nil {
		also.take("query", &x.queries)
		also.end()
		var normative bool
		c.take("normative", &normative) // says that the specification leaves it open
	}
	x.draft(draft, len(cfg.Auth) > 0)
	u := &upstream{T: f.T}
	server := httptest.NewServer(u)
	defer server.Close()
	runner := f.runner(server.URL, op, cfg, deps, draft)
	run := func() (tool.Output, error) {
		return runner.Run(f.Context(), tool.Input{Args: args, Call: &tool.Call{}, Spec: &tool.Spec{Name: op.ID, MaxOutput: 1 << 20}})
	}
	f.exchanges(c, u, run, []string{f.tokenOrigin(), draft.URL.Scheme + "://" + draft.URL.Host})
	f.answers(c, x, u, run)
}

// runner makes what runs an operation at a server in place of the document's, whose
// path stays.
func (f *fixture) runner(server string, op *spec.Operation, cfg openapi.Config, deps openapi.Deps, draft *httptool.Draft) tool.Runner {
	path := draft.URL.EscapedPath()
	own := openapi.Config{BaseURL: server + strings.TrimSuffix(path, suffix(path, op)), Auth: map[string]openapi.Auth{}}
	for name, a := range cfg.Auth {
		if a.ClientID != "" {
			token, err := url.Parse(f.doc.Schemes[name].TokenURL)
			if err != nil {
				f.Fatal(err)
			}
			a.TokenURL = server + token.EscapedPath()
		}
		own.Auth[name] = a
	}
	var problems diag.Report
	s := openapi.New(cursor(&problems), own, f.doc, deps)
	if s == nil {
		f.Fatal(problems.Problems())
	}
	r, err := s.Runner(cursor(&problems), op, httptool.Answers{}, httptool.Deps{Client: deps.Client, Output: tool.OutputAuto, Secrets: deps.Secrets, SecretNames: deps.SecretNames})
	if err != nil || r == nil {
		f.Fatal(err, problems.Problems())
	}
	return r
}

// answers runs a call once for each answer that the server is to give.
func (f *fixture) answers(c *card, x expected, u *upstream, run func() (tool.Output, error)) {
	request, answers, results := x.card, c.list("upstream"), c.list("results")
	if one := c.inside("result"); one != nil {
		for range answers {
			results = append(results, one.copy())
		}
	}
	if len(answers) == 0 && request != nil {
		answers = []*card{nil}
	}
	for i, a := range answers {
		u.answers = []*card{a}
		out, err := run()
		if request != nil {
			x.card = request.copy()
			x.received(u.last())
		}
		if i < len(results) {
			f.result(results[i], out, err)
		} else if err != nil {
			f.Errorf("%s: %v", c.where, err)
		}
		if a != nil {
			a.end()
		}
	}
}

// template is the path of an operation without a query and a fragment, by which some
// documents tell operations of one path apart.
func template(op *spec.Operation) string {
	if i := strings.IndexAny(op.Path, "?#"); i >= 0 {
		return op.Path[:i]
	}
	return op.Path
}

// suffix is what the path of the operation became, at the end of the whole.
func suffix(path string, op *spec.Operation) string {
	template := template(op)
	whole := strings.Split(path, "/")
	return "/" + strings.Join(whole[len(whole)-strings.Count(template, "/"):], "/")
}

// exchanges checks all requests that one call makes, the first to the first of the
// origins, and that the next call makes fewer.
func (f *fixture) exchanges(c *card, u *upstream, run func() (tool.Output, error), origins []string) {
	all := c.list("exchanges")
	if len(all) == 0 {
		return
	}
	var requests []*card
	for _, one := range all {
		requests = append(requests, one.inside("request"))
		u.answers = append(u.answers, one.inside("response"))
		one.end()
	}
	if _, err := run(); err != nil {
		f.Error(err)
	}
	seen := u.taken()
	if len(seen) != len(all) {
		f.Fatalf("%d requests, want %d", len(seen), len(all))
	}
	for i, r := range seen {
		x := expected{T: f.T, card: requests[i]}
		x.origin(origins[min(i, 1)])
		x.received(r)
	}
	var again bool
	if c.take("repeat_uses_cached_token", &again) {
		u.answers = nil
		if _, err := run(); err != nil {
			f.Error(err)
		}
		more := u.taken()
		if one := len(more) == 1 && more[0].header.Get("Authorization") == seen[len(seen)-1].header.Get("Authorization"); one != again {
			f.Errorf("a second call makes %d requests", len(more))
		}
	}
}

// tokenOrigin is where the document says that tokens come from.
func (f *fixture) tokenOrigin() string {
	for _, scheme := range f.doc.Schemes {
		if u, err := url.Parse(scheme.TokenURL); err == nil && u.Host != "" {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

// seen is a request that a server got.
type seen struct {
	method, path, query string
	header              http.Header
	body                []byte
}

// upstream answers as cards say, then with an empty 200.
type upstream struct {
	*testing.T
	answers []*card
	mu      sync.Mutex
	all     []seen
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	path, query, _ := strings.Cut(r.RequestURI, "?")
	header := r.Header.Clone()
	header.Set("Host", r.Host)
	u.all = append(u.all, seen{r.Method, path, query, header, body})
	w.Header()["Content-Type"] = nil // nothing is claimed but what the card says
	if len(u.answers) == 0 {
		return
	}
	a := u.answers[0]
	u.answers = u.answers[1:]
	if a == nil {
		return
	}
	u.answer(w, a)
}

func (u *upstream) answer(w http.ResponseWriter, a *card) {
	status := http.StatusOK
	a.take("status", &status)
	var headers map[string]string
	a.take("headers", &headers)
	var body []byte
	var raw json.RawMessage
	if a.take("body", &raw) {
		body = raw
		var text string
		if json.Unmarshal(raw, &text) == nil {
			body = []byte(text)
		} else {
			w.Header().Set("Content-Type", "application/json")
		}
	}
	a.take("body_base64", &body)
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// taken are the requests since the last time.
func (u *upstream) taken() []seen {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := u.all
	u.all = nil
	return all
}

func (u *upstream) last() seen {
	all := u.taken()
	if len(all) != 1 {
		u.Errorf("%d requests came, want 1", len(all))
		return seen{}
	}
	return all[0]
}

// expected compares requests with what a card says.
type expected struct {
	*testing.T
	card    *card
	order   string   // "any" where the order of pairs is left open
	queries []string // that are right too
}

// origin takes the origin and compares it.
func (x *expected) origin(ours string) {
	var origin string
	if x.card.take("origin", &origin) && origin != ours {
		x.Errorf("origin %s, want %s", ours, origin)
	}
}

// draft compares what a request without credentials is.
func (x *expected) draft(d *httptool.Draft, hasAuth bool) {
	if x.card == nil {
		return
	}
	x.origin(d.URL.Scheme + "://" + d.URL.Host)
	copied := *x
	copied.card = &card{t: x.T, where: x.card.where, members: map[string]json.RawMessage{}}
	for _, name := range []string{"method", "path", "query"} {
		if text, ok := x.card.members[name]; ok && (name != "query" || !hasAuth) {
			copied.card.members[name] = text
		}
	}
	copied.line(seen{method: d.Method, path: d.URL.EscapedPath(), query: d.URL.RawQuery})
}

// line compares what stands in the request line.
func (x *expected) line(r seen) {
	var method, path, query string
	if x.card.take("method", &method) && method != r.method {
		x.Errorf("method %s, want %s", r.method, method)
	}
	if x.card.take("path", &path) && path != r.path && unlisted.Replace(path) != r.path {
		x.Errorf("path %s, want %s", r.path, path)
	}
	if x.card.take("query", &query) && !slices.ContainsFunc(append(x.queries, query), func(q string) bool { return x.ordered(unlisted.Replace(q)) == x.ordered(r.query) }) {
		x.Errorf("query %s, want %s", r.query, query)
	}
}

// unlisted writes members of objects of which the document lists none in the order
// that ours have. JSON objects are not ordered (RFC 8259 section 4), so that the
// fixtures' order is one of two that are right, and arguments do not keep it.
var unlisted = strings.NewReplacer(";R=100;G=200", ";G=200;R=100", "flat=R,100,G,200", "flat=G,200,R,100")

func (x *expected) ordered(query string) string {
	if x.order != "any" {
		return query
	}
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// received compares what came over the wire.
func (x *expected) received(r seen) {
	x.line(r)
	var headers map[string]string
	x.card.take("headers", &headers)
	for name, want := range headers {
		if got := r.header.Values(name); len(got) != 1 || !matches(want, got[0]) {
			x.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	var absent []string
	x.card.take("absent_headers", &absent)
	for _, name := range absent {
		if got := r.header.Values(name); got != nil {
			x.Errorf("header %s: %q, want none", name, got)
		}
	}
	x.body(r)
	x.card.end()
}

func (x *expected) body(r seen) {
	var value any
	if x.card.take("body", &value) && !reflect.DeepEqual(decoded(x.T, r.body), value) {
		x.Errorf("body %s, want %v", r.body, value)
	}
	var text string
	if x.card.take("body_raw", &text) && string(r.body) != text {
		x.Errorf("body %s, want %s", r.body, text)
	}
	var data []byte
	if x.card.take("body_base64", &data) && !bytes.Equal(r.body, data) {
		x.Errorf("body %q, want %q", r.body, data)
	}
	var none bool
	if x.card.take("no_body", &none) && none && (len(r.body) > 0 || r.header.Get("Content-Type") != "") {
		x.Errorf("body %q of type %q, want none", r.body, r.header.Get("Content-Type"))
	}
	var form [][2]string
	if x.card.take("body_form", &form) {
		if got := formOf(r.body); !reflect.DeepEqual(got, form) {
			x.Errorf("form %q, want %q", got, form)
		}
	}
	x.parts(r)
}

// formOf are the pairs of a form, decoded.
func formOf(body []byte) [][2]string {
	var all [][2]string
	for text := range strings.SplitSeq(string(body), "&") {
		name, value, _ := strings.Cut(text, "=")
		name, _ = url.QueryUnescape(name)
		value, _ = url.QueryUnescape(value)
		all = append(all, [2]string{name, value})
	}
	return all
}

func (x *expected) parts(r seen) {
	want := x.card.list("body_parts")
	if len(want) == 0 {
		return
	}
	_, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		x.Fatal(err)
	}
	parts := multipart.NewReader(bytes.NewReader(r.body), params["boundary"])
	for _, w := range want {
		p, err := parts.NextRawPart()
		if err != nil {
			x.Fatalf("%s: %v", w.where, err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			x.Fatal(err)
		}
		x.part(w, p, data)
		w.end()
	}
	if p, err := parts.NextRawPart(); err == nil {
		x.Errorf("there is one more part %q", p.FormName())
	}
}

func (x *expected) part(w *card, p *multipart.Part, data []byte) {
	for key, got := range map[string]string{"name": p.FormName(), "filename": p.FileName(), "content_type": p.Header.Get("Content-Type"), "text": string(data)} {
		var want string
		if w.take(key, &want) && !matches(want, got) {
			x.Errorf("%s: %s is %q, want %q", w.where, key, got, want)
		}
	}
	var bytesOf []byte
	if w.take("base64", &bytesOf) && !bytes.Equal(bytesOf, data) {
		x.Errorf("%s: %q, want %q", w.where, data, bytesOf)
	}
}

// matches reports whether a text is what a pattern says, in which "*" stands for
// anything.
func matches(pattern, text string) bool {
	before, after, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	return len(text) > len(before)+len(after) && strings.HasPrefix(text, before) && strings.HasSuffix(text, after)
}

// holds reports whether a text contains another in any case.
func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return v
}

// result compares what a call answered, as clients are sent it.
func (f *fixture) result(c *card, out tool.Output, err error) {
	text := ""
	if err != nil {
		text = tool.AsError(err).Text()
	}
	for _, block := range out.Content {
		text += block.Text
	}
	var failed bool
	if c.take("isError", &failed) && failed != (err != nil) {
		f.Errorf("%s: error %v, want %v", c.where, err, failed)
	}
	var contains []string
	c.take("text_contains", &contains)
	for _, want := range contains {
		if !strings.Contains(text, want) {
			f.Errorf("%s: %q does not contain %q", c.where, text, want)
		}
	}
	var content any
	if c.take("content", &content) {
		got, err := json.Marshal(out.Content)
		if err != nil || !reflect.DeepEqual(decoded(f.T, got), content) {
			f.Errorf("%s: content %s, want %v", c.where, got, content)
		}
	}
	var structured string
	if c.take("structuredContent", &structured) {
		if structured != "absent" || out.Structured != nil {
			f.Errorf("%s: structured %s, want %s", c.where, out.Structured, structured)
		}
	}
	c.end()
}

// schemas checks those of arguments and answers.
func (f *fixture) schemas(c *card) {
	var name string
	if text, ok := c.members["tool"]; ok {
		_ = json.Unmarshal(text, &name)
	}
	find := func(in *card) *spec.Operation {
		if op := f.operation(in); op != nil {
			return op
		}
		for _, op := range f.doc.Operations {
			if op.ID == name {
				return op
			}
		}
		return nil
	}
	if in := c.inside("input_schema"); in != nil {
		ops := f.doc.Operations // a fixture of several that names none is about all
		if op := find(in); op != nil {
			ops = []*spec.Operation{op}
		}
		for _, op := range ops {
			one := in.copy()
			f.input(one, op)
			one.end()
		}
	}
	if out := c.inside("output_schema"); out != nil {
		f.output(out, find(out))
		out.end()
	}
}

// input checks the schema of arguments: what models are shown and what is
// enforced.
func (f *fixture) input(c *card, op *spec.Operation) {
	full := node(f.T, f.doc.Arguments(op))
	shown := node(f.T, op.Shown)
	var names []string
	c.take("required_params", &names)
	for _, key := range names {
		p := parameter(op, key)
		if p == nil || !contains(full["required"], p.Arg) || !contains(shown["required"], p.Arg) {
			f.Errorf("%s is not required", key)
		}
	}
	names = nil
	c.take("absent_params", &names)
	for _, key := range names {
		_, name, _ := strings.Cut(key, ".")
		if parameter(op, key) != nil || properties(full)[name] != nil || properties(shown)[name] != nil {
			f.Errorf("%s is an argument", key)
		}
	}
	var parts map[string]json.RawMessage
	c.take("param", &parts)
	for key, text := range parts {
		f.parameter(newCard(f.T, c.where+".param."+key, text), op, key, full, shown)
	}
	f.inputBody(c, op, full, shown)
	f.form(c, op)
}

// parameter checks the schema of one parameter: literal keywords in what models
// are shown, values by the schema that is enforced.
func (f *fixture) parameter(c *card, op *spec.Operation, key string, full, shown map[string]any) {
	p := parameter(op, key)
	if p == nil {
		f.Errorf("there is no %s", key)
		return
	}
	free := maps.Clone(full)
	delete(free, "required")
	text, err := json.Marshal(free)
	if err != nil {
		f.Fatal(err)
	}
	s, err := schema.Compile(text)
	if err != nil {
		f.Fatal(err)
	}
	var values []any
	c.take("accepts", &values)
	for _, v := range values {
		if err := s.Validate(map[string]any{p.Arg: v}); err != nil {
			f.Errorf("%s does not accept %v: %v", key, v, err)
		}
	}
	values = nil
	c.take("rejects", &values)
	for _, v := range values {
		if s.Validate(map[string]any{p.Arg: v}) == nil {
			f.Errorf("%s accepts %v", key, v)
		}
	}
	f.literal(c, properties(shown)[p.Arg])
}

// literal compares all that is left of a card with the keywords of a schema.
func (f *fixture) literal(c *card, property any) {
	have, _ := property.(map[string]any)
	for name := range maps.Clone(c.members) {
		var want any
		c.take(name, &want)
		if !reflect.DeepEqual(have[name], want) {
			f.Errorf("%s.%s is %v, want %v", c.where, name, have[name], want)
		}
	}
}

func (f *fixture) inputBody(c *card, op *spec.Operation, full, shown map[string]any) {
	s, err := schema.Compile(f.doc.Arguments(op))
	if err != nil {
		f.Fatal(err)
	}
	var bodies []any
	c.take("accepts_body", &bodies)
	for _, v := range bodies {
		args := map[string]any{}
		f.body(op, v, args)
		if err := s.Validate(args); err != nil {
			f.Errorf("the body %v is refused: %v", v, err)
		}
	}
	bodies = nil
	c.take("rejects_body", &bodies)
	for _, v := range bodies {
		args := map[string]any{}
		f.body(op, v, args)
		if s.Validate(args) == nil {
			f.Errorf("the body %v is accepted", v)
		}
	}
	var names []string
	c.take("body_absent", &names)
	for _, path := range names {
		if find(full, path) != nil || find(shown, path) != nil {
			f.Errorf("the body has %s", path)
		}
	}
	names = nil
	c.take("body_required", &names)
	for _, name := range names {
		if !contains(full["required"], field(op, name)) || !contains(shown["required"], field(op, name)) {
			f.Errorf("%s is not required", name)
		}
	}
	if len(names) > 0 && len(full["required"].([]any)) != len(names) {
		f.Errorf("required are %v, want %v", full["required"], names)
	}
	var parts map[string]json.RawMessage
	c.take("body_property", &parts)
	for name, text := range parts {
		// What the portable form leaves out stands in the whole.
		f.literal(newCard(f.T, c.where+".body_property."+name, text), properties(full)[field(op, name)])
	}
}

// form checks the schema as a text.
func (f *fixture) form(c *card, op *spec.Operation) {
	full := f.doc.Arguments(op)
	var words []string
	c.take("mentions", &words)
	for _, word := range words {
		if !bytes.Contains(op.Shown, []byte(word)) {
			f.Errorf("what is shown does not mention %q: %s", word, op.Shown)
		}
	}
	var prefix string
	if c.take("no_ref_prefix", &prefix) && (bytes.Contains(full, []byte(prefix)) || bytes.Contains(op.Shown, []byte(prefix))) {
		f.Errorf("there is a reference to %s", prefix)
	}
	var is bool
	if c.take("self_contained", &is) && is {
		for _, text := range [][]byte{full, op.Shown} {
			if out := dangling(node(f.T, text)); len(out) > 0 {
				f.Errorf("there are references to %q", out)
			}
		}
	}
	words = nil
	c.take("no_keywords", &words)
	for _, word := range words {
		if bytes.Contains(full, []byte(`"`+word+`"`)) || bytes.Contains(op.Shown, []byte(`"`+word+`"`)) {
			f.Errorf("there is %q", word)
		}
	}
	var draft string
	if c.take("valid_json_schema", &draft) {
		f.valid(draft, full)
		f.valid(draft, op.Shown)
	}
	var pattern string
	if c.take("property_names_pattern", &pattern) {
		for name := range properties(node(f.T, full)) {
			if !regexp.MustCompile(pattern).MatchString(name) {
				f.Errorf("the argument %q does not match %s", name, pattern)
			}
		}
	}
}

// valid asks two others than ours whether a schema is one.
func (f *fixture) valid(draft string, text []byte) {
	if draft != "2020-12" {
		f.Fatalf("there is no check of %s", draft)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		f.Fatal(err)
	}
	if _, err := s.Resolve(nil); err != nil {
		f.Error(err)
	}
}

// output checks the schema of answers.
func (f *fixture) output(c *card, op *spec.Operation) {
	text := f.doc.Answer(op)
	s, err := schema.Compile(text)
	if err != nil {
		f.Fatal(err)
	}
	var names []string
	c.take("absent", &names)
	for _, name := range names {
		if find(node(f.T, text), "answer."+name) != nil {
			f.Errorf("answers have %s", name)
		}
	}
	var values []any
	c.take("accepts", &values)
	for _, v := range values {
		if err := s.Validate(map[string]any{"answer": v}); err != nil {
			f.Errorf("the answer %v is refused: %v", v, err)
		}
	}
}

// node decodes a schema.
func node(t *testing.T, text []byte) map[string]any {
	t.Helper()
	n, ok := decoded(t, text).(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return n
}

func properties(n map[string]any) map[string]any {
	p, _ := n["properties"].(map[string]any)
	return p
}

// find follows names of properties and references; nil where there is nothing.
func find(root map[string]any, path string) map[string]any {
	n := root
	for name := range strings.SplitSeq(path, ".") {
		next, _ := properties(n)[name].(map[string]any)
		if ref, ok := next["$ref"].(string); ok {
			defs, _ := root["$defs"].(map[string]any)
			next, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		if n = next; n == nil {
			return nil
		}
	}
	return n
}

// dangling lists the references of a schema that lead to nothing in it.
func dangling(root map[string]any) []string {
	defs, _ := root["$defs"].(map[string]any)
	var all []string
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				visit(x)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				key, inside := strings.CutPrefix(ref, "#/$defs/")
				if _, known := defs[key]; !inside || !known {
					all = append(all, ref)
				}
			}
			for _, x := range v {
				visit(x)
			}
		}
	}
	visit(root)
	return all
}

func contains(list any, name string) bool {
	all, _ := list.([]any)
	return slices.Contains(all, any(name))
}
