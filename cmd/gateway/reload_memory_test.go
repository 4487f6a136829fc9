package main

import (
	"io"
	"os"
	"runtime"
	"testing"
	"time"
	"weak"
)

// TestFirstVersionGoes: a server that has reloaded holds nothing of the tools that
// it was started with.
func TestFirstVersionGoes(t *testing.T) {
	t.Parallel()
	const text = "version: 1\ntools: {one: {description: One., expr: \"1\"}}\npolicy: {default: allow}\n"
	h := openText(t, text, discardLogger())
	s := newServer(h, discardLogger())
	t.Cleanup(func() { _ = s.mcp.Close() })
	log := newTalk(io.Discard)
	t.Cleanup(func() { _ = log.Close() })
	assembly, generation := weak.Make(h.version.Assembly), weak.Make(h.version.Assembly.Generation)
	t.Cleanup(s.reloadWhenAsked(t.Context(), make(chan os.Signal), log, newLogs(log)))
	put(t, "", map[string]string{h.source.Options.Files[0]: text + "groups: {all: {description: All., tools: [\"*\"]}}\n"})
	if res, err := s.reloader.Reload(t.Context(), "request"); err != nil || res.Generation != 2 {
		t.Fatal(res, err)
	}
	for end := time.Now().Add(5 * time.Second); assembly.Value() != nil || generation.Value() != nil; runtime.GC() {
		if time.Now().After(end) {
			t.Fatalf("held on to: assembly %v, generation %v", assembly.Value() != nil, generation.Value() != nil)
		}
	}
}
