package expression

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// funcEnv is testEnv with functions: starts is fixed in its second argument,
// level reads a hidden value, ticks is late.
func funcEnv() *Env {
	return testEnv().With(
		Func{
			Name: "starts", Params: []Param{{Type: String}, {Type: String, Fixed: true}}, Result: Bool,
			Bind: func(fixed []any) (Run, *Unfit) {
				prefix := fixed[1].(string)
				if prefix == "" {
					return nil, &Unfit{Arg: 1, Text: "the prefix is empty", Hint: "write one"}
				}
				return func(_ Known, args []any) (any, error) {
					if args[0] == "bad" {
						return nil, errors.New("is no good")
					}
					return strings.HasPrefix(args[0].(string), prefix), nil
				}, nil
			},
		},
		Func{
			Name: "ticks", Late: true, Result: Object(map[string]Type{"n": Int}), Bind: func([]any) (Run, *Unfit) {
				return func(known Known, _ []any) (any, error) { return map[string]any{"n": known.Value("ticks()")}, nil }, nil
			},
		},
		Func{
			Name: "among", Params: []Param{{Type: String}, {Type: Strings, Fixed: true}}, Optional: 1, Result: Bool, Bind: func(fixed []any) (Run, *Unfit) {
				list, _ := fixed[1].([]any)
				return func(_ Known, args []any) (any, error) { return equalsAny(list, args[0]), nil }, nil
			},
		},
	)
}

