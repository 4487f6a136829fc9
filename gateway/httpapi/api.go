// Package httpapi is the door for programs that speak plain HTTP and JSON: the
// list of tools in the shape their model provider takes, calls, and whole steps
// of a model.
//
//	GET    /v1/tools?format=                  {"tools": [...]}, with an ETag
//	GET    /v1/tools?deferred=true            those that searches find, too
//	GET    /v1/tools/{name}?format=            one of them
//	POST   /v1/tools/{name}/call              the arguments in, a result out
//	POST   /v1/tools/{name}/call?wait=SECONDS the same, or 202 and a handle
//	POST   /v1/discover                       {"query": "..."}: tools that do what it says
//	POST   /v1/calls                          a model's calls in, results and messages out
//	GET    /v1/calls/{id}?wait=SECONDS        how a call with a handle stands
//	DELETE /v1/calls/{id}                     cancels it
//	GET    /v1/results/{handle}               the bytes of a large result, or a part of them
//	GET    /v1/events                         what happens, as server-sent events
//	POST   /v1/policy/explain                 what the rules decide about a call; for administrators
//	GET    /v1/openapi.json                   all this, in OpenAPI 3.1
//	GET    /v1/chats/{id}                     what a chat holds
//	PUT    /v1/chats/{id}                     {"context": {...}}: the fields it holds from now on
//	DELETE /v1/chats/{id}                     forgets it
//	GET    /v1/chats/{id}/files               the files of a chat
//	PUT    /v1/chats/{id}/files/{path}        the bytes of one, whose path may have slashes; GET, DELETE
//	GET    /v1/approvals?state=&caller=       calls that wait for a person; for approvers
//	GET    /v1/approvals/{id}                 one of them
//	POST   /v1/approvals/{id}/approve         lets it run, once; /deny refuses it
//	GET    /v1/chats?asking=true              the chats that hold something
//	GET    /v1/chats/{id}/groups              the groups of tools that are active in it, and that could be
//	PUT    /v1/chats/{id}/groups              {"groups": [...]}: those that are active from now on; for who may activate
//	DELETE /v1/chats/{id}/requests/{group}    declines what its model asked for
//	GET    /v1/hints?group=                   what tools are found by; for administrators
//	PUT    /v1/hints?group=                   {"hints": [...]}: takes further ones in
//	POST   /v1/reload                         reads the configuration again; for administrators
//	GET    /v1/log?limit=N&cursor=C           the record of calls, by pages; filters
//	GET    /v1/log/{id}                       one call of it
//	GET    /v1/log/stats                      counts by tool
//	GET    /healthz                           200 while the process serves
//	GET    /readyz                            200 when calls may be sent, else 503, and why
//	GET    /metrics                           figures for Prometheus
//
// Everything is JSON, but for large results, files, figures, and events, which POST
// /v1/calls too sends to whom asks for them. A call is answered with the same result
// object on every status; what never became a call is {"error": {"error_type",
// "message", "hint"}}, and at the path of a call a result object with such an error.
// The chat that calls belong to is named by the header X-Chat-Id or by ?chat=.
package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Gateway is what this door needs of the house.
type Gateway interface {
	// Call runs one call and always answers.
	Call(ctx context.Context, call tool.Call) tool.Result
	// Tools gives what the caller may see, in list order. The specs are not changed.
	Tools(ctx context.Context, view tool.View) []*tool.Spec
	// AllTools gives what Tools does in a chat that has found nothing, and behind that
	// every deferred tool, in list order.
	AllTools(ctx context.Context, view tool.View) []*tool.Spec
	// HasProfile reports whether there is a profile of the name now.
	HasProfile(name string) bool
}

// Options are what the API may be given; the zero value works.
type Options struct {
	Checks  []Check      // what has to hold before calls may be sent; without any the API is always ready
	Metrics http.Handler // answers GET /metrics; without it the path is not served
	Logger  *slog.Logger // told of faults of the gateway; nothing is logged when nil

	Approvals Approvals // calls that wait for a person; without it their paths are not served

	Batch   Batch      // runs steps of a model; without it POST /v1/calls is not served
	Once    Once       // runs calls with a key once; without it the key is not read
	Chats   Chats      // keeps what belongs to chats; without it their paths are not served
	Files   ChatFiles  // files of chats; without it their paths are not served
	Groups  ChatGroups // without it the paths of groups in chats are not served
	Handles Handles    // starts calls that end later; without it their paths and "wait" are not served

	Results   Results   // without it GET /v1/results/{handle} is not served
	Explainer Explainer // without it POST /v1/policy/explain is not served
	Feed      *Feed     // without it GET /v1/events is not served
	Reload    Reloader  // without it POST /v1/reload is not served
	Log       Log       // the record of calls; without it its paths are not served
	Hints     Hints     // what tools are found by; without it its path is not served
}

type api struct {
	gateway Gateway
	checks  []Check
	metrics http.Handler
	logger  *slog.Logger
	batch   Batch
	chats   Chats
	files   ChatFiles
	groups  ChatGroups
	handles Handles
	once    Once
	results Results
	feed    *Feed
	reload  Reloader

	approvals Approvals
	explainer Explainer
	log       Log
	hints     Hints

	written written // lists of tools
}

// New returns the API as a handler for the whole of its paths. It checks neither
// Host nor Origin: wrap it in access.Guard.
func New(gateway Gateway, opts Options) http.Handler {
	a := newAPI(gateway, opts)
	mux := http.NewServeMux()
	for path, known := range a.routes() {
		mux.Handle(path, only(known))
	}
	mux.HandleFunc("/", noRoute)
	return a.recovering(exact(mux))
}

