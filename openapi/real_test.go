package openapi_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi"
)

// realDocuments are the documents of the test data with the operations that they
// have by its list; 0 where the tool that counted could not read one.
func realDocuments(t *testing.T) map[string]int {
	t.Helper()
	f, err := os.Open(filepath.Join(testdata(t), "openapi/SOURCE.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 6 || fields[0] == "file" {
			continue
		}
		n, err := strconv.Atoi(fields[4])
		if err != nil {
			t.Fatal(err)
		}
		all[fields[0]] = n
	}
	return all
}

// counted are operations of documents that the list has without a count.
var counted = map[string]int{"spotify-official.yml": 96, "square.json": 316}

// TestRealDocuments holds that every operation of real documents becomes a tool or
// is listed with the reason, and how many are; of a part of them with the race
// detector.
func TestRealDocuments(t *testing.T) {
	tools, repairs := 0, map[string]int{}
	documents := realDocuments(t)
	for _, name := range tried(documents) {
		want := documents[name]
		if want == 0 {
			want = counted[name]
		}
		d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: filepath.Join(testdata(t), "openapi/specs", name)})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(d.Operations) + len(d.Skipped); got != want {
			t.Errorf("%s: %d operations are tools and %d are listed, of %d", name, len(d.Operations), len(d.Skipped), want)
		}
		for _, f := range d.Skipped {
			t.Errorf("%s: %+v", name, f)
		}
		for _, f := range d.Warnings {
			repairs[f.Code]++
		}
		tools += len(d.Operations)
		for _, op := range d.Operations {
			if op.Shown == nil || len(op.Shown) > openapi.ShownSize {
				t.Logf("%s: models are shown %d bytes of %s %s", name, len(op.Shown), op.Method, op.Path)
			}
			if portable, err := schema.Portable(op.Shown); err != nil || string(portable) != string(op.Shown) {
				t.Errorf("%s: what is shown of %s %s is not portable: %v", name, op.Method, op.Path, err)
			}
		}
	}
	if raced {
		return
	}
	if len(documents) != 83 || tools != 11439 {
		t.Errorf("%d tools of %d documents", tools, len(documents))
	}
	if diff := cmp.Diff(map[string]int{"dangling-reference": 9, "undeclared-placeholder": 1}, repairs); diff != "" {
		t.Error(diff)
	}
}
