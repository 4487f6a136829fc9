package expression

import "testing"

// TestEvades: leaving out args.u is a way round a condition, or not.
func TestEvades(t *testing.T) {
	t.Parallel()
	env := testEnv().With(Func{Name: "late", Result: Bool, Late: true, Bind: func([]any) (Run, *Unfit) { return nil, nil }})
	env = env.Declare(Var{Name: "data", Type: JSON, Value: map[string]any{"on": true, "l": []any{"x"}}})
	sample := env.Vars(map[string]any{"caller": map[string]any{"id": "ann"}, "tool": map[string]any{"tags": []string{"t"}}})
	for source, want := range map[string]bool{
		`args.u == "x"`:                                    true,
		`args.u > 1`:                                       true,
		`args.u != "x"`:                                    true,
		`!args.u`:                                          false,
		`not args.u and args.v == "x"`:                     false,
		`!(args.u in ["x"])`:                               false,
		`not (args.u in data.l)`:                           false,
		`args.u in ["x"]`:                                  true,
		`!(args.u == "x" or args.v == "y")`:                false,
		`!(args.u != "x")`:                                 false,
		`args.u == tool.name`:                              true,
		`args.u != caller.id`:                              true,
		`!(args.u == caller.id) and args.v`:                false,
		`args.u != args.v`:                                 true, // nobody knows
		`args.u == "x" or !args.u`:                         false,
		`args.u == "x" or data.on`:                         false,
		`args.u == "x" or caller.id == "ann"`:              true, // the sample is but one
		`args.u == "x" ? true : true`:                      false,
		`args.u ? args.v > 1 : true`:                       false,
		`args.v ? !args.u : args.u != "x"`:                 true,
		`args.u ? args.v > 1 : args.v > 2`:                 true,
		`args.v ? !args.u : !(args.u == "x")`:              false,
		`args.v ? !args.u : args.u == "x"`:                 true,
		`let x = args.u; !x and args.v > 1`:                false,
		`let x = args.u; x == "y" and args.v > 1`:          true,
		`let x = args.v; x > 1 and !args.u`:                false,
		`all(args.u, # == "x") and args.v > 1`:             false,
		`any(args.u, # == "x")`:                            true,
		`len(args.u) == 0`:                                 false,
		`len(args.u) > 3`:                                  true,
		`!(args.u.name matches "^a$") and args.v`:          false,
		`args.u.name matches "^a$"`:                        true,
		`!args.u and late()`:                               false,
		`args.u == late()`:                                 true,
		`!(args["u"] startsWith "a")`:                      false,
		`!(args["u"] startsWith "a") and args.u?.x == "y"`: true,
	} {
		p, problems := compileTest(source, env, WantBool)
		if p == nil {
			t.Errorf("%s: %v", source, problems)
			continue
		}
		if got := p.Evades("args", []string{"u"}, sample); got != want {
			t.Errorf("%s: got %v", source, got)
		}
		if p.Reads("args") == (len(p.Unguarded("args")) == 0) {
			t.Errorf("%s is no longer what it was", source)
		}
	}
}
