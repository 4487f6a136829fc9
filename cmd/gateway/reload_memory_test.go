package main

import (
	"io"
	"os"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/toolgate/toolgate/gateway/host"
)

// TestFirstVersionGoes: a server that has reloaded holds nothing of the tools that
// it was started with.
func TestFirstVersionGoes(t *testing.T) {
	t.Parallel()
	const text = "version: 1\ntools: {one: {description: One., expr: \"1\"}}\npolicy: {default: allow}\n"
	h := openText(t, text, discardLogger())
	s := host.NewServer(h, host.ServerOptions{})
	t.Cleanup(func() { _ = s.Close() })
	log := newTalk(io.Discard)
	t.Cleanup(func() { _ = log.Close() })
	assembly, generation := weak.Make(h.Version.Assembly), weak.Make(h.Version.Assembly.Generation)
	t.Cleanup(s.KeepLoaded(t.Context(), host.Reloads{Hangups: make(chan os.Signal), Hide: log.hide}))
	put(t, "", map[string]string{h.Source.Options.Files[0]: text + "groups: {all: {description: All., tools: [\"*\"]}}\n"})
	if res, err := s.Reloader.Reload(t.Context(), "request"); err != nil || res.Generation != 2 {
		t.Fatal(res, err)
	}
	for end := time.Now().Add(5 * time.Second); assembly.Value() != nil || generation.Value() != nil; runtime.GC() {
		if time.Now().After(end) {
			t.Fatalf("held on to: assembly %v, generation %v", assembly.Value() != nil, generation.Value() != nil)
		}
	}
}
