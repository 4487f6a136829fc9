package reload_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// petsDocument is a document with one operation, whose answers have a schema in
// another file.
func petsDocument(summary string) string {
	return `{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "servers": [{"url": "http://pets.example"}],
		"paths": {"/pets": {"get": {"operationId": "list", "summary": "` + summary + `",
			"responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "pet.json"}}}}}}}}}`
}

// TestDocuments reloads when the document of a source says something else, in its
// main file or another one, and changes nothing when it cannot be read.
func TestDocuments(t *testing.T) {
	t.Parallel()
	h := opened(t, map[string]string{
		"tools.yaml": "version: 1\nsources: {pets: {openapi: {spec: api.json}}}\n",
		"api.json":   petsDocument("List"), "pet.json": `{"type": "object"}`,
	})
	want := func(what, want string) {
		t.Helper()
		if got := h.reload(); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	want("the same", `{"generation":1,"list_changed":false}`)
	h.write(map[string]string{"pet.json": `{"type": "object", "properties": {"id": {"type": "integer"}}}`})
	want("another answer", `{"generation":2,"changes":{"sources":{"changed":{"pets":["openapi.spec content"]}}},"list_changed":false}`)
	h.write(map[string]string{"api.json": petsDocument("List all")})
	want("another text", `"changed":{"pets":["openapi.spec content"]}},"tools":{"changed":{"pets-list":["description"]}}},"list_changed":true}`)
	h.write(map[string]string{"api.json": `{"openapi": `})
	want("half a file", "tools.yaml:2:28: sources.pets.openapi.spec: the document cannot be read")
	if got := h.tools(); !strings.Contains(got, "pets-list") {
		t.Errorf("after that the tools are %s", got)
	}
	h.write(map[string]string{"api.json": "-"})
	want("no file", "there is no such file")
	h.write(map[string]string{"api.json": petsDocument("List all")})
	want("the same again", `{"generation":3,"list_changed":false}`)
}

// TestDocumentsByThemselves follows what changes in a document without being asked.
func TestDocumentsByThemselves(t *testing.T) {
	t.Parallel()
	h := opened(t, map[string]string{
		"tools.yaml": "version: 1\nsources: {pets: {openapi: {spec: docs/api.json}}}\n", "docs/api.json": petsDocument("List"), "docs/pet.json": `{}`,
	})
	var work sync.WaitGroup
	run, cancel := context.WithCancel(t.Context())
	work.Go(func() { h.r.Run(run) })
	defer work.Wait()
	defer cancel()
	h.write(map[string]string{"docs/pet.json": `{"type": "string"}`})
	until(t, func() bool { return h.r.Status().Generation == 2 })
	h.write(map[string]string{"docs/api.json": petsDocument("List all")})
	until(t, func() bool { return h.r.Status().Generation == 3 })
}

// TestDocumentAtAddress starts without a document that cannot be had, takes it in
// when it can, and does not give it up again.
func TestDocumentAtAddress(t *testing.T) {
	t.Parallel()
	var there atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !there.Load() {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(petsDocument("List")))
	}))
	defer web.Close()
	file := func(more string, query ...string) map[string]string {
		return map[string]string{"tools.yaml": `version: 1
networks: {allow: [127.0.0.0/8]}
sources: {pets: {openapi: {spec: "` + web.URL + `/api.json` + strings.Join(query, "") + `"}}}
tools: {a: {description: A., expr: "1"}}
` + more + "\n"}
	}
	h := opened(t, file("policy: {default: allow}"))
	if got := h.tools(); strings.Contains(got, "pets-list") {
		t.Errorf("at the start: %s", got)
	}
	if s := h.r.Status(); s.Absent["pets"] == "" {
		t.Errorf("%+v", s)
	}
	there.Store(true)
	if got := h.reload(); !strings.Contains(got, `"tools":{"added":["pets-list"]}`) {
		t.Errorf("when it is there: %s", got)
	}
	there.Store(false)
	if log := h.log.taken(); strings.Count(log, "is there again\" source=pets") != 1 || len(h.r.Status().Absent) > 0 {
		t.Error(log)
	}
	h.write(file(`policy: {default: allow, rules: [{name: no, tools: [a], action: deny}]}`))
	for range 2 { // the second reload has the document of the first
		if got := h.reload(); !strings.Contains(got, `"generation":3`) || strings.Contains(got, `"tools"`) {
			t.Errorf("when it is gone: %s", got)
		}
	}
	if log := h.log.taken(); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "the document that is served now is used on") || !strings.Contains(log, "503") {
		t.Error(log)
	}
	if got := h.tools(); !strings.Contains(got, "pets-list") || strings.Contains(got, " a") {
		t.Errorf("after that: %s", got)
	}
	h.write(file("policy: {default: allow}", "?v=2"))
	if got := h.reload(); !strings.Contains(got, `"tools":{"removed":["pets-list"]}`) {
		t.Errorf("another address that does not answer: %s", got)
	}
}
