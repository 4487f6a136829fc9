package openapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// guard is a server that holds every request against the document.
type guard struct {
	doc   *openapi3.T
	op    *spec.Operation // whose request comes next
	under string          // the path that the operation is under, as it is sent
	came  [][]string      // of each request, what is wrong with it
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	problems := problemsOf(g.check(r))
	g.came = append(g.came, problems)
	// Not claimed to be JSON, which would be held against the schemas of answers.
	w.Header().Set("Content-Type", "text/plain")
	if problems != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
	_, _ = w.Write([]byte("{}"))
}

// problemsOf takes an error of several apart, each on one line.
func problemsOf(err error) []string {
	if err == nil {
		return nil
	}
	var all []string
	if several, ok := errors.AsType[openapi3.MultiError](err); ok && several.Error() == err.Error() {
		for _, one := range several {
			all = append(all, problemsOf(one)...)
		}
		return all
	}
	return []string{strings.ReplaceAll(err.Error(), "\n", " ")}
}

// check is what the request breaks, as kin-openapi sees it. Which operation
// it is for is known: some documents have several of one method and path.

func (g *guard) check(r *http.Request) error {
	item := g.doc.Paths.Value(g.op.Path)
	if item == nil || item.GetOperation(g.op.Method) == nil {
		return fmt.Errorf("kin-openapi has no %s %s", g.op.Method, g.op.Path)
	}
	if r.Method != g.op.Method {
		return fmt.Errorf("method %s", r.Method)
	}
	params, err := g.placeholders(r.URL.EscapedPath())
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params,
		Route:   &routers.Route{Spec: g.doc, Path: g.op.Path, PathItem: item, Method: g.op.Method, Operation: item.GetOperation(g.op.Method)},
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, SkipSettingDefaults: true},
	})
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// placeholders are the values that stand in a path for those of the template.
func (g *guard) placeholders(path string) (map[string]string, error) {
	template := template(g.op)
	var pattern strings.Builder
	var names []string
	pattern.WriteString("^" + regexp.QuoteMeta(g.under))
	rest := template
	for _, m := range placeholder.FindAllStringSubmatch(template, -1) {
		before, after, _ := strings.Cut(rest, m[0])
		pattern.WriteString(regexp.QuoteMeta(before) + "([^/]*)")
		names, rest = append(names, m[1]), after
	}
	pattern.WriteString(regexp.QuoteMeta(rest) + "$")
	found := regexp.MustCompile(pattern.String()).FindStringSubmatch(path)
	if found == nil {
		return nil, fmt.Errorf("the path %s is not %s", path, pattern.String())
	}
	values := map[string]string{}
	for i, name := range names {
		value, err := url.PathUnescape(found[i+1])
		if err != nil {
			return nil, err
		}
		values[name] = value
	}
	return values, nil
}

// round is one document, its services at a guard by the path they are under, and
// their client.
type round struct {
	*testing.T
	doc      *openapi.Document
	real     *openapi.Service // at the document's own address
	guard    *guard
	server   *httptest.Server
	client   *httptool.Client
	services map[string]*openapi.Service
}

func newRound(t *testing.T, d *openapi.Document, theirs *openapi3.T) *round {
	r := &round{T: t, doc: d, real: service(t, d), guard: &guard{doc: theirs}, client: nearby(t), services: map[string]*openapi.Service{}}
	r.server = httptest.NewServer(r.guard)
	t.Cleanup(r.server.Close)
	return r
}

// send runs an operation. It says what the guard has against the request, or why
// there is none.
func (r *round) send(op *spec.Operation, args map[string]any) []string {
	draft, err := r.real.Draft(op, args)
	if err != nil {
		return []string{"not sent: " + err.Error()}
	}
	path := draft.URL.EscapedPath()
	r.guard.under = strings.TrimSuffix(path, suffix(path, op))
	r.guard.op, r.guard.came = op, nil
	local := *op
	local.Servers = nil // the operation's own server is no place for tests
	var problems diag.Report
	runner, err := r.at(r.guard.under).Runner(cursor(&problems), &local, httptool.Answers{}, httptool.Deps{Client: r.client, Output: tool.OutputAuto})
	if err != nil || runner == nil {
		r.Fatal(err, problems.Problems())
	}
	_, err = runner.Run(r.Context(), tool.Input{Args: args, Call: &tool.Call{}, Spec: &tool.Spec{Name: op.ID, MaxOutput: 1 << 20}})
	switch came := r.guard.came; {
	case len(came) != 1:
		return []string{fmt.Sprintf("%d requests came: %v", len(came), err)}
	case (came[0] == nil) != (err == nil):
		return append(came[0], fmt.Sprintf("the call ended with %v", err))
	default:
		return came[0]
	}
}

// at is the API of the document at the guard, under a path.
func (r *round) at(path string) *openapi.Service {
	if s := r.services[path]; s != nil {
		return s
	}
	var problems diag.Report
	s := openapi.New(cursor(&problems), openapi.Config{BaseURL: r.server.URL + path}, r.doc, openapi.Deps{Client: r.client})
	if s == nil {
		r.Fatal(problems.Problems())
	}
	r.services[path] = s
	return s
}

// refusal is a class of what guards have against requests.
type refusal struct {
	name  string
	why   string
	is    *regexp.Regexp
	count int // of requests, in all documents
	small int // in those that are looked at under the race detector
}

