package schema

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenCase is one block of a golden file: inputs as "name: value" lines,
// then the outcome, indented by two spaces.
type goldenCase struct {
	lines []string // the input lines, comments too
	in    map[string]string
	want  []string
}

func readGolden(t testing.TB, file string) []goldenCase {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []goldenCase
	for block := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		c := goldenCase{in: map[string]string{}}
		for line := range strings.SplitSeq(block, "\n") {
			if text, ok := strings.CutPrefix(line, "  "); ok {
				c.want = append(c.want, text)
				continue
			}
			c.lines = append(c.lines, line)
			if name, value, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
				c.in[name] = value
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// runGolden compares outcome with every block of a file.
func runGolden(t *testing.T, file string, outcome func(t *testing.T, in map[string]string) []string) {
	t.Helper()
	var rewritten []string
	for _, c := range readGolden(t, file) {
		got := outcome(t, c.in)
		if diff := cmp.Diff(c.want, got); diff != "" && !*update {
			t.Errorf("%s\n(-want +got)\n%s", strings.Join(c.lines, "\n"), diff)
		}
		block := strings.Join(c.lines, "\n")
		for _, line := range got {
			block += "\n  " + line
		}
		rewritten = append(rewritten, block)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(rewritten, "\n\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func mustCompile(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Compile(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("compile %s: %v", raw, err)
	}
	return s
}

// told is what a model reads of an error; "ok" without one.
func told(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return []string{"ok"}
	}
	bad, ok := errors.AsType[*Error](err)
	if !ok {
		t.Errorf("the error %v is not an *Error", err)
		return []string{err.Error()}
	}
	return bad.Problems
}

func TestWording(t *testing.T) {
	runGolden(t, "testdata/wording.txt", func(t *testing.T, in map[string]string) []string {
		s := mustCompile(t, in["schema"])
		args, err := s.Normalise(json.RawMessage(in["args"]))
		if err == nil {
			err = s.Validate(args)
		}
		return told(t, err)
	})
}

func TestNormaliseWording(t *testing.T) {
	runGolden(t, "testdata/normalise.txt", func(t *testing.T, in map[string]string) []string {
		args, err := mustCompile(t, in["schema"]).Normalise(json.RawMessage(in["args"]))
		if err != nil {
			return told(t, err)
		}
		return []string{asJSON(t, args)}
	})
}

func TestMistakes(t *testing.T) {
	runGolden(t, "testdata/mistakes.txt", func(t *testing.T, in map[string]string) []string {
		_, err := Compile(json.RawMessage(in["schema"]))
		if err == nil {
			return []string{"ok"}
		}
		m, ok := errors.AsType[*Mistake](err)
		if !ok {
			t.Fatalf("the error %v is not a *Mistake", err)
		}
		return []string{m.Error()}
	})
}

func TestRepairs(t *testing.T) {
	runGolden(t, "testdata/repairs.txt", func(t *testing.T, in map[string]string) []string {
		s := mustCompile(t, in["schema"])
		args, err := s.Normalise(json.RawMessage(in["args"]))
		if err != nil {
			return told(t, err)
		}
		before := asJSON(t, args)
		out := s.Cast(s.Defaults(args))
		if after := asJSON(t, args); after != before {
			t.Errorf("the arguments changed from %s to %s", before, after)
		}
		return []string{asJSON(t, out)}
	})
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
