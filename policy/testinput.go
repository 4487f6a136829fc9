package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

func (c *testCompiler) now(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	now, err := time.Parse(time.RFC3339, text)
	if err != nil {
		c.fail("now", `write "2026-01-31T09:30:00Z" for example`, "%q is not a time", text)
	}
	return now
}

func (c *testCompiler) calls(cfg map[string]int) Counter {
	out := make(fixedCalls, len(cfg))
	for _, key := range slices.Sorted(maps.Keys(cfg)) {
		w, err := parseFixed(key)
		switch {
		case err != nil:
			c.fail("calls "+key, `write {"1h caller": 3} for example`, "%v", err)
		case cfg[key] < 0:
			c.fail("calls "+key, "", "a count is not below 0")
		}
		out[w] = cfg[key]
	}
	return out
}

// Caller is who calls; what is left out is taken from an anonymous caller. It is for
// tests of other things than rules.
func (cfg *CallerConfig) Caller() tool.Caller { return elsewhere().caller(cfg) }

// Chat is the chat of a test, the default one where nothing is said.
func (cfg *ChatConfig) Chat() tool.Chat { return elsewhere().chat(cfg) }

// elsewhere reports to nobody: the values have been read from a file, and so are
// JSON.
func elsewhere() *testCompiler {
	return &testCompiler{at: diag.NewCursor(new(diag.Report), nil)}
}

// caller takes what is left out from an anonymous caller. An ID or a name alone
// stands for both.
func (c *testCompiler) caller(cfg *CallerConfig) tool.Caller {
	out := anonymous()
	if cfg == nil {
		return out
	}
	switch {
	case cfg.ID != "" && cfg.Name != "":
		out.ID, out.Name = cfg.ID, cfg.Name
	case cfg.ID+cfg.Name != "":
		out.ID = cfg.ID + cfg.Name
		out.Name = out.ID
	}
	if cfg.Kind != "" {
		out.Kind = tool.Kind(cfg.Kind)
	}
	out.Groups, out.Claims = cfg.Groups, c.values("caller claims", cfg.Claims)
	return out
}

// anonymous is whom a gateway without tokens takes everybody for.
func anonymous() tool.Caller {
	return tool.Caller{ID: "anonymous", Name: "anonymous", Kind: tool.KindMCP}
}

func (c *testCompiler) chat(cfg *ChatConfig) tool.Chat {
	out := tool.Chat{ID: tool.DefaultChat}
	if cfg == nil {
		return out
	}
	if cfg.ID != "" {
		out.ID = cfg.ID
	}
	out.Groups, out.Context = cfg.Groups, c.values("chat context", cfg.Context)
	return out
}

func (c *testCompiler) values(key string, raw map[string]json.RawMessage) map[string]any {
	out := make(map[string]any, len(raw))
	for name, text := range raw {
		v, err := decode(text)
		if err != nil {
			c.fail(key+" "+name, "", "this is not JSON")
		}
		out[name] = v
	}
	return out
}

// decode reads a JSON value with every digit of its numbers.
func decode(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// fixedCalls is a Counter that gives what a test says.
type fixedCalls map[fixedWindow]int

type fixedWindow struct {
	window time.Duration
	by     By
}

// Calls is as Counter says.
func (f fixedCalls) Calls(s Subject, window time.Duration, _ time.Time) int {
	return f[fixedWindow{window, s.By}]
}

// parseFixed reads "window by".
func parseFixed(text string) (fixedWindow, error) {
	window, by, ok := strings.Cut(text, " ")
	if !ok {
		return fixedWindow{}, fmt.Errorf("%q is no window with what is counted", text)
	}
	w, err := parseWindow(window)
	if err != nil {
		return fixedWindow{}, err
	}
	b, err := parseBy(strings.TrimSpace(by))
	return fixedWindow{w, b}, err
}
