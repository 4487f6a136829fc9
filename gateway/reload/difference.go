package reload

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/policy"
)

// Difference is what a reload changed, by names and keys: no value is in it.
type Difference struct {
	// Changes are by section of the file: tools, rules, hooks, upstreams,
	// secrets, groups and so on, and settings for keys that stand alone. What
	// has not changed is not there.
	Changes map[string]Change `json:"changes,omitempty"`
	// Restart names keys that differ from those in use and take effect at the
	// next start.
	Restart []string `json:"restart,omitempty"`
}

// Change is what became of the entries of one section.
type Change struct {
	Added     []string            `json:"added,omitempty"`
	Removed   []string            `json:"removed,omitempty"`
	Changed   map[string][]string `json:"changed,omitempty"`   // the keys that differ, by the entry's name
	Reordered bool                `json:"reordered,omitempty"` // those that stayed stand in another order
}

// note adds keys in which an entry differs, if there are any.
func (c *Change) note(name string, keys ...string) {
	if len(keys) == 0 {
		return
	}
	if c.Changed == nil {
		c.Changed = map[string][]string{}
	}
	all := append(slices.Clone(c.Changed[name]), keys...)
	slices.Sort(all)
	c.Changed[name] = slices.Compact(all)
}

// none reports that nothing changed.
func (c *Change) none() bool {
	return len(c.Added) == 0 && len(c.Removed) == 0 && len(c.Changed) == 0 && !c.Reordered
}

// ofProcess are the keys, and sections with all their keys, that belong to the
// process and not to what it serves.
var ofProcess = []string{"server.listen", "server.url", "server.tls", "server.instructions", "store", "approvals"}

// ignored are the keys that say how the file is written or tested, not what is
// served.
var ignored = []string{"include", "version", "discovery.golden"}

// settings is the section of the keys that stand alone.
const settings = "settings"

// Between says what differs between the version that is served and another one
// without errors. The process keeps what it was started with.
func Between(started *config.Config, before, after *Version) Difference {
	d := Difference{Changes: map[string]Change{}}
	d.sections(started, before.Config, after.Config)
	d.put("tools", toolsBetween(before, after))
	d.secrets(before, after)
	d.certificates(before, after)
	d.documents(before, after)
	return d
}

// Any reports whether what is served differs.
func (d *Difference) Any() bool { return len(d.Changes) > 0 }

func (d *Difference) put(section string, c Change) {
	if !c.none() {
		d.Changes[section] = c
	}
}

func (d *Difference) set(keys ...string) {
	c := d.Changes[settings]
	for _, key := range keys {
		c.note(key, "value")
	}
	d.put(settings, c)
}

// sections compares all sections but tools. A section that a later version of
// the file gets is compared too, whatever it is.
func (d *Difference) sections(started, before, after *config.Config) {
	s, b, a := reflect.ValueOf(*started), reflect.ValueOf(*before), reflect.ValueOf(*after)
	for i := range b.NumField() {
		key := b.Type().Field(i).Tag.Get("koanf")
		switch {
		case key == "" || key == "tools" || slices.Contains(ignored, key):
		case key == "policy":
			d.policy(before.Policy, after.Policy)
		case key == "sources":
			d.put(key, compare(sourcesOf(before.Sources), sourcesOf(after.Sources)))
		case key == "hooks":
			d.put("hooks", compare(hooksOf(before.Hooks), hooksOf(after.Hooks)))
		case b.Field(i).Kind() == reflect.Map:
			d.put(key, compare(entriesOfValue(b.Field(i)), entriesOfValue(a.Field(i))))
		default:
			d.keys(key, b.Field(i).Interface(), a.Field(i).Interface())
			d.restart(key, s.Field(i).Interface(), a.Field(i).Interface())
		}
	}
	d.put("callers", compare(entriesOfMap(before.Server.Callers), entriesOfMap(after.Server.Callers)))
}

// keys compares the keys of a section that stand alone and are applied.
func (d *Difference) keys(section string, before, after any) {
	for _, key := range pathsOf(section, before, after) {
		if !isOfProcess(key) && key != "server.callers" && !slices.Contains(ignored, key) {
			d.set(key)
		}
	}
}

// restart compares those that are not.
func (d *Difference) restart(section string, started, after any) {
	for _, key := range pathsOf(section, started, after) {
		if isOfProcess(key) {
			d.Restart = append(d.Restart, key)
		}
	}
}

func pathsOf(section string, a, b any) []string {
	keys := keysOf(a, b, keyDepth)
	for i, key := range keys {
		keys[i] = strings.TrimSuffix(section+"."+key, ".")
	}
	return keys
}

func isOfProcess(key string) bool {
	return slices.ContainsFunc(ofProcess, func(p string) bool { return key == p || strings.HasPrefix(key, p+".") })
}

// entriesOfValue is entriesOfMap for a section of any type.
func entriesOfValue(m reflect.Value) entries {
	all := make(map[string]any, m.Len())
	for name, v := range m.Seq2() {
		all[name.String()] = v.Interface()
	}
	return entriesOfMap(all)
}

// sourcesOf are the sources without the tests of their tools, which decide nothing.
func sourcesOf(all map[string]config.Source) entries {
	plain := make(map[string]any, len(all))
	for name, s := range all {
		tools := make(map[string]config.Override, len(s.Tools))
		for key, o := range s.Tools {
			o.Tests = nil
			tools[key] = o
		}
		if s.Tools != nil {
			s.Tools = tools
		}
		plain[name] = s
	}
	return entriesOfMap(plain)
}

func hooksOf(c config.Hooks) entries {
	before := entriesOfList(c.Before, func(h *hook.BeforeConfig) string { return "before." + h.Name })
	after := entriesOfList(c.After, func(h *hook.AfterConfig) string { return "after." + h.Name })
	maps.Copy(before.byName, after.byName)
	return entries{append(before.names, after.names...), before.byName}
}

// policy compares rules by name and the rest by key. Tests decide nothing.
func (d *Difference) policy(before, after *policy.Config) {
	if (before == nil) != (after == nil) {
		d.set("policy")
	}
	b, a := plainPolicy(before), plainPolicy(after)
	d.put("rules", compare(rulesOf(b.Rules), rulesOf(a.Rules)))
	b.Rules, a.Rules = nil, nil
	for _, key := range keysOf(b, a, keyDepth) {
		d.set("policy." + key)
	}
}

func plainPolicy(c *policy.Config) policy.Config {
	if c == nil {
		return policy.Config{}
	}
	out := *c
	out.Tests = nil
	return out
}

func rulesOf(rules []policy.RuleConfig) entries {
	return entriesOfList(rules, func(r *policy.RuleConfig) string { return cmp.Or(r.Name, r.Preset) })
}
