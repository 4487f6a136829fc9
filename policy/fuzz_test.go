package policy_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// FuzzNumbers compares rules with Go's exact arithmetic: a rule about two
// arguments decides as the rational numbers compare that they stand for, where
// one with a fraction or an exponent stands for the nearest float64.
func FuzzNumbers(f *testing.F) {
	for _, pair := range [][2]string{
		{"1", "2"},
		{"9007199254740993", "9007199254740992.0"},
		{"9223372036854775807", "9223372036854775808"},
		{"-0", "0.0"},
		{"0.1", "1e-1"},
		{"123456789012345678901234567890", "1.2345678901234568e29"},
		{"1e400", "1"},
		{"0", "1E10000"}, // too large for the reference, which passes it over
	} {
		f.Add(pair[0], pair[1])
	}
	var engines []*policy.Engine
	ops := []string{"<", "<=", "==", "!=", ">", ">="}
	for _, op := range ops {
		var r diag.Report
		when := "args.a " + op + " args.b"
		engines = append(engines, policy.Compile(diag.NewCursor(&r, nil), &policy.Config{
			Default: "ask", Rules: []policy.RuleConfig{{Name: "r", When: &when, Action: "allow"}},
		}))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := exact(a)
		y, okY := exact(b)
		if !okX || !okY {
			return
		}
		order := x.Cmp(y)
		for i, want := range []bool{order < 0, order <= 0, order == 0, order != 0, order > 0, order >= 0} {
			d := engines[i].Decide(&policy.Request{Tool: &tool.Spec{}, Args: map[string]any{"a": json.Number(a), "b": json.Number(b)}})
			if d.Err != nil || (d.Effect == policy.Allow) != want {
				t.Errorf("%s %s %s: %+v, want %v", a, ops[i], b, d, want)
			}
		}
	})
}

// mostDigits keeps the reference fast.
const (
	mostDigits         = 400
	mostExponentDigits = 3
)

func exact(text string) (*big.Rat, bool) {
	if len(text) > mostDigits || !json.Valid([]byte(text)) || strings.Trim(text, "0123456789.eE+-") != "" {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(strings.TrimLeft(text[i:], "eE+-0")) > mostExponentDigits {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// FuzzFunctions gives any text to the functions that read one: nothing panics,
// and what they let in holds.
func FuzzFunctions(f *testing.F) {
	for _, text := range []string{"", "https://x.com/", "http://a@.x.com", "/data/..", "/data//x", "http://127.1/", "http://[::ffff:7f00:1]", "http://x.com..", "~/data", "data", "file:///data", "10.0.0.1", "::ffff:10.0.0.1", "\\", "a*"} {
		f.Add(text)
	}
	var r diag.Report
	rule := func(name, when string) policy.RuleConfig {
		return policy.RuleConfig{Name: name, When: &when, Action: "allow"}
	}
	e := policy.Compile(diag.NewCursor(&r, nil), &policy.Config{Rules: []policy.RuleConfig{
		rule("glob", "args.do == 'glob' and glob(args.s, '*a?')"), rule("host", "args.do == 'host' and host_in(args.s, ['.x.com'])"),
		rule("path", "args.do == 'path' and path_in(args.s, '/data')"), rule("cidr", "args.do == 'cidr' and cidr(args.s, '10.0.0.0/8')"),
	}})
	holds := map[string]func(string) bool{
		"glob": func(s string) bool { return strings.Contains(s, "a") },
		"host": func(s string) bool {
			return strings.Contains(strings.ToLower(s), "x.com") && !strings.ContainsAny(s, "\r\n\t")
		},
		"path": func(s string) bool {
			return strings.HasPrefix(strings.TrimLeft(s, "/."), "data") && !strings.Contains(s, "/../")
		},
		"cidr": func(s string) bool {
			return strings.Contains(s, "10.") || strings.Contains(strings.ToLower(s), "ffff:")
		},
	}
	f.Fuzz(func(t *testing.T, text string) {
		for do, may := range holds {
			d := e.Decide(&policy.Request{Tool: &tool.Spec{}, Args: map[string]any{"do": do, "s": text}})
			if d.Effect == policy.Allow && !may(text) {
				t.Errorf("%s lets in %q", do, text)
			}
		}
	})
}
