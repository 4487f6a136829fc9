package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	pass = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"quiet\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
`
	fail = `{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"loud\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
`
	skip = `{"Action":"run","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:1: not here\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
`
	noData = `{"Action":"run","Package":"p","Test":"TestD"}
{"Action":"output","Package":"p","Test":"TestD","Output":"    d_test.go:1: needs TG_TESTDATA (the suite)\n"}
{"Action":"skip","Package":"p","Test":"TestD"}
`
	hang = `{"Action":"run","Package":"p","Test":"TestE"}
{"Action":"output","Package":"p","Test":"TestE","Output":"=== RUN   TestE\n"}
`
	passed   = `{"Action":"pass","Package":"p"}` + "\n"
	failed   = `{"Action":"fail","Package":"p"}` + "\n"
	noTests  = `{"Action":"skip","Package":"p"}` + "\n"
	notBuilt = `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: oh\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`
)

func TestCount(t *testing.T) {
	exit1 := errors.New("exit status 1")
	cases := []struct {
		name, events string
		err          error
		complete     bool
		want         string
	}{
		{"pass", pass + passed, nil, true, "1 passed, 0 failed, 0 skipped\n"},
		{"fail", pass + fail + failed, exit1, false, "loud\nFAILED  p TestB\n1 passed, 1 failed, 0 skipped\n"},
		{"skips", pass + skip + noData + passed, nil, false, "not run without what TG_ variables name: 1\n1 passed, 0 failed, 1 skipped\n"},
		{
			"skips in a complete run", pass + skip + noData + passed, nil, true,
			"FAILED  p TestC: skipped, and nothing may be\nFAILED  p TestD: skipped, and nothing may be\n1 passed, 2 failed, 0 skipped\n",
		},
		{"a package without tests", pass + passed + noTests, nil, true, "1 passed, 0 failed, 0 skipped\n"},
		{"build", notBuilt, exit1, false, "p.go:1: oh\nFAIL\tp [build failed]\nFAILED  p\n0 passed, 1 failed, 0 skipped\n"},
		{"a test that never ends", pass + hang + failed, exit1, false, "=== RUN   TestE\nFAILED  p TestE\n1 passed, 1 failed, 0 skipped\n"},
		{"events that break off", pass + hang, exit1, false, "=== RUN   TestE\nFAILED  p TestE\n1 passed, 1 failed, 0 skipped\n"},
		{"events that break off between tests", pass, exit1, false, "FAILED  p\n1 passed, 1 failed, 0 skipped\n"},
		{"TestMain", pass + failed, exit1, false, "FAILED  p\n1 passed, 1 failed, 0 skipped\n"},
		{"no event at all", "", exit1, false, "FAILED  go test: exit status 1\n0 passed, 1 failed, 0 skipped\n"},
		{"no test at all", noTests, nil, false, "FAILED  no test was found\n0 passed, 1 failed, 0 skipped\n"},
		{"other lines", "hello\n{}\n" + pass + passed, nil, false, "hello\n{}\n1 passed, 0 failed, 0 skipped\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			n := newCount(&out)
			if err := n.read(strings.NewReader(c.events)); err != nil {
				t.Fatal(err)
			}
			n.end(c.err)
			ok := n.summary(c.complete)
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Error(diff)
			}
			if want := strings.Contains(c.want, " 0 failed"); ok != want {
				t.Errorf("good is %v, want %v", ok, want)
			}
		})
	}
}
