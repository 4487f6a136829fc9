// Package httpapi is the door for programs that speak plain HTTP and JSON: the
// list of tools in the shape their model provider takes, calls, and whole steps
// of a model.
//
//	GET    /v1/tools?format=openai-chat|mcp   {"tools": [...]}, with an ETag
//	POST   /v1/tools/{name}/call              the arguments in, a result out
//	POST   /v1/tools/{name}/call?wait=SECONDS the same, or 202 and a handle
//	POST   /v1/calls                          a model's calls in, results and messages out
//	GET    /v1/calls/{id}?wait=SECONDS        how a call with a handle stands
//	DELETE /v1/calls/{id}                     cancels it
//	GET    /healthz                           200 while the process serves
//	GET    /readyz                            200 when calls may be sent, else 503
//
// Everything is JSON, but for the events that POST /v1/calls sends to whom asks
// for them. A call is answered with the same result object on every status; what
// never became a call is {"error": {"error_type", "message", "hint"}}. The chat
// that calls belong to is named by the header X-Chat-Id or by ?chat=.
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
}

// Options are what the API may be given; the zero value works.
type Options struct {
	// Ready says what is missing before calls may be sent, in a sentence that
	// anyone may read, or nil when nothing is. Without it the API is always ready.
	Ready  func() error
	Logger *slog.Logger // told of panics only; nothing is logged when nil

	Batch   Batch   // runs steps of a model; without it POST /v1/calls is not served
	Handles Handles // starts calls that end later; without it their paths and "wait" are not served
}

type api struct {
	gateway Gateway
	ready   func() error
	logger  *slog.Logger
	batch   Batch
	handles Handles
}

// New returns the API as a handler for the whole of its paths. It checks neither
// Host nor Origin: wrap it in [Guard].
func New(gateway Gateway, opts Options) http.Handler {
	a := &api{
		gateway: gateway, ready: opts.Ready, batch: opts.Batch, handles: opts.Handles,
		logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/tools", only(methods{http.MethodGet: a.listTools}))
	mux.Handle("/v1/tools/{name}/call", only(methods{http.MethodPost: a.callTool}))
	if a.batch != nil {
		mux.Handle("/v1/calls", only(methods{http.MethodPost: a.runCalls}))
	}
	if a.handles != nil {
		mux.Handle("/v1/calls/{id}", only(methods{http.MethodGet: a.showCall, http.MethodDelete: a.cancelCall}))
	}
	mux.Handle("/healthz", only(methods{http.MethodGet: a.healthz}))
	mux.Handle("/readyz", only(methods{http.MethodGet: a.readyz}))
	mux.HandleFunc("/", noRoute)
	return a.recovering(exact(mux))
}

// recovering answers a fault of the house as one, in JSON. Nothing of an answer
// has been sent by then: every handler sends what it has made in one piece, but
// for streams of events, which see to their panics themselves.
func (a *api) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if reason := recover(); reason != nil {
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

func (a *api) healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (a *api) readyz(w http.ResponseWriter, _ *http.Request) {
	if a.ready != nil {
		if err := a.ready(); err != nil {
			writeJSON(w, http.StatusServiceUnavailable, map[string]string{"status": "not ready", "missing": err.Error()})
			return
		}
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

// caller is who sends a request.
func caller(r *http.Request) tool.Caller { return tool.CallerOf(r.Context(), tool.KindHTTP) }
