package registry_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
)

func entry(namespace, name string) *registry.Entry {
	return &registry.Entry{Spec: &tool.Spec{Name: name, Namespace: namespace}}
}

func TestOrderAndLookup(t *testing.T) {
	t.Parallel()
	r, err := registry.New([]*registry.Entry{
		entry("b", "b-two"), {Spec: &tool.Spec{Name: "read_result", Source: tool.SourceBuiltin}}, entry("", "zeta"), entry("a", "a-one"), entry("", "alpha"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range r.All() {
		names = append(names, e.Spec.Name)
	}
	if d := cmp.Diff([]string{"read_result", "alpha", "zeta", "a-one", "b-two"}, names); d != "" {
		t.Error(d)
	}
	if _, ok := r.Lookup("Alpha"); ok {
		t.Error("a name in another case was found")
	}
	if e, ok := r.Meant("A-lpha"); !ok || e.Spec.Name != "alpha" {
		t.Errorf("meant %v, %v", e, ok)
	}
	if _, ok := r.Meant("alphas"); ok {
		t.Error("a name with another letter was taken for a tool")
	}
}

func TestConfusableNames(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"find", "find"}, {"find_it", "find-it"}, {"find_it", "FindIt"}} {
		_, err := registry.New([]*registry.Entry{entry("", pair[0]), entry("", pair[1])})
		if err == nil || !strings.Contains(err.Error(), "rename one of them") {
			t.Errorf("%v: error %v", pair, err)
		}
	}
}
