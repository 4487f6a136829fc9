package reload

import (
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

// toolsBetween compares the tools that are served, and the declarations of those
// that are left out for now.
func toolsBetween(before, after *Version) Change {
	old, now := specsOf(before), specsOf(after)
	c := compare(entriesOfMap(old), entriesOfMap(now))
	c.Changed = nil
	for name, s := range now {
		if was := old[name]; was != nil {
			c.note(name, shownKeys(was, s)...)
		}
	}
	for name, t := range after.Config.Tools {
		was, declared := before.Config.Tools[name]
		if declared && (old[name] != nil) == (now[name] != nil) && was.On() && t.On() {
			was.Tests, t.Tests = nil, nil // which decide nothing
			c.note(name, keysOf(was, t, keyDepth)...)
		}
	}
	return c
}

// specsOf are the tools that are served, the gateway's own apart, by name.
func specsOf(v *Version) map[string]*tool.Spec {
	out := map[string]*tool.Spec{}
	for _, e := range v.Assembly.Generation.Tools.All() {
		if e.Spec.Source != tool.SourceBuiltin {
			out[e.Spec.Name] = e.Spec
		}
	}
	return out
}

// shownKeys are the keys of a tool in which what other sections make of it
// differs.
func shownKeys(was, s *tool.Spec) []string {
	var keys []string
	if string(was.Parameters) != string(s.Parameters) {
		keys = append(keys, "parameters")
	}
	if !slices.Equal(was.Groups, s.Groups) {
		keys = append(keys, "groups")
	}
	if was.Description != s.Description {
		keys = append(keys, "description")
	}
	if was.Deferred != s.Deferred {
		keys = append(keys, "defer")
	}
	if was.SearchHint != s.SearchHint {
		keys = append(keys, "search_hint")
	}
	return keys
}

// secrets notes those whose values are others now.
func (d *Difference) secrets(before, after *Version) {
	c := d.Changes["secrets"]
	for name, old := range before.Assembly.Secrets {
		if now, ok := after.Assembly.Secrets[name]; !ok || now != old {
			if _, declared := after.Config.Secrets[name]; declared {
				c.note(name, "value")
			}
		}
	}
	for name := range after.Assembly.Secrets {
		if _, had := before.Assembly.Secrets[name]; !had && !slices.Contains(c.Added, name) {
			c.note(name, "value")
		}
	}
	d.put("secrets", c)
}

// documents notes sources whose documents say something else now, or are there now.
func (d *Difference) documents(before, after *Version) {
	old := before.Assembly.Digests()
	c := d.Changes["sources"]
	for name, now := range after.Assembly.Digests() {
		if was, had := before.Config.Sources[name]; had && was.On() && old[name] != now {
			c.note(name, "openapi.spec content")
		}
	}
	d.put("sources", c)
}

// certificates notes upstreams whose files hold something else now.
func (d *Difference) certificates(before, after *Version) {
	old := certificates(before.Config)
	c := d.Changes["upstreams"]
	for at, path := range certificates(after.Config) {
		if old[at] == path && before.seen.Files[path] != after.seen.Files[path] {
			c.note(at.upstream, "tls."+at.key+" content")
		}
	}
	d.put("upstreams", c)
}
