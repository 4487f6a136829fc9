package config

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolsource "github.com/toolgate/toolgate/gateway/source"
)

// TestChoosing hands over what a source says of choosing and naming.
func TestChoosing(t *testing.T) {
	t.Parallel()
	c := mustParse(t, "t.yaml", `version: 1
sources:
  a: {openapi: {spec: a.yaml}}
  b:
    enabled: false
    core: false
    prefix: ""
    tags: [x]
    include: [{tag: y, set: {tags: [z]}}]
    tools: {one: {name: two, enabled: false, tags: [], hide: {n: 1.10}}, three: {description: Three.}}
    openapi: {spec: a.yaml}
`)
	a, b := c.Sources["a"], c.Sources["b"]
	if !a.On() || !a.IsCore() || b.On() || b.IsCore() {
		t.Errorf("on and core are %v %v, %v %v", a.On(), a.IsCore(), b.On(), b.IsCore())
	}
	off, none := false, ""
	for name, want := range map[string]toolsource.Config{
		"a": {Namespace: "a", Tools: map[string]toolsource.Override{}, Reserved: reservedNames},
		"b": {
			Namespace: "b", Prefix: &none, Tags: []string{"x"}, Include: []toolsource.Include{{Tag: "y", Set: &toolsource.Set{Tags: []string{"z"}}}},
			Tools: map[string]toolsource.Override{
				"one": {Name: "two", Enabled: &off, Tags: []string{}, Hide: map[string]json.RawMessage{"n": json.RawMessage("1.10")}}, "three": {},
			},
			Reserved: reservedNames,
		},
	} {
		s := c.Sources[name]
		if diff := cmp.Diff(want, s.Choosing(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