// refusals are all that there are. None is a fault of the request. Sections that
// are named are those of OpenAPI 3.1.1.
func refusals() []refusal {
	return []refusal{
		{
			name:  "lists as deepObject",
			why:   "OpenAPI defines deepObject for objects alone (Style Values); Stripe declares it for lists and reads a[0]=b, kin-openapi refuses the parameter",
			is:    regexp.MustCompile(`in query has an error: invalid serialization method: style="deepObject"`),
			count: 265, small: 0,
		},
		{
			name:  "exploded cookies",
			why:   "kin-openapi does not read lists and objects of the default style of cookies (form, exploded)",
			is:    regexp.MustCompile(`in cookie has an error: invalid serialization method: style="form", explode=true`),
			count: 4, small: 4,
		},
		{
			name:  "objects in forms",
			why:   "kin-openapi reads only scalars and lists of a form, and finds no property that is written with brackets or as JSON or is behind anyOf (Encoding Object)",
			is:    regexp.MustCompile(`unsupported schema of request body|doesn't match schema: Error at "[^"]*": property "[^"]*" is missing`),
			count: 69, small: 40,
		},
		{
			name:  "styles of multipart parts",
			why:   "the encoding says that a part is written in a style (Encoding Object); kin-openapi takes parts as whole properties",
			is:    regexp.MustCompile(`failed to decode request body: (part [\w\[\]]+: undefined|path object: value .*: schema has non primitive type object)`),
			count: 13, small: 12,
		},
		{
			name:  "alternatives in multipart parts",
			why:   "kin-openapi takes a part whose schema is anyOf for null",
			is:    regexp.MustCompile(`Error at "/model": doesn't match any schema from "anyOf"|at '/model': got null, want string`),
			count: 3, small: 0,
		},
		{
			name:  "commas in values",
			why:   "kin-openapi splits after it decoded, where %2C is a comma like others; in a header a comma cannot be encoded at all (Appendix D)",
			is:    regexp.MustCompile(`a value must be a list of object's properties in format`),
			count: 22, small: 22,
		},
		{
			name:  "headers that are no parameters",
			why:   "parameters named Accept, Content-Type and Authorization are to be ignored (Parameter Object, name); kin-openapi asks for them",
			is:    regexp.MustCompile(`parameter "Authorization" in header has an error: value is required`),
			count: 4, small: 0,
		},
		{
			name:  "base64 of format byte",
			why:   "a text that is no base64, which is for the reader to know (as in TestVerdicts)",
			is:    regexp.MustCompile(`doesn't match the format "byte"`),
			count: 13, small: 4,
		},
		{
			name:  "media types without a decoder",
			why:   "kin-openapi reads no application/cbor and no application/sdp",
			is:    regexp.MustCompile(`unsupported content type "application/(cbor|sdp)"`),
			count: 3, small: 2,
		},
		{
			name:  "patterns that look ahead",
			why:   "kin-openapi compiles patterns of ECMA 262 with Go's regexp",
			is:    regexp.MustCompile("invalid or unsupported Perl syntax: `\\(\\?!`"),
			count: 5, small: 0,
		},
		{
			name:  "a text or a list",
			why:   "GitHub's \"has\" is oneOf of a text and a list: kin-openapi reads the text as a list",
			is:    regexp.MustCompile(`parameter "has" in query has an error: doesn't match schema due to: value must be a string`),
			count: 3, small: 0,
		},
		{
			name:  "anything behind oneOf",
			why:   "kin-openapi reads no value of a parameter whose schema is oneOf with a branch that says nothing, and then finds it empty",
			is:    regexp.MustCompile(`parameter "(orderBy|continuationToken)" in query has an error: empty value is not allowed`),
			count: 2, small: 2,
		},
		{
			name:  "objects in lists in a query",
			why:   "no style has a form for them (Style Examples), and ours is JSON",
			is:    regexp.MustCompile(`parameter "inputs" in query has an error: path 0: value \{.*\}: schema has non primitive type object`),
			count: 1, small: 1,
		},
	}
}

// TestLive sends the golden arguments that satisfy their document to a server that
// holds each request against the document, by kin-openapi.
func TestLive(t *testing.T) {
	sent, accepted, unread := 0, 0, []string{}
	classes, counts := refusals(), map[string]int{}
	for name, all := range goldens(t) {
		if left(t, name) {
			continue
		}
		theirs, err := kin(t, name)
		if err != nil {
			unread = append(unread, name)
			continue
		}
		d := load(t, name)
		ops := operations(d)
		r := newRound(t, d, theirs)
		for i := range all {
			op := ops[all[i].Operation]
			c := checks(d, op)
			args := c.Cast(all[i].arguments(op))
			if c.Validate(args) != nil {
				continue
			}
			sent++
			problems := r.send(op, args)
			if len(problems) == 0 {
				accepted++
			}
			for class := range classed(t, classes, name+": "+all[i].Operation, problems) {
				counts[class]++
			}
		}
	}
	t.Logf("sent %d, accepted %d, refusals: %v", sent, accepted, counts)
	if wantSent, wantAccepted := either(9008, 2183), either(8601, 2096); sent != wantSent || accepted != wantAccepted {
		t.Errorf("%d were sent and %d accepted, want %d and %d", sent, accepted, wantSent, wantAccepted)
	}
	for _, c := range classes {
		if want := either(c.count, c.small); counts[c.name] != want {
			t.Errorf("%s: %d, want %d (%s)", c.name, counts[c.name], want, c.why)
		}
	}
	slices.Sort(unread)
	if want := either(5, 3); len(unread) != want {
		t.Errorf("kin-openapi does not read %q, want %d of them", unread, want)
	}
}

// classed are the classes of what a guard has against one request.
func classed(t *testing.T, classes []refusal, where string, problems []string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, problem := range problems {
		i := slices.IndexFunc(classes, func(c refusal) bool { return c.is.MatchString(problem) })
		if i < 0 {
			t.Errorf("%s: a refusal of no known class: %.400s", where, problem)
			continue
		}
		found[classes[i].name] = true
	}
	return found
}
