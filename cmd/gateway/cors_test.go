package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// exposed holds that pages may read every header that was answered, and that all
// they are told of was.
func (d *description) exposed(handler http.Handler) {
	d.t.Helper()
	// A page needs no leave for the first seven (Fetch standard, "CORS-safelisted
	// response-header name"), and has no use for the others.
	free := "Cache-Control Content-Language Content-Length Content-Type Expires Last-Modified Pragma " +
		"Access-Control-Allow-Origin Access-Control-Expose-Headers Vary Content-Security-Policy X-Content-Type-Options"
	read := func(method, target string) http.Header {
		req := httptest.NewRequest(method, "http://localhost"+target, http.NoBody)
		req.Header.Set("Origin", "https://app.example.com")
		res := httptest.NewRecorder()
		handler.ServeHTTP(res, req)
		return res.Header()
	}
	for name := range read(http.MethodPost, "/v1/tools") { // another method than it takes
		d.headers[name] = "POST /v1/tools"
	}
	told := strings.Split(read(http.MethodGet, "/healthz").Get("Access-Control-Expose-Headers"), ", ")
	for i, name := range told {
		told[i] = http.CanonicalHeaderKey(name)
	}
	for name, what := range d.headers {
		if !slices.Contains(told, name) && !slices.Contains(strings.Fields(free), name) {
			d.t.Errorf("pages may not read %s of %s", name, what)
		}
	}
	// Those of doors and refusals that are not asked here.
	for _, name := range []string{"Mcp-Session-Id", "Retry-After"} {
		d.headers[name] = "elsewhere"
	}
	for _, name := range told {
		if d.headers[name] == "" {
			d.t.Errorf("pages are told of %q, which no answer has", name)
		}
	}
}
