package reload_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/reload"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type noLog struct{}

func (noLog) Start(runlog.Record) error { return nil }
func (noLog) End(runlog.Record) error   { return nil }

// lines takes a log that is written by several goroutines.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// taken is what was written since the last time, without times.
func (l *lines) taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.buf.Reset()
	return l.buf.String()
}

// house is a gateway whose configuration lies in a folder of its own.
type house struct {
	t       testing.TB
	dir     string
	gateway *gateway.Gateway
	r       *reload.Reloader
	log     lines
	changed int              // times that the list was said to have changed
	hidden  []*secret.Masker // whose secrets are kept out of the log
	made    []weak.Pointer[gateway.Generation]
}

// opened opens a house whose files are given by name; tools.yaml is the first.
func opened(t testing.TB, files map[string]string) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir()}
	h.write(files)
	source := &reload.Source{
		Options: config.Options{Files: []string{filepath.Join(h.dir, "tools.yaml")}},
		Build: func(cfg *config.Config, served *assembly.Assembly) *assembly.Assembly {
			return assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Served: served})
		},
	}
	first := source.Read(nil)
	if err := first.Problems.Err(); err != nil {
		t.Fatal(err)
	}
	h.gateway = gateway.New(first.Assembly.Generation, noLog{}, gateway.Options{})
	logger := slog.New(slog.NewTextHandler(&h.log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}}))
	h.r = reload.New(h.gateway, source, first, reload.Options{
		Logger: logger, ListChanged: func() { h.changed++ }, Hide: func(m ...*secret.Masker) { h.hidden = m },
		Apply: func(v *reload.Version) { h.made = append(h.made, weak.Make(v.Assembly.Generation)) },
	})
	t.Cleanup(func() {
		if err := h.r.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// write puts files into the folder; one with the text "-" is removed.
func (h *house) write(files map[string]string) {
	h.t.Helper()
	for name, text := range files {
		path := filepath.Join(h.dir, name)
		if text == "-" {
			if err := os.Remove(path); err != nil {
				h.t.Fatal(err)
			}
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// reload reloads and gives the answer as JSON, or the error's text.
func (h *house) reload() string {
	h.t.Helper()
	res, err := h.r.Reload(h.t.Context(), "request")
	if err != nil {
		return strings.ReplaceAll(err.Error(), h.dir+"/", "")
	}
	data, err := json.Marshal(res)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *house) tools() string {
	var names []string
	for _, s := range h.gateway.Tools(h.t.Context(), tool.View{}) {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

func (h *house) answer(name string) string {
	res := h.gateway.Call(h.t.Context(), tool.Call{Tool: name})
	return strings.TrimSpace(res.Output.Text())
}

const head = "version: 1\n"

func tools(declarations string) map[string]string {
	return map[string]string{"tools.yaml": head + "policy: {default: allow}\ntools:\n" + declarations}
}

const one = "  one: {description: One., expr: '1'}\n"

// TestBadFile: a file with mistakes changes nothing, and is told of until it is
// corrected.
func TestBadFile(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	h.write(tools("  one: {description: Uno., exprr: '1'}\n  two: {descripton: Two., expr: '2'}\n"))
	const problems = "tools.yaml:4:3: tools.one: the tool does not say how it runs (give it exactly one of http, command and expr)\n" +
		"tools.yaml:4:28: tools.one.exprr: unknown key (did you mean expr?)\n" +
		"tools.yaml:5:9: tools.two.descripton: unknown key (did you mean description?)"
	if got := h.reload(); got != problems {
		t.Error(got)
	}
	if s := h.r.Status(); s.Problems != 3 || s.Generation != 1 || s.Failures != 1 || s.Reloads != 1 || !s.LastSuccess.Before(s.LastAttempt) {
		t.Errorf("%+v", s)
	}
	if log := h.log.taken(); strings.Count(log, "problem=") != 3 || !strings.Contains(log, "errors=3 logged_before=false") {
		t.Error(log)
	}
	if got := h.reload(); got != problems {
		t.Error(got)
	}
	if log := h.log.taken(); strings.Contains(log, "problem=") || !strings.Contains(log, "logged_before=true") {
		t.Error("the same file again:", log)
	}
	h.write(tools("  one: {description: Uno., exprr: '1'}\n"))
	h.reload()
	if log := h.log.taken(); strings.Count(log, "problem=") != 2 {
		t.Error("another file:", log)
	}
	if got := h.tools(); got != "read_result one" || h.changed != 0 {
		t.Error(got, h.changed)
	}
	h.write(tools(one))
	if got := h.reload(); got != `{"generation":1,"list_changed":false}` {
		t.Error("as it was:", got)
	}
	if s := h.r.Status(); s.Problems != 0 || s.Generation != 1 || s.Failures != 3 {
		t.Errorf("%+v", s)
	}
}

// TestGone: files that are not there are a mistake like another.
func TestGone(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	h.write(map[string]string{"tools.yaml": "-"})
	if got := h.reload(); got != "tools.yaml: there is no such file (create it, or name another one with --config)" {
		t.Error(got)
	}
	if got := h.answer("one"); got != "1" {
		t.Error(got)
	}
}

// TestWarnings are logged when they are new, and not when a line has moved.
func TestWarnings(t *testing.T) {
	t.Parallel()
	h := opened(t, tools("  one: {expr: '1'}\n"))
	h.write(tools("\n\n  one: {expr: '1'}\n  two: {expr: '2'}\n"))
	h.reload()
	if log := h.log.taken(); strings.Count(log, "has none") != 1 || !strings.Contains(log, "tools.two") {
		t.Error(log)
	}
}

// TestRestart: what belongs to the process is not changed, and the rest is.
func TestRestart(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	text := func(more string) map[string]string {
		return map[string]string{"tools.yaml": head + more + "policy: {default: allow}\ntools:\n" + one + "  two: {description: Two., expr: '2'}\n"}
	}
	h.write(text("server: {listen: 127.0.0.1:9}\nstore: {url: sqlite:other.db, keep: {results: 2h}}\n"))
	if diff := cmp.Diff(`{"generation":2,"changes":{"tools":{"added":["two"]}},"restart":["server.listen","store.keep.results","store.url"],"list_changed":true}`, h.reload()); diff != "" {
		t.Error(diff)
	}
	if got := h.reload(); got != `{"generation":2,"restart":["server.listen","store.keep.results","store.url"],"list_changed":false}` {
		t.Error("and again:", got)
	}
	if s := h.r.Status(); len(s.Restart) != 3 {
		t.Error(s.Restart)
	}
	h.write(text(""))
	if got := h.reload(); got != `{"generation":2,"list_changed":false}` {
		t.Error("as it was started:", got)
	}
}

// TestSecretsRotate: the value of a file is read again, no value is told, and the
// log hides those of every generation that is open.
func TestSecretsRotate(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tools.yaml": head + "secrets: {key: {file: key}}\npolicy: {default: allow}\ntools:\n" +
			`  show: {description: Show., command: {argv: [sh, -c, 'test "$KEY" = "$1" && echo yes || echo no', sh, first value], env: {KEY: "${secret.key}"}}}` + "\n" +
			`  wait: {description: Wait., command: {argv: [sh, -c, "echo > started; until test -e leave; do sleep 0.01; done"]}}` + "\n",
		"key": "first value\n",
	}
	h := opened(t, files)
	done := make(chan struct{})
	go func() { h.answer("wait"); close(done) }()
	until(t, func() bool { _, err := os.Stat(filepath.Join(h.dir, "started")); return err == nil })
	if got := h.answer("show"); got != "yes" {
		t.Error(got)
	}
	h.write(map[string]string{"key": "second value\n"})
	if diff := cmp.Diff(`{"generation":2,"changes":{"secrets":{"changed":{"key":["value"]}}},"list_changed":false}`, h.reload()); diff != "" {
		t.Error(diff)
	}
	if got := h.answer("show"); got != "no" {
		t.Error(got)
	}
	hidden := func(text string) string {
		for _, m := range h.hidden {
			text = m.Text(text)
		}
		return text
	}
	if got := hidden("first value, second value"); got != "[secret], [secret]" {
		t.Error("while a call is in the old generation:", got)
	}
	h.write(map[string]string{"leave": ""})
	<-done
	if got := hidden("first value, second value"); got != "first value, [secret]" {
		t.Error("after it:", got)
	}
	if log := h.log.taken(); strings.Contains(log, "value,") || strings.Contains(log, "second") {
		t.Error(log)
	}
	h.write(map[string]string{"key": "-"})
	if got := h.reload(); !strings.Contains(got, "secrets.key: open key: no such file") {
		t.Error(got)
	}
}

func until(t *testing.T, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen within 20 s")
		}
	}
}

// TestByItself: whatever the configuration is made of is reloaded when it
// changes: what is included, files that a pattern finds now, secrets.
func TestByItself(t *testing.T) {
	t.Parallel()
	h := opened(t, map[string]string{
		"tools.yaml":       head + "include: ['tools.d/*.yaml']\nsecrets: {key: {file: key}}\npolicy: {default: allow}\n",
		"tools.d/one.yaml": "tools:\n" + one,
		"key":              "first value",
	})
	var work sync.WaitGroup
	run, cancel := context.WithCancel(t.Context())
	work.Go(func() { h.r.Run(run) })
	defer work.Wait()
	defer cancel()
	steps := []struct {
		files map[string]string
		tools string
	}{
		{map[string]string{"tools.d/two.yaml": "tools:\n  two: {description: Two., expr: '2'}\n"}, "read_result one two"},
		{map[string]string{"tools.d/two.yaml": "tools:\n  dos: {description: Two., expr: '2'}\n"}, "read_result dos one"},
		{map[string]string{"tools.d/two.yaml": "-"}, "read_result one"},
	}
	for i, s := range steps {
		h.write(s.files)
		until(t, func() bool { return h.tools() == s.tools })
		until(t, func() bool { return h.r.Status().Generation == i+2 })
	}
	h.write(map[string]string{"key": "second value"})
	until(t, func() bool { return h.r.Status().Generation == len(steps)+2 })
	h.write(map[string]string{"tools.yaml": "version: 2\n"})
	until(t, func() bool { return h.r.Status().Problems > 0 })
	before := h.r.Status().Reloads
	time.Sleep(4 * time.Second) // longer than it takes to look again
	if after := h.r.Status().Reloads; after != before {
		t.Errorf("a bad file is read again and again: %d times, then %d", before, after)
	}
}

// TestOneAtATime: of reloads that are asked for at once the last sees the last
// state, and one that is given up has no effect.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	var work sync.WaitGroup
	for i := range 20 {
		h.write(tools("  t" + string(rune('a'+i)) + ": {description: T., expr: '1'}\n"))
		work.Go(func() {
			if _, err := h.r.Reload(t.Context(), "request"); err != nil && diag.As(err) == nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if got := h.tools(); got != "read_result tt" {
		t.Error(got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 { // either it has its turn, or says that it has not
		if res, err := h.r.Reload(ended, "request"); (res == nil) == (err == nil) {
			t.Error(res, err)
		}
	}
}

// TestGivenUp: of all generations that were made only the one that is served is
// held, whether it was read and found to be the same, swapped, or had calls.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	for v := range 60 {
		h.write(tools("  t" + string(rune('a'+v/2%26)) + ": {description: T., expr: '1'}\n"))
		h.reload()
		h.answer("t" + string(rune('a'+v/2%26)))
	}
	until(t, func() bool {
		runtime.GC()
		held := 0
		for _, g := range h.made {
			if g.Value() != nil {
				held++
			}
		}
		return held <= 1
	})
	if len(h.made) != 60 {
		t.Errorf("%d were made", len(h.made))
	}
}

// TestReloadClosed: who asks after Close is told so, and does not wait for a turn that
// never comes.
func TestReloadClosed(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	if err := h.r.Close(); err != nil {
		t.Fatal(err)
	}
	if res, err := h.r.Reload(t.Context(), "request"); err == nil || err.Error() != "the gateway is closed" {
		t.Errorf("%+v, %v", res, err)
	}
}
