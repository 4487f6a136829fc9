package reload_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestReloadDoesNotOpen: what was closed at the start stays closed, whatever a
// file says later.
func TestReloadDoesNotOpen(t *testing.T) {
	t.Parallel()
	const secrets = "secrets: {t: {file: token}}\n"
	whole := head + secrets + "tools:\n" + one + "policy: {default: deny}\n" + "server: {token: \"${secret.t}\"}\n"
	h := opened(t, map[string]string{"tools.yaml": whole, "token": "0123456789abcdef"})
	for name, c := range map[string]struct{ file, want string }{
		"no policy":          {head + secrets + "tools:\n" + one + "server: {token: \"${secret.t}\"}\n", "policy: the policy is gone"},
		"no tokens":          {head + secrets + "tools:\n" + one + "policy: {default: deny}\n", "server: all tokens are gone"},
		"neither":            {head + "tools:\n" + one, "all tokens are gone"},
		"no token but hosts": {head + "tools:\n" + one + "policy: {default: deny}\nserver: {hosts: [a.example]}\n", "server: all tokens are gone"},
	} {
		h.write(map[string]string{"tools.yaml": c.file})
		if got := h.reload(); !strings.Contains(got, c.want) || !strings.Contains(got, "a reload does not open what was closed") {
			t.Errorf("%s: %s", name, got)
		}
		if h.tools() != "read_result" {
			t.Errorf("%s: %s can be called", name, h.tools())
		}
		if s := h.r.Status(); s.Problems == 0 || s.Generation != 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	h.write(map[string]string{"tools.yaml": strings.Replace(whole, "One.", "Uno.", 1)})
	if got := h.reload(); !strings.Contains(got, `"one":["description"]`) {
		t.Error(got)
	}
}

// TestHalfFile: a file that is found half written, and valid as it is, is not
// believed before it has stayed so.
func TestHalfFile(t *testing.T) {
	t.Parallel()
	half := head + "policy: {default: allow}\ntools:\n" + one
	whole := half + "hooks: {before: [{name: no, tools: [one], refuse: Never.}]}\n"
	h := opened(t, map[string]string{"tools.yaml": whole})
	h.write(map[string]string{"tools.yaml": half})
	ended := make(chan error, 1)
	go func() {
		_, err := h.r.Reload(t.Context(), "file")
		ended <- err
	}()
	time.Sleep(500 * time.Millisecond)
	if got := h.answer("one"); !strings.Contains(got, "Never") {
		t.Errorf("served by half a file: %s", got)
	}
	h.write(map[string]string{"tools.yaml": strings.Replace(whole, "One.", "Uno.", 1)})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	specs := h.gateway.Tools(t.Context(), tool.View{})
	if len(specs) != 2 || specs[1].Description != "Uno." || !strings.Contains(h.answer("one"), "Never") {
		t.Errorf("in the end: %+v %s", specs, h.answer("one"))
	}
	h.write(map[string]string{"tools.yaml": half}) // and stays so
	if _, err := h.r.Reload(t.Context(), "file"); err != nil {
		t.Fatal(err)
	}
	if got := h.answer("one"); got != "1" {
		t.Errorf("without the hook: %s", got)
	}
}

// TestHalfSection: a section that has defaults is missed, too, when what it said is
// gone, and so is the end of a list; and a reload that is given up before the files are believed serves nothing.
func TestHalfSection(t *testing.T) {
	t.Parallel()
	text := head + "policy: {default: allow}\ntools:\n  one: {description: One., parameters: {type: object, properties: {a: {type: string}, b: {type: string}}}, expr: '1'}\n"
	const hook, inject = "{name: no, tools: [one], when: args.a == 'x', refuse: Never.}", "{tools: [one], set: {a: caller.id}}"
	for name, c := range map[string]struct{ half, rest string }{
		"a tool":        {"", "  two: {description: Two., expr: '2'}\n"},
		"a host":        {"server:\n  hosts:\n  - a.example\n", "  - b.example\n"},
		"a condition":   {"hooks:\n  before:\n  - name: no\n    tools: [one]\n    refuse: Never.\n", "    when: args.a == 'x'\n"},
		"defaults":      {"", "defaults: {log: {arguments: none}}\n"},
		"server":        {"", "server: {hosts: [a.example]}\n"},
		"hooks":         {"", "hooks: {before: [" + hook + "]}\n"},
		"a hook before": {"hooks:\n  before:\n  - " + hook + "\n", "  - {name: nor, tools: [one], refuse: Never.}\n"},
		"a hook after":  {"hooks:\n  after:\n  - " + hook + "\n", "  - {name: nor, tools: [one], refuse: Never.}\n"},
		"what is set":   {"inject:\n- " + inject + "\n", "- {tools: [one], set: {b: caller.id}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := opened(t, map[string]string{"tools.yaml": text + c.half + c.rest})
			h.write(map[string]string{"tools.yaml": text + c.half})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := h.r.Reload(ctx, "file"); !errors.Is(err, context.DeadlineExceeded) || h.r.Status().Reloads != 0 {
				t.Errorf("half a file was believed at once: %v, %+v", err, h.r.Status())
			}
			if _, err := h.r.Reload(t.Context(), "file"); err != nil || h.r.Status().Generation != 2 {
				t.Errorf("it was not believed later: %v, %+v", err, h.r.Status())
			}
		})
	}
}
