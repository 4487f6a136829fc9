package expression

import (
	"fmt"
	"sync"
	"testing"
)

// TestNumbersKept compares more numbers than are kept, good and bad ones, with
// the same variables in many goroutines, and with variables of their own.
func TestNumbersKept(t *testing.T) {
	t.Parallel()
	env := testEnv()
	values := testVars(t, env, `{"args": {"a": 1.5, "b": 15e-1, "c": 1.50000000000000000000000001, "d": 1e9999, "e": 2.5, "f": -1.5, "g": 3.25, "h": 1, "l": [1.5, 2.5]}}`)
	var programs []*Program
	var want []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		for _, rest := range []string{" > 1.5", " == 1.5", " <= args.c", " != 2", " == args.l[0]", " * 2 > args.e"} {
			p, problems := compileTest("args."+name+rest, env, WantBool)
			if p == nil {
				t.Fatal(problems)
			}
			programs = append(programs, p)
			want = append(want, fmt.Sprint(p.Bool(env.Vars(values))))
		}
	}
	vars := env.Vars(values)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range programs {
				i = (i*7 + worker*5) % len(programs)
				if got := fmt.Sprint(programs[i].Bool(vars)); got != want[i] {
					t.Errorf("%s: got %s, want %s", programs[i].source, got, want[i])
				}
			}
		})
	}
	group.Wait()
}