func equalsAny(list []any, v any) bool {
	for _, item := range list {
		if item == v {
			return true
		}
	}
	return false
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	env := funcEnv()
	args := map[string]any{"s": "abc", "bad": "bad", "o": map[string]any{"x": nil, "y": "1"}, "l": []any{"a", nil}}
	vars := env.Vars(map[string]any{"args": args, "ticks()": 7})
	for source, want := range map[string]string{
		`starts(args.s, "ab")`:                      "true",
		`starts(args.s, "b")`:                       "false",
		`starts(args.gone, "b")`:                    "false",
		`starts(args.gone, "b") == false`:           "true",
		`not starts(args.gone, "b")`:                "true",
		`starts(args.bad, "b")`:                     "error: args.bad is no good",
		`starts(args.o, "b")`:                       "error: args.o is an object, and starts needs text",
		`ticks().n + 1`:                             "8",
		`among(args.s, ["x", "abc"])`:               "true",
		`among(args.s)`:                             "false",
		`any(["abc", "x"], starts(#, "x"))`:         "true",
		`has("args.s")`:                             "true",
		`has("args.gone")`:                          "false",
		`has("args.o.x")`:                           "false",
		`has("args.o.y")`:                           "true",
		`has("args.o.y.z")`:                         "error: args.o.y is text and has no fields",
		`has("args['o'].y") && !has("args.o.none")`: "true",
		`has("args.l[0]")`:                          "true",
		`has("args.l[1]")`:                          "false",
		`has("args.s") ? 1 : 2`:                     "1",
	} {
		if got := evalTest(source, env, vars); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

func TestFunctionMistakes(t *testing.T) {
	t.Parallel()
	env := funcEnv()
	for source, want := range map[string]string{
		`starts(args.s)`:                  "starts takes 2 arguments, not 1",
		`starts(args.s, args.t)`:          "the second argument of starts must stand in the expression itself",
		`starts(args.s, nil)`:             "the second argument of starts must stand in the expression itself",
		`starts(args.s, "")`:              "the prefix is empty (write one)",
		`starts(args.s, 5)`:               "5 is a number, and starts needs text",
		`starts(count, "x")`:              "count is a number, and starts needs text",
		`start(args.s, "x")`:              "there is no function start (did you mean starts?)",
		`ticks().m == 1`:                  "ticks() has no field m (did you mean n?)",
		`ticks(1).n == 1`:                 "ticks takes 0 arguments, not 1",
		`let starts = 1; starts == 1`:     "starts is already the name of something else (choose another name)",
		`has(args.s)`:                     `has takes one path, as a text that stands in the expression itself (write has("args.a.b") for example)`,
		`has("args.s", "x")`:              `has takes one path, as a text that stands in the expression itself (write has("args.a.b") for example)`,
		`has("args")`:                     `"args" is not a path (write has("args.a.b") for example)`,
		`has("args.s == 1")`:              `"args.s == 1" is not a path (write has("args.a.b") for example)`,
		`has("args[count]")`:              `"args[count]" is not a path (write has("args.a.b") for example)`,
		`has("")`:                         `"" is not a path (write has("args.a.b") for example)`,
		`has("arg.s")`:                    "unknown variable arg (did you mean args?)",
		`let has = 1; has == 1`:           "has is already the name of something else (choose another name)",
		`hash("x") == 1`:                  "there is no function hash (did you mean has?)",
		`args.x == 1 and has("tool.nme")`: "tool has no field nme (did you mean name?)",
	} {
		p, problems := compileTest(source, env, WantBool)
		if p != nil || len(problems) != 1 {
			t.Errorf("%s: %v", source, problems)
			continue
		}
		got := problems[0].Text
		if hint := problems[0].Hint; hint != "" {
			got += " (" + hint + ")"
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

// TestFunctionsEarly: what a late function gives is not known when tools are
// listed, and neither is whether a late path leads to something.
func TestFunctionsEarly(t *testing.T) {
	t.Parallel()
	env := funcEnv()
	vars := env.Vars(map[string]any{"tool": map[string]any{"name": "pay"}, "count": 3})
	for source, want := range map[string]Truth{
		`ticks().n > 1`:                        Unknown,
		`ticks().n > 1 && false`:               No,
		`starts(tool.name, "p")`:               Yes,
		`starts(tool.name, "x")`:               No,
		`starts(args.s, "x")`:                  Unknown,
		`has("args.x")`:                        Unknown,
		`has("tool.name")`:                     Yes,
		`has("args.x") || has("tool.name")`:    Yes,
		`let a = ticks(); a.n > 1 and a.n < 9`: Unknown,
	} {
		p, problems := compileTest(source, env, WantBool)
		if p == nil {
			t.Fatalf("%s: %v", source, problems)
		}
		if got := p.Early(vars); got != want {
			t.Errorf("%s: got %v, want %v", source, got, want)
		}
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	item := Shape(map[string]Type{"n": JSON}, nil)
	env := testEnv().Declare(Var{Name: "args", Late: true, Type: Shape(map[string]Type{
		"amount": JSON, "user-id": JSON, "none": Shape(map[string]Type{}, nil),
		"list": Shape(nil, &item), "to": Shape(map[string]Type{"city": JSON}, nil),
	}, nil)})
	for source, want := range map[string]string{
		`args.amount > 1 and args.to.city == "x" and args["user-id"] == 1`: "",
		`any(args.list, .n > 1) and args.list[0].n == 1`:                   "",
		`args.to == "x" and args.amount.any.thing == 1`:                    "",
		`args.amuont > 1`:               "args has no field amuont (did you mean amount?)",
		`args.to.town == "x"`:           "args.to has no field town (it has city)",
		`any(args.list, .m > 1)`:        "# has no field m (did you mean n?)",
		`args.list[0].m == 1`:           "args.list[0] has no field m (did you mean n?)",
		`args.none.x == 1`:              "args.none has no field x (it has none)",
		`has("args.too.city")`:          "args has no field too (did you mean to?)",
		`let a = args.to; a.cty == "x"`: "a has no field cty (did you mean city?)",
	} {
		_, problems := compileTest(source, env, WantBool)
		got := ""
		if len(problems) > 0 {
			got = problems[0].Text + " (" + problems[0].Hint + ")"
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

func TestUnguarded(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][][]string{
		`args.a > 1`:                                       {{"a"}},
		`(args.a ?? 1) > 1`:                                nil,
		`args.a.b == 1 and args.c?.d == 2`:                 {{"a", "b"}, {"c", "d"}},
		`has("args.a") && args.a > 1`:                      nil,
		`has("args.a.b") && args.a > 1`:                    nil,
		`args.a != nil and args.a.b > 1`:                   {{"a", "b"}},
		`nil == args.a or args.a > 1 or args.b`:            {{"b"}},
		`args["user-id"] == 1 and args["user-id"] == 2`:    {{"user-id"}},
		`args.list[0] == 1`:                                {{"list"}},
		`len(args) > 1 and tool.name == "x"`:               nil,
		`let x = args.a; x > 1`:                            {{"a"}},
		`any(args.l, # > args.m) or tool.read_only`:        {{"l"}, {"m"}},
		`args.a == 1 or args.a == 2 or (args.b ?? 1) == 1`: {{"a"}},
	} {
		p, problems := compileTest(source, testEnv(), WantBool)
		if p == nil {
			t.Fatalf("%s: %v", source, problems)
		}
		if d := cmp.Diff(want, p.Unguarded("args")); d != "" {
			t.Errorf("%s: %s", source, d)
		}
	}
}

func TestUnanchored(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		`args.a matches "^a$"`:                                      nil,
		`args.a matches "a"`:                                        {"a"},
		`args.a matches "^a"`:                                       {"^a"},
		`args.a matches "a$"`:                                       {"a$"},
		`args.a matches "^a|b$"`:                                    {"^a|b$"},
		`args.a matches "^(a|b)$"`:                                  nil,
		`args.a matches "(^a$|^b$)"`:                                nil,
		`args.a matches "\\Aa\\z"`:                                  nil,
		`args.a matches "(?m)^a$"`:                                  {"(?m)^a$"},
		`not (args.a matches "a")`:                                  nil,
		`not (not (args.a matches "a"))`:                            {"a"},
		`any(args.l, # matches "a") or none(args.l, # matches "b")`: {"a"},
		`args.b ? args.a matches "x" : args.a matches "^y$"`:        {"x"},
		`let m = args.a matches "x"; m`:                             {"x"},
	} {
		p, problems := compileTest(source, testEnv(), WantBool)
		if p == nil {
			t.Fatalf("%s: %v", source, problems)
		}
		if d := cmp.Diff(want, p.Unanchored()); d != "" {
			t.Errorf("%s: %s", source, d)
		}
	}
}

// TestFixedVariable: what is read of a variable that never changes is a
// constant, also for functions that take only those.
func TestFixedVariable(t *testing.T) {
	t.Parallel()
	fixed := map[string]any{"max": json.Number("100"), "names": []any{"abc", "x"}, "on": true, "deep": map[string]any{"p": "ab"}}
	env := funcEnv().Declare(Var{Name: "data", Type: Closed([]string{"max", "names", "on", "deep"}), Value: fixed})
	vars := env.Vars(map[string]any{"args": map[string]any{"s": "abc", "n": json.Number("101"), "k": "deep"}})
	for source, want := range map[string]string{
		`args.n > data.max`:                      "true",
		`among(args.s, data.names)`:              "true",
		`starts(args.s, data.deep.p)`:            "true",
		`data.on && args.n > 1`:                  "true",
		`args.s in data.names`:                   "true",
		`any(data.names, # == args.s)`:           "true",
		`data[args.k].p`:                         `"ab"`,
		`data.deep.none == nil`:                  "true",
		`len(data.names) + data.max`:             "102",
		`data`:                                   `{"deep":{"p":"ab"},"max":100,"names":["abc","x"],"on":true}`,
		`data.names[0] == "abc" ? data.deep : 1`: `{"p":"ab"}`,
	} {
		if got := evalTest(source, env, vars); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
	for source, want := range map[string]string{
		`args.n > data.mx`:          "data has no field mx",
		`data.max > "a"`:            `data.max is a number and "a" is text`,
		`starts(args.s, data.gone)`: "data has no field gone",
		`starts(args.s, data.on)`:   "data.on is true or false, and starts needs text",
	} {
		if _, problems := compileTest(source, env, WantBool); len(problems) != 1 || problems[0].Text != want {
			t.Errorf("%s: %v", source, problems)
		}
	}
}
