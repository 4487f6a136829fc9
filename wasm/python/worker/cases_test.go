package worker

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// TestCases runs the programs of testdata. In an archive, NAME.py is a program,
// NAME.job what else its job says, as JSON, and NAME.want what must come of it, a line
// each: a field, how it is compared (= is equal, ~ contains, ! does not contain), and a
// text, in Go's quotes where it needs them.
func TestCases(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	g := startGuest(t, caseSettings())
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(sub *testing.T) {
			for _, c := range cases(sub, archive) {
				if g.dead {
					g = startGuest(t, caseSettings())
				}
				sub.Run(c.name, func(t *testing.T) {
					g.t = t
					g.check(t, c.job, c.want)
				})
			}
		})
	}
}

func caseSettings() driverSettings {
	return driverSettings{
		Heap:     guestLimit,
		Packages: map[string]string{"Attrs": "23.2.0", "PyYAML": "6.0.1"},
		Modules:  []string{"attr", "yaml"},
	}
}

// programCase is a program and what must come of it.
type programCase struct {
	name string
	job  wire.Job
	want []byte
}

func cases(t *testing.T, archive *txtar.Archive) (found []programCase) {
	parts := map[string][]byte{}
	for _, f := range archive.Files {
		if _, twice := parts[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		parts[f.Name] = f.Data
	}
	for _, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".py")
		if !ok {
			continue
		}
		c := programCase{name, wire.Job{Code: string(f.Data)}, parts[name+".want"]}
		if more := parts[name+".job"]; more != nil {
			if err := json.Unmarshal(more, &c.job); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		found = append(found, c)
	}
	return found
}

func (g *guest) check(t *testing.T, job wire.Job, want []byte) {
	got := g.fields(job)
	lines := 0
	for line := range bytes.Lines(want) {
		line = bytes.TrimRight(line, "\n")
		if len(line) == 0 {
			continue
		}
		lines++
		field, rest, _ := strings.Cut(string(line), " ")
		how, text, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(text, `"`) {
			unquoted, err := strconv.Unquote(text)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			text = unquoted
		}
		if !compare(got[field], how, text) {
			t.Errorf("want %s, got %s:\n%q", line, field, got[field])
		}
	}
	if lines == 0 {
		t.Error("nothing is wanted of it")
	}
	if t.Failed() {
		t.Logf("all of it: %q", got)
	}
}

func compare(got, how, want string) bool {
	switch how {
	case "=":
		return got == want
	case "~":
		return strings.Contains(got, want)
	case "!":
		return !strings.Contains(got, want)
	}
	return false
}

// fields runs a job and gives what came of it by names. What is not there is empty.
func (g *guest) fields(job wire.Job) map[string]string {
	stdout, stderr, reply := g.run(job)
	found := map[string]string{"stdout": stdout, "stderr": stderr, "outcome": string(reply.Outcome)}
	if reply.ExitCode != 0 {
		found["code"] = strconv.Itoa(reply.ExitCode)
	}
	if v := reply.Value; v != nil {
		found["repr"], found["json"], found["media"] = v.Repr, string(v.JSON), v.Media
		found["bytes"], found["length"] = strconv.Itoa(len(v.Data)), strconv.Itoa(len(v.Repr))
		if v.Cut {
			found["cut"] = "cut"
		}
	}
	if f := reply.Failure; f != nil {
		found["type"], found["message"], found["traceback"] = f.Type, f.Message, f.Traceback
		found["hint"], found["line"] = f.Hint, strconv.Itoa(f.Line)
	}
	return found
}
