package config

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

const (
	// EnvPrefix starts the names of environment variables that set keys of a
	// configuration. Two underscores stand between keys; case does not matter,
	// and - and _ are one.
	EnvPrefix = "TOOLGATE_"
	// EnvToken is the variable with the credential of the command line. It is
	// never a key.
	EnvToken = EnvPrefix + "TOKEN"

	envSeparator = "__"
	setPrefix    = "--set "
)

// environment puts the variables that set keys on the layers so far, in the
// order of their names.
func (l *loader) environment(env []string, dir string) {
	values := map[string]string{}
	for _, entry := range env {
		name, value, ok := strings.Cut(entry, "=")
		if ok && strings.HasPrefix(name, EnvPrefix) && name != EnvToken {
			values[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		src := &source{file: "env " + name, text: values[name], origin: originEnv, dir: dir}
		steps := strings.Split(strings.ToLower(strings.TrimPrefix(name, EnvPrefix)), envSeparator)
		if len(steps) == 1 && l.stray(src, name, steps[0]) {
			continue
		}
		if slices.Contains(steps, "") {
			l.findings.add(nil, diag.Problem{
				Place: diag.Place{File: src.file}, Text: "the name has an empty key",
				Hint: "write two underscores between keys, such as " + EnvPrefix + "SERVER" + envSeparator + "LISTEN",
			})
			continue
		}
		l.setting(src, steps)
	}
}

// settings puts what --set says on the layers so far.
func (l *loader) settings(set []string, dir string) {
	for _, text := range set {
		key, value, ok := cutSetting(text)
		steps, fine := splitKey(key)
		src := &source{file: setPrefix + shownSetting(key, text, steps), text: value, origin: originSet, dir: dir}
		if !ok || !fine {
			l.findings.add(nil, diag.Problem{
				Place: diag.Place{File: src.file}, Text: "is not a key and a value",
				Hint: `write a.b=value; a key that holds a dot stands in double quotes: a."b.c"=value`,
			})
			continue
		}
		l.setting(src, steps)
	}
}

// cutSetting splits a setting at its first = outside of quotes.
func cutSetting(text string) (key, value string, ok bool) {
	inQuotes := false
	for i, r := range text {
		switch {
		case r == '"':
			inQuotes = !inQuotes
		case r == '=' && !inQuotes:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// splitKey splits a key at the dots outside of quotes.
func splitKey(key string) (steps []string, ok bool) {
	for {
		step, rest, more := key, "", false
		if quoted, isQuoted := strings.CutPrefix(key, `"`); isQuoted {
			if step, rest, ok = strings.Cut(quoted, `"`); !ok {
				return nil, false
			}
			if rest, more = strings.CutPrefix(rest, "."); !more && rest != "" {
				return nil, false
			}
		} else {
			step, rest, more = strings.Cut(key, ".")
		}
		if step == "" || strings.Contains(step, pathSeparator) {
			return nil, false
		}
		steps = append(steps, step)
		if !more {
			return steps, true
		}
		key = rest
	}
}

// shownSetting is a setting as places show it: as it was typed, but for a value
// that may be a secret.
func shownSetting(key, text string, steps []string) string {
	if isPrivate(steps) {
		text = key + "=…"
	}
	if text = shorten(text, maxShownKey); !printable(text) {
		text = strconv.Quote(text)
	}
	return text
}

// isPrivate reports whether the value at a path may be a secret.
func isPrivate(steps []string) bool {
	s := shapeOf(reflect.TypeFor[Config](), nil)
	for _, step := range steps {
		if s = s.inside(step); s == nil {
			return false
		}
		if s.note.private {
			return true
		}
	}
	return false
}

// inside is the shape of a member or an item, or nil.
func (s *shape) inside(key string) *shape {
	if s.elem != nil {
		return s.elem
	}
	return s.fields[key]
}

// setting puts one value on the layers so far.
func (l *loader) setting(src *source, steps []string) {
	if l.tree == nil {
		return
	}
	at := src.position(1, 1)
	if steps[0] == includeKey {
		l.findings.add(steps[:1], diag.Problem{Place: at.place(), Text: "only a file includes files", Hint: "write include in a file, or name further files with --config"})
		return
	}
	if len(steps) > maxDepth {
		l.findings.add(nil, diag.Problem{Place: at.place(), Text: errTooDeep.Error()})
		return
	}
	if value := l.settingValue(src, steps); value != nil {
		l.tree = l.merger.arrange(l.merger.set(l.tree, steps, value))
	}
}

// settingValue reads the value of a setting: YAML where it starts with a
// bracket, a brace or a quote, and elsewhere a scalar as it is written.
func (l *loader) settingValue(src *source, steps []string) *node {
	src.text = strings.TrimSpace(src.text)
	at := src.position(1, 1)
	problem := checkText(src.file, []byte(src.text))
	if problem == nil && src.text == "" {
		problem = &diag.Problem{Text: "has no value", Hint: "write '' for an empty text, or null to remove the entry"}
	}
	if problem == nil && !strings.ContainsAny(src.text[:1], `[{"'`) {
		l.values++
		return &node{kind: plainKind(src.text), text: src.text, place: at, size: 1}
	}
	if problem == nil {
		doc, p := parseYAML(src, []byte(src.text))
		if p == nil {
			tree := buildTree(src, l.findings, doc, steps, &l.values)
			l.failed = l.failed || tree == nil
			return tree
		}
		problem = unreadable(p, src.text, isPrivate(steps))
	}
	problem.Place = at.place()
	l.findings.add(steps, *problem)
	return nil
}

// unreadable words a syntax mistake in the value of a setting; that of a private
// one is not repeated.
func unreadable(p *diag.Problem, text string, private bool) *diag.Problem {
	switch {
	case private:
		return &diag.Problem{Text: "not valid YAML", Hint: quoteAdvice("", "")}
	case text[0] != '{':
		p.Hint = quoteAdvice("", text)
	}
	return p
}

// set changes the value at a path, whose steps are keys of maps and indexes of
// lists.
func (m *merger) set(into *node, steps []string, value *node) *node {
	if len(steps) == 0 {
		return m.value(value.place, into, value)
	}
	switch {
	case into.kind == broken:
		return into
	case into.kind == mapping:
		return m.setMember(into, steps, value)
	case into.kind == list:
		return m.setItem(into, steps, value)
	case into.kind == null:
		return nested(steps, value)
	}
	m.report(value.place, "set the whole value", "what stands %s is %s and has no key %s", into.place.seenFrom(value.place), kindNames[into.kind], shorten(steps[0], maxShownKey))
	return into
}

func (m *merger) setMember(into *node, steps []string, value *node) *node {
	n := m.mine(into)
	key, ok := m.settingKey(n, steps[0], value.place)
	if !ok {
		return n
	}
	m.inside(key, func() {
		at := n.find(key)
		if at == nil || len(steps) == 1 {
			removed := map[string]bool{}
			m.member(n, &member{key: key, place: value.place, value: nested(steps[1:], value)}, removed)
			n.remove(removed)
			return
		}
		at.value = m.set(at.value, steps[1:], value)
	})
	return n
}

// nested wraps a value in maps with one member each.
func nested(steps []string, value *node) *node {
	for _, step := range slices.Backward(steps) {
		n := &node{kind: mapping, place: value.place, size: 1}
		n.put(member{key: step, place: value.place, value: value})
		value = n
	}
	return value
}

// settingKey is the key of a map that a step of a setting means. For the
// environment it is the one that differs at most in case, - and _, else the
// step, which is in lower case.
func (m *merger) settingKey(n *node, step string, at position) (string, bool) {
	if at.src.origin != originEnv {
		return step, true
	}
	var found []string
	for i := range n.members {
		if foldKey(n.members[i].key) == foldKey(step) {
			found = append(found, n.members[i].key)
		}
	}
	switch len(found) {
	case 0:
		return step, true
	case 1:
		return found[0], true
	}
	m.report(at, "use --set", "%s can be %s here", step, strings.Join(found, " or "))
	return "", false
}

func foldKey(key string) string { return strings.ReplaceAll(strings.ToLower(key), "-", "_") }

// envHint is the hint for a variable that sets an unknown key.
func envHint(path []string, m *member, known []string) string {
	near := diag.Nearest(m.key, known)
	if near == "" {
		return "known here: " + strings.Join(known, ", ") + "; a variable that starts with " + EnvPrefix + " sets a key"
	}
	name := EnvPrefix + strings.Join(append(further(path, near), named(m)...), envSeparator)
	return "did you mean " + strings.ReplaceAll(strings.ToUpper(name), "-", "_") + "?"
}

// named are the keys that the name of a variable has behind that of a member.
// What the value of the variable holds lies behind its first column.
func named(m *member) []string {
	var out []string
	for v := m.value; v.kind == mapping && len(v.members) == 1 && v.members[0].place == m.place; v = v.members[0].value {
		out = append(out, v.members[0].key)
	}
	return out
}
