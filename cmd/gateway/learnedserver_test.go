package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/config"
)

// taught is a server that learns from searches, with learnedFile.
type taught struct {
	*learning
	bin string
	on  *process
}

// TestLearnedOverHTTP: a search in a chat and the call that follows it are a note, which
// ranks later searches, is exported, and outlives the server that is killed; and so does
// a hint that is imported while the server runs.
func TestLearnedOverHTTP(t *testing.T) {
	dir := t.TempDir()
	l := &taught{learning: &learning{t: t, file: filepath.Join(dir, "tools.yaml")}, bin: build(t, "github.com/toolgate/toolgate/cmd/gateway")}
	text := learnedFile + "server: {listen: \"127.0.0.1:0\", admin_token: \"${secret.admin}\"}\nsecrets: {admin: {file: admin}}\ndiscovery: {learn: true}\n"
	written := filepath.Join(dir, "hints.yaml")
	for path, text := range map[string]string{
		l.file: text, filepath.Join(dir, "admin"): "the-token-of-the-administrator", written: "- {tool: far, query: quench my ficus}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(config.EnvToken, "the-token-of-the-administrator")
	l.start()
	l.finds("settle an invoice", "one", "two")
	l.call("two")
	l.finds("settle an invoice", "two", "one")
	const note = `{"tool":"two","query":"settle an invoice","weight":1,"group":"`
	if got := l.hints("export", "--server", l.on.url); !strings.HasPrefix(got, note) || strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
	l.stored(note)
	l.restart()
	l.finds("settle an invoice", "two", "one")

	l.finds("quench my ficus")
	l.hints("import", written, "--server", l.on.url)
	l.finds("quench my ficus", "far")
	const hint = `{"tool":"far","query":"quench my ficus","weight":1}`
	l.stored(hint)
	l.restart()
	l.finds("quench my ficus", "far")
	if got := l.hints("export", "--server", l.on.url); !strings.Contains(got, note) || !strings.Contains(got, hint) {
		t.Error(got)
	}
}

func (l *taught) start() {
	l.t.Helper()
	l.on = start(l.t, l.bin, "serve", "--config", l.file)
}

// restart ends the server as a crash does, and starts another one.
func (l *taught) restart() {
	l.t.Helper()
	if err := l.on.cmd.Process.Kill(); err != nil {
		l.t.Fatal(err)
	}
	_ = l.on.cmd.Wait() // it says that it was killed
	l.start()
}

// inChat are the headers of requests in one chat.
func inChat() http.Header {
	return http.Header{"X-Chat-Id": {"c"}, "Authorization": {"Bearer " + os.Getenv(config.EnvToken)}}
}

func (l *taught) call(name string) {
	post(l.t, l.on.url+"/v1/tools/"+name+"/call", inChat(), []byte(`{}`))
}

// finds holds a search of the server to what it should find.
func (l *taught) finds(query string, want ...string) {
	l.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		l.t.Fatal(err)
	}
	if got := foundIn(l.t, post(l.t, l.on.url+"/v1/discover", inChat(), body)); !slices.Equal(got, want) {
		l.t.Errorf("%s: found %v, want %v", query, got, want)
	}
}

// stored waits until the server has written a note to its store.
func (l *taught) stored(note string) {
	l.t.Helper()
	for !strings.Contains(l.hints("export"), note) {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-l.t.Context().Done():
			l.t.Fatal("the note is not in the store")
		}
	}
}
