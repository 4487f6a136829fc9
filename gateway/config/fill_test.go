package config

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/go-viper/mapstructure/v2"
	"github.com/google/go-cmp/cmp"
)

// TestFillerAgreesWithTheDecoder holds the tools of all good files, as the filler
// makes them, against what the decoder of all other sections makes of them.
func TestFillerAgreesWithTheDecoder(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tools := 0
	for _, file := range append(files, "../../examples/contract.yaml", "../../examples/tools.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		values := checkedTools(t, file, data)
		var want, got map[string]Tool
		d, err := mapstructure.NewDecoder(decoder(&want))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(values); err != nil {
			t.Fatal(err)
		}
		if err := newFiller().fill(reflect.ValueOf(&got).Elem(), values); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-decoder +filler)\n%s", file, diff)
		}
		tools += len(got)
	}
	if tools < 10 {
		t.Errorf("%d tools, which are few to tell", tools)
	}
}

// checkedTools are the "tools" of a file as the checker leaves them.
func checkedTools(t *testing.T, file string, data []byte) map[string]any {
	t.Helper()
	l := newLoader(memory{file: string(data)})
	tree := l.parse(file, data)
	if tree == nil {
		t.Fatal(l.findings.report.Problems())
	}
	section := tree.get("tools")
	if section == nil {
		return nil
	}
	check := &checker{findings: l.findings}
	values, _ := check.value(&trail{place: tree.place}, section, shapeOf(reflect.TypeFor[map[string]Tool](), []string{"tools"}))
	out, _ := values.(map[string]any)
	return out
}

// TestFillerRefusesWhatDoesNotFit shows that a fault of the checker would be told.
func TestFillerRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"a number for a text":   map[string]any{"t": map[string]any{"title": 1}},
		"a text for a number":   map[string]any{"t": map[string]any{"max_result_size": "1"}},
		"a text for a boolean":  map[string]any{"t": map[string]any{"enabled": "yes"}},
		"a boolean for a list":  map[string]any{"t": map[string]any{"tags": true}},
		"a list for a struct":   map[string]any{"t": []any{}},
		"a struct for a list":   map[string]any{"t": map[string]any{"tags": map[string]any{}}},
		"a key without a field": map[string]any{"t": map[string]any{"titel": "T"}},
		"no duration":           map[string]any{"t": map[string]any{"timeout": "soon"}},
		"nothing":               map[string]any{"t": nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var into map[string]Tool
			if err := newFiller().fill(reflect.ValueOf(&into).Elem(), value); err == nil {
				t.Errorf("made %+v of it", into)
			}
		})
	}
}
