package row

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Add(Row{Bench: "call", What: "1 caller", Ours: 300, Reference: 200, Unit: "µs p50", Note: "the upstream"})
	f.Add(Row{Bench: "start", What: "1,000 tools", Ours: 90, Unit: "MiB", Ratio: 7})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"bench":"call","what":"1 caller","ours":300,"reference":200,"unit":"µs p50","ratio":1.5,"note":"the upstream"}
{"bench":"start","what":"1,000 tools","ours":90,"reference":0,"unit":"MiB","ratio":0,"note":""}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	rows, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].Ratio != 1.5 || rows[1].What != "1,000 tools" {
		t.Errorf("read %+v", rows)
	}
}

// A figure that JSON cannot hold is told at the end; none is left out without a word.
func TestNotANumber(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "rows"))
	if err != nil {
		t.Fatal(err)
	}
	f.Add(Row{Bench: "call", What: "nothing", Ours: math.NaN()})
	f.Add(Row{Bench: "call", What: "something", Ours: 1})
	if f.Close() == nil {
		t.Error("no error")
	}
}

func TestNoFile(t *testing.T) {
	f, err := Create("")
	if err != nil {
		t.Fatal(err)
	}
	f.Add(Row{Bench: "call", What: "something"})
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestBadRows(t *testing.T) {
	for _, text := range []string{"no JSON\n", `{"bench":"call"}` + "\n", `{"bench":"call","what":"x","more":1}` + "\n"} {
		path := filepath.Join(t.TempDir(), "rows")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if rows, err := Read(path); err == nil {
			t.Errorf("%q: read %v", text, rows)
		}
	}
}
