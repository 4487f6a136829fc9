package expression

import (
	"fmt"
	"sync"
	"testing"
)

func benchVars(b testing.TB, env *Env) map[string]any {
	return testVars(b, env, `{"tool": {"name": "pay", "tags": ["network"], "read_only": false}, "caller": {"id": "c1", "groups": ["ops"], "claims": {}}, "count": 1, "args": {"amount": 250, "env": "prod", "items": [1, 2, 3, 4, 5, 6, 7, 8], "to": {"country": "PL"}}}`)
}

// BenchmarkEval runs single conditions.
func BenchmarkEval(b *testing.B) {
	env := testEnv()
	vars := env.Vars(benchVars(b, env))
	for _, bench := range []struct{ name, source string }{
		{"first test fails", `tool.name == "get" && args.amount > 100 && caller.id == "c1"`},
		{"three tests", `tool.name == "pay" && args.amount > 100 && caller.id == "c1"`},
		{"list function", `any(args.items, # > 7)`},
		{"tag", `"network" in tool.tags`},
		{"error", `args.env > 3`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p, problems := compileTest(bench.source, env, WantBool)
			if p == nil {
				b.Fatal(problems)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.Bool(vars)
			}
		})
	}
}

// BenchmarkEarly asks what is certain before the arguments are known.
func BenchmarkEarly(b *testing.B) {
	env := testEnv()
	vars := env.Vars(benchVars(b, env))
	p, _ := compileTest(`tool.name == "pay" && args.amount > 100 && caller.id == "c1"`, env, WantBool)
	b.ReportAllocs()
	for b.Loop() {
		p.Early(vars)
	}
}

// BenchmarkVars makes the variables of a call.
func BenchmarkVars(b *testing.B) {
	env := testEnv()
	values := benchVars(b, env)
	b.ReportAllocs()
	for b.Loop() {
		env.Vars(values)
	}
}

// BenchmarkCompile compiles a rule of three tests.
func BenchmarkCompile(b *testing.B) {
	env := testEnv()
	b.ReportAllocs()
	for b.Loop() {
		compileTest(`tool.name == "pay" && args.amount > 100 && caller.id == "c1"`, env, WantBool)
	}
}

// BenchmarkRules evaluates many rules on one call, none of which matches.
func BenchmarkRules(b *testing.B) {
	env := testEnv()
	vars := env.Vars(benchVars(b, env))
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			programs := make([]*Program, n)
			for i := range programs {
				programs[i], _ = compileTest(fmt.Sprintf(`tool.name == "t%d" && args.amount > %d`, i, i), env, WantBool)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range programs {
					_, _ = p.Bool(vars)
				}
			}
		})
	}
}

// BenchmarkTemplate renders a path.
func BenchmarkTemplate(b *testing.B) {
	env := testEnv()
	vars := env.Vars(benchVars(b, env))
	template, _ := parseTest("/customers/${args.env}/orders/${args.amount}", env)
	b.ReportAllocs()
	for b.Loop() {
		_, _, _ = template.Text(vars)
	}
}

// TestConcurrent runs one program on the same variables from many goroutines.
func TestConcurrent(t *testing.T) {
	env := testEnv()
	vars := env.Vars(benchVars(t, env))
	p, problems := compileTest(`let x = args.items; any(x, # > 7 && any(x, # < 2)) && tool.name == "pay"`, env, WantBool)
	if p == nil {
		t.Fatal(problems)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if yes, err := p.Bool(vars); !yes || err != nil {
					t.Errorf("got %v, %v", yes, err)
				}
				if truth := p.Early(vars); truth != Unknown {
					t.Errorf("got %v", truth)
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkNumbers compares and computes with numbers of several lengths.
func BenchmarkNumbers(b *testing.B) {
	env := testEnv()
	vars := env.Vars(testVars(b, env, `{"args": {"i": 250, "id": 9007199254740993, "d": 99.95, "e": 1e2, "long": 100.0000000000000000001}}`))
	for _, source := range []string{"args.i > 100", "args.id == 9007199254740993", "args.d > 100", "args.d == 99.95", "args.e > 100", "args.long > 100", "args.i in [1, 2, 250]", "args.d * 2 > 100", "args.i / 3 > 100"} {
		b.Run(source, func(b *testing.B) {
			p, problems := compileTest(source, env, WantBool)
			if p == nil {
				b.Fatal(problems)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.Bool(vars)
			}
		})
	}
}
