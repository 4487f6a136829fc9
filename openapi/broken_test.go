package openapi_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// TestBroken loads documents with the faults for which the most used library for
// OpenAPI in Go refuses real documents as a whole. What is broken is repaired or
// left out, with its place, and all else is there.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file              string
		operations        []string // in order
		skipped, warnings []string // code and place
		takes, refuses    string   // arguments of the first operation; "" for none
	}{
		{
			"required-flag.yaml",
			[]string{"addAlbum", "good"},
			nil,
			[]string{"required-not-list required-flag.yaml:15:48"},
			`{"name":"x"}`, `{"label":"x"}`,
		},
		{
			"dangling.yaml",
			[]string{"used", "good"},
			[]string{"dangling-reference dangling.yaml:18:20"},
			[]string{"dangling-reference dangling.yaml:14:26", "dangling-reference dangling.yaml:13:62"},
			`{"kind":[1],"n":1}`, `{"n":"x"}`,
		},
		{
			"response-is-body.yaml",
			[]string{"createIncident", "good"},
			nil, nil,
			`{"title":"x"}`, `{}`,
		},
		{
			"schema-is-header.yaml",
			[]string{"createVault", "good"},
			nil,
			[]string{"not-a-schema schema-is-header.yaml:12:60", "not-a-schema schema-is-header.yaml:13:88"},
			`{"name":"x","id":5}`, `{"id":"x"}`,
		},
		{
			"defs-of-schema.yaml",
			[]string{"chat", "good"},
			nil, nil,
			`{"messages":[{"role":"user"}]}`, `{"messages":[{"role":"king"}]}`,
		},
		{
			"examples-map.yaml",
			[]string{"createPlanet", "good"},
			nil, nil,
			`{"name":"Mars"}`, `{"name":5}`,
		},
		{
			"split/openapi.yaml",
			[]string{"listDroplets", "good"},
			nil, nil,
			`{"size":"small"}`, `{"size":"huge"}`,
		},
		{
			"tuple.yaml",
			[]string{"setBlocks", "good"},
			nil, nil,
			`{"range":["a",1]}`, `{"range":[1,1]}`,
		},
		{
			"missing/openapi.yaml",
			[]string{"schema", "good"},
			[]string{"unreadable-file openapi.yaml:6:10"},
			[]string{"unreadable-file openapi.yaml:10:96"},
			`{"a":1}`, `{"b":1}`,
		},
	} {
		t.Run(filepath.ToSlash(c.file), func(t *testing.T) {
			t.Parallel()
			d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: filepath.Join("testdata/broken", c.file)})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, op := range d.Operations {
				ids = append(ids, op.ID)
			}
			if diff := cmp.Diff(c.operations, ids); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.skipped, found(d.Skipped)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.warnings, found(d.Warnings)); diff != "" {
				t.Error(diff)
			}
			s, err := schema.Compile(d.Arguments(d.Operations[0]))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(object(t, c.takes)); err != nil {
				t.Errorf("%s: %v", c.takes, err)
			}
			if s.Validate(object(t, c.refuses)) == nil {
				t.Errorf("%s is taken", c.refuses)
			}
		})
	}
}

func found(all []spec.Finding) []string {
	var out []string
	for _, f := range all {
		out = append(out, f.Code+" "+f.Place)
	}
	return out
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := schema.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}
