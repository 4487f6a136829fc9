// Package httpapi is the door for programs that speak plain HTTP and JSON: the
// list of tools in the shape their model provider takes, and calls.
//
//	GET  /v1/tools?format=openai-chat|mcp   {"tools": [...]}, with an ETag
//	POST /v1/tools/{name}/call              the arguments in, a result out
//	GET  /healthz                           200 while the process serves
//	GET  /readyz                            200 when calls may be sent, else 503
//
// Everything is JSON. A call is answered with the same result object on every
// status; what never became a call is {"error": {"error_type", "message", "hint"}}.
package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Gateway is what this door needs of the house.
type Gateway interface {
	// Call runs one call and always answers.
	Call(ctx context.Context, call tool.Call) tool.Result
	// Tools gives what the caller may see, in list order. The specs are not changed.
	Tools(ctx context.Context, caller tool.Caller) []*tool.Spec
}

// Options are what the API may be given; the zero value works.
type Options struct {
	// Ready says what is missing before calls may be sent, in a sentence that
	// anyone may read, or nil when nothing is. Without it the API is always ready.
	Ready  func() error
	Logger *slog.Logger // told of panics only; nothing is logged when nil
}

type api struct {
	gateway Gateway
	ready   func() error
	logger  *slog.Logger
}

// New returns the API as a handler for the whole of its paths. It checks neither
// Host nor Origin: wrap it in [Guard].
func New(gateway Gateway, opts Options) http.Handler {
	a := &api{gateway: gateway, ready: opts.Ready, logger: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))}
	mux := http.NewServeMux()
	mux.Handle("/v1/tools", only(http.MethodGet, a.listTools))
	mux.Handle("/v1/tools/{name}/call", only(http.MethodPost, a.callTool))
	mux.Handle("/healthz", only(http.MethodGet, a.healthz))
	mux.Handle("/readyz", only(http.MethodGet, a.readyz))
	mux.HandleFunc("/", noRoute)
	return a.recovering(exact(mux))
}

// recovering answers a fault of the house as one, in JSON. Nothing of an answer
// has been sent by then: every handler sends what it has made in one piece.
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

// only admits one method; HEAD counts as GET.
func only(method string, next http.HandlerFunc) http.Handler {
	allow := method
	if method == http.MethodGet {
		allow = "GET, HEAD"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == method || (method == http.MethodGet && r.Method == http.MethodHead) {
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

// caller is who sends a request. Nobody authenticates yet.
func caller() tool.Caller {
	return tool.Caller{ID: "anonymous", Name: "anonymous", Kind: tool.KindHTTP}
}