func newAPI(gateway Gateway, opts Options) *api {
	return &api{
		gateway: gateway, checks: opts.Checks, metrics: opts.Metrics, batch: opts.Batch, handles: opts.Handles, once: opts.Once, chats: opts.Chats, files: opts.Files, groups: opts.Groups,
		results: opts.Results, feed: opts.Feed, explainer: opts.Explainer, reload: opts.Reload, log: opts.Log, approvals: opts.Approvals, hints: opts.Hints,
		logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
	}
}

// routes are the paths that are served and what they do. openapi.json describes
// every one of them.
func (a *api) routes() map[string]methods {
	get, post := http.MethodGet, http.MethodPost
	all := map[string]methods{
		"/v1/tools":             {get: a.listTools},
		"/v1/tools/{name}":      {get: a.showTool},
		"/v1/tools/{name}/call": {post: a.callTool},
		"/v1/discover":          {post: a.discover},
		"/healthz":              {get: a.healthz},
		"/readyz":               {get: a.readyz},
	}
	if a.approvals != nil {
		all["/v1/approvals"], all["/v1/approvals/{id}"] = methods{get: a.listApprovals}, methods{get: a.showApproval}
		all["/v1/approvals/{id}/approve"], all["/v1/approvals/{id}/deny"] = methods{post: a.answerApproval(true)}, methods{post: a.answerApproval(false)}
	}
	if a.batch != nil {
		all["/v1/calls"] = methods{post: a.runCalls}
	}
	if a.chats != nil {
		all["/v1/chats"] = methods{get: a.listChats}
		all["/v1/chats/{id}"] = methods{get: a.showChat, http.MethodPut: a.setChat, http.MethodDelete: a.dropChat}
	}
	if a.files != nil {
		all["/v1/chats/{id}/files"] = methods{get: a.listFiles}
		all["/v1/chats/{id}/files/{path...}"] = methods{get: a.showFile, http.MethodPut: a.putFile, http.MethodDelete: a.deleteFile}
	}
	if a.chats != nil && a.groups != nil {
		all["/v1/chats/{id}/groups"] = methods{get: a.showGroups, http.MethodPut: a.setGroups}
		all["/v1/chats/{id}/requests/{group}"] = methods{http.MethodDelete: a.declineRequest}
	}
	if a.handles != nil {
		all["/v1/calls/{id}"] = methods{get: a.showCall, http.MethodDelete: a.cancelCall}
	}
	if a.results != nil {
		all["/v1/results/{handle}"] = methods{get: a.showResult}
	}
	if a.explainer != nil {
		all["/v1/policy/explain"] = methods{post: a.explainCall}
	}
	if a.feed != nil {
		all["/v1/events"] = methods{get: a.followEvents}
	}
	if a.reload != nil {
		all["/v1/reload"] = methods{post: a.reloadConfig}
	}
	if a.log != nil {
		all["/v1/log"], all["/v1/log/{id}"], all["/v1/log/stats"] = methods{get: a.showLog}, methods{get: a.showRecord}, methods{get: a.showLogStats}
	}
	if a.hints != nil {
		all["/v1/hints"] = methods{get: a.listHints, http.MethodPut: a.importHints}
	}
	if a.metrics != nil {
		all["/metrics"] = methods{get: scraping(a.metrics)}
	}
	all["/v1/openapi.json"] = methods{get: describing(all)}
	return all
}

// recovering answers a fault of the house as one, in JSON. Nothing of an answer
// has been sent by then: every handler sends what it has made in one piece, but
// for streams of events, which see to their panics themselves.
func (a *api) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if reason := recover(); reason == http.ErrAbortHandler {
				panic(reason) // half an answer was sent: the connection ends
			} else if reason != nil {
				a.logPanic(r, reason)
				p := &problem{status: http.StatusInternalServerError, Type: typeInternal, Message: "the gateway could not answer because of a fault of its own"}
				p.write(w)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func (a *api) logPanic(r *http.Request, reason any) {
	a.logger.ErrorContext(r.Context(), "panic in an HTTP request", "path", r.URL.Path, "panic", reason, "stack", string(debug.Stack()))
}

// logFault tells the operator of a fault of the gateway, of which the answer says
// nothing. What fails because the client hung up is none.
func (a *api) logFault(r *http.Request, e *tool.Error) {
	if e.Code == tool.Internal && r.Context().Err() == nil {
		a.logger.ErrorContext(r.Context(), "a request failed", "path", r.URL.Path, "problem", e.Error())
	}
}

// exact answers paths that are not written plainly, such as /v1//tools, like any
// other unknown one. The mux would send them elsewhere, with a page of HTML.
func exact(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Clean(r.URL.Path) != r.URL.Path {
			noRoute(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func noRoute(w http.ResponseWriter, _ *http.Request) {
	p := &problem{status: http.StatusNotFound, Type: typeNoRoute, Message: "nothing is served at this path"}
	p.write(w)
}

// methods are what a path does, by method.
type methods map[string]http.HandlerFunc

// only admits the methods that a path has; HEAD counts as GET.
func only(known methods) http.Handler {
	names := slices.Sorted(maps.Keys(known))
	if get, ok := known[http.MethodGet]; ok {
		known[http.MethodHead] = get
		at := slices.Index(names, http.MethodGet)
		names = slices.Insert(names, at+1, http.MethodHead)
	}
	allow := strings.Join(names, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if next, ok := known[r.Method]; ok {
			next(w, r)
			return
		}
		w.Header().Set("Allow", allow)
		p := &problem{status: http.StatusMethodNotAllowed, Type: typeBadMethod, Message: "this path takes " + allow + " only"}
		p.write(w)
	})
}

// caller is who sends a request.
func caller(r *http.Request) tool.Caller { return tool.CallerOf(r.Context(), tool.KindHTTP) }
