package expression

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEarly: what is certain before the arguments are known.
func TestEarly(t *testing.T) {
	env := testEnv()
	vars := env.Vars(map[string]any{
		"tool":   map[string]any{"name": "pay", "tags": []string{"network"}, "read_only": false},
		"caller": map[string]any{"id": "c1", "groups": []string{"ops"}, "claims": map[string]any{"level": json.Number("7")}},
		"count":  3,
	})
	for source, want := range map[string]Truth{
		"true":                                     Yes,
		"false":                                    No,
		"tool.name == 'pay'":                       Yes,
		"tool.name == 'get'":                       No,
		"args.x > 3":                               Unknown,
		"args.x":                                   Unknown,
		"false && args.x > 3":                      No,
		"args.x > 3 && false":                      No,
		"true && args.x > 3":                       Unknown,
		"true || args.x > 3":                       Yes,
		"args.x > 3 || true":                       Yes,
		"false || args.x > 3":                      Unknown,
		"not (true || args.x)":                     No,
		"!(args.x && tool.name == 'get')":          Yes,
		"tool.read_only && args.x":                 No,
		"!tool.read_only || args.x":                Yes,
		"args.x ? true : true":                     Yes,
		"args.x ? false : false":                   No,
		"tool.read_only ? args.x : true":           Yes,
		"tool.read_only ? true : args.x":           Unknown,
		"args.x ? tool.read_only : 1 > 2":          No,
		"let a = args.x; a > 3":                    Unknown,
		"let a = args.x; a > 3 && false":           No,
		"let a = args.x; let b = a; b || true":     Yes,
		"let a = tool.name; a == 'pay' || args.x":  Yes,
		"any(args.l, # == 1)":                      Unknown,
		"any(tool.tags, # == args.x)":              Unknown,
		"any(tool.tags, # == 'network') || args.x": Yes,
		"caller.claims.level > 5 or args.x":        Yes,
		"caller.claims.none > 5 and args.x":        No,
		"caller.claims.level > 'a' or args.x":      Unknown,
		"args.x == args.x":                         Unknown,
		"tool.name > args.x ? 1 : false":           Unknown,
		"nil ?? (args.x || true)":                  Unknown,
	} {
		p, problems := compileTest(source, env, WantBool)
		if p == nil {
			t.Errorf("%s: %v", source, problems)
			continue
		}
		if got := p.Early(vars); got != want {
			t.Errorf("%s: got %v, want %v", source, got, want)
		}
	}
}

// TestEarlySound compares Early with every outcome on random conditions: a Yes
// is never false later and a No never true, whatever the arguments are.
func TestEarlySound(t *testing.T) {
	env := testEnv()
	early, late := earlyWorlds(env)
	r := rand.New(rand.NewPCG(1, 2))
	count := map[Truth]int{}
	for range 2000 {
		source := randomCondition(r, 4)
		p, problems := compileTest(source, env, WantBool)
		if p == nil {
			t.Fatalf("%s: %v", source, problems)
		}
		for i, vars := range early {
			truth := p.Early(vars)
			count[truth]++
			for _, vars := range late[i] {
				yes, err := p.Bool(vars)
				if err == nil && (truth == Yes && !yes || truth == No && yes) {
					t.Fatalf("%s: Early says %v, and it is %v with %v", source, truth, yes, vars.values)
				}
			}
		}
	}
	if count[Yes] == 0 || count[No] == 0 || count[Unknown] == 0 {
		t.Errorf("the conditions are too alike: %v", count)
	}
}

// earlyWorlds are some values of what is known early, each with many arguments.
func earlyWorlds(env *Env) (early []*Vars, late [][]*Vars) {
	arguments := []map[string]any{nil, {}}
	for _, a := range []any{nil, true, false, json.Number("1"), "a"} {
		for _, b := range []any{nil, true, json.Number("2"), []any{json.Number("1")}} {
			arguments = append(arguments, map[string]any{"a": a, "b": b})
		}
	}
	for _, name := range []string{"a", "b"} {
		for _, readOnly := range []bool{true, false} {
			known := map[string]any{"tool": map[string]any{"name": name, "read_only": readOnly, "tags": []string{"a"}}, "count": len(early)}
			early = append(early, env.Vars(known))
			var worlds []*Vars
			for _, args := range arguments {
				worlds = append(worlds, env.Vars(map[string]any{"tool": known["tool"], "count": known["count"], "args": args}))
			}
			late = append(late, worlds)
		}
	}
	return early, late
}

// randomCondition writes a condition of at most this depth.
func randomCondition(r *rand.Rand, depth int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	if depth == 0 || r.IntN(6) == 0 {
		return pick("true", "false", "tool.read_only", "args.a", "args.b", "tool.name == 'a'", "args.a == true", "args.a > 0", "args.b == nil", "args.c != nil",
			"count > 1", "args.a == args.b", "args.a in args.b", "'a' in tool.tags", "any(args.b, # == 1)", "args.a contains tool.name", "(args.a ?? tool.read_only)", "unset.x", "count > args.a")
	}
	sub := func() string { return randomCondition(r, depth-1) }
	switch r.IntN(7) {
	case 0:
		return "(" + sub() + " && " + sub() + ")"
	case 1:
		return "(" + sub() + " || " + sub() + ")"
	case 2:
		return "!(" + sub() + ")"
	case 3:
		return "(" + sub() + " ? " + sub() + " : " + sub() + ")"
	case 4:
		name := "v" + fmt.Sprint(depth)
		return "(let " + name + " = " + sub() + "; " + name + pick(" && ", " || ") + sub() + ")"
	case 5:
		return "any([1, 2], (" + strings.ReplaceAll(sub(), "any(args.b, # == 1)", "args.b == true") + "))"
	}
	return "(" + sub() + pick(" and not (", " or not (") + sub() + "))"
}
