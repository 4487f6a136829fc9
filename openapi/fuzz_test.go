package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi"
)

// served answers every request with a document.
type served []byte

func (s served) Do(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: req,
		Body: io.NopCloser(bytes.NewReader(s)), ContentLength: int64(len(s)),
	}, nil
}

// maxFuzzed is how large a document may be that the fuzzer makes, in bytes: what a
// larger one takes is a matter of time, not of what goes wrong.
const maxFuzzed = 16 << 10

// FuzzLoad holds that a document of any kind is read or refused, that each of its
// operations has a schema that compiles and is shown in no more than its budget,
// and that requests are made of arguments that are not there.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/broken/*.yaml", "testdata/seeds/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	client := httptool.NewClient(nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzzed {
			return
		}
		d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: "https://fuzz.example/openapi", Fetch: served(data)})
		if err != nil {
			return
		}
		var problems diag.Report
		at := diag.NewCursor(&problems, func([]string) (diag.Spot, bool) { return diag.Spot{}, true })
		s := openapi.New(at, openapi.Config{BaseURL: nowhere}, d, openapi.Deps{Client: client})
		if s == nil {
			t.Fatal(problems.Problems())
		}
		for _, op := range d.Operations {
			if op.Place == "" || !json.Valid(op.Shown) {
				t.Fatalf("%s %s at %q: models are shown %s", op.Method, op.Path, op.Place, op.Shown)
			}
			if _, err := schema.Compile(op.Shown); err != nil {
				t.Errorf("%s %s: %v in %s", op.Method, op.Path, err, op.Shown)
			}
			if _, err := schema.Compile(d.Arguments(op)); err != nil {
				t.Errorf("%s %s: %v in %s", op.Method, op.Path, err, d.Arguments(op))
			}
			if op.Output != nil {
				if _, err := schema.Compile(d.Answer(op)); err != nil {
					t.Errorf("%s %s: %v in %s", op.Method, op.Path, err, d.Answer(op))
				}
			}
			draft, err := s.Draft(op, map[string]any{})
			if err == nil && draft.URL.Host != "nowhere.example" && len(op.Servers) == 0 {
				t.Errorf("%s %s goes to %s", op.Method, op.Path, draft.URL)
			}
			_, _ = s.Runner(at, op, httptool.Answers{}, httptool.Deps{Client: client})
		}
	})
}
