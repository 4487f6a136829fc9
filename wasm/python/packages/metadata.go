package packages

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxMetadata = 1 << 20 // bytes of METADATA
	maxNeeds    = 500     // further packages that one says it needs
	maxWord     = 200     // bytes of a name or a version
)

// metadata reads what a package says of itself (PyPA, Core metadata).
func (l *loader) metadata(entry int, data []byte) (dist, *Mistake) {
	if len(data) > maxMetadata || !utf8.Valid(data) {
		return dist{}, mistakef("", "METADATA is no text of at most %d bytes", maxMetadata)
	}
	head := headers(string(data))
	d := dist{Package: Package{Name: first(head, "name"), Version: first(head, "version"), Entry: entry}, needs: head["requires-dist"]}
	switch {
	case !isWord(d.Name) || !isWord(d.Version):
		return dist{}, mistakef("download it again", "METADATA has no Name and Version that could be one")
	case len(d.needs) > maxNeeds:
		return dist{}, mistakef("", "METADATA says that the package needs %d others, and at most %d are looked for", len(d.needs), maxNeeds)
	}
	if want := first(head, "requires-python"); want != "" && l.python != "" && !satisfies(l.python, want) {
		return dist{}, mistakef("look for another version of it", "%s %s needs Python %s, and the interpreter is %s", d.Name, d.Version, want, l.python)
	}
	return d, nil
}

// isWord reports whether a text can be shown as a name or a version.
func isWord(text string) bool {
	return text != "" && len(text) <= maxWord && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~'
	})
}

// headers reads fields of the form of mail, by their names in lower case, up to the
// first empty line. Lines that go on with a space belong to the one before.
func headers(text string) map[string][]string {
	out := map[string][]string{}
	last := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if line == "" {
			break
		}
		if values := out[last]; len(values) > 0 && (line[0] == ' ' || line[0] == '\t') {
			values[len(values)-1] += " " + strings.TrimSpace(line)
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		last = strings.ToLower(strings.TrimSpace(name))
		out[last] = append(out[last], strings.TrimSpace(value))
	}
	return out
}

func first(head map[string][]string, name string) string {
	if values := head[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// fold is a name as packages are told apart by it (PyPA, Name normalization).
func fold(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
}

// validName reports whether a path is plain, relative and can be shown.
func validName(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsFunc(name, func(r rune) bool { return r == '\\' || !unicode.IsPrint(r) && r != ' ' })
}

// isStandard reports whether a package of this name is for older versions of Python:
// the standard library has it by now.
func isStandard(name string) bool {
	switch name {
	case "argparse", "asyncio", "contextvars", "dataclasses", "enum34", "functools32", "futures", "graphlib", "ipaddress",
		"pathlib", "ordereddict", "singledispatch", "statistics", "tomllib", "typing", "unittest", "uuid", "zoneinfo":
		return true
	}
	return false
}

// checkNeeds reports packages that need others which are not there, or are there in a
// version that does not do.
func (l *loader) checkNeeds() {
	there := map[string]*dist{}
	for i := range l.found {
		there[fold(l.found[i].Name)] = &l.found[i]
	}
	for i := range l.found {
		d := &l.found[i]
		for _, text := range d.needs {
			if problem, hint := lacks(there, text, l.python); problem != "" {
				l.mistakes = append(l.mistakes, &Mistake{Entry: d.Entry, Text: fmt.Sprintf("%s needs %s", d.Name, problem), Hint: hint})
			}
		}
	}
}

// lacks says what is missing of one need; "" for nothing.
func lacks(there map[string]*dist, text, python string) (problem, hint string) {
	n := parseNeed(text)
	if n.name == "" {
		return fmt.Sprintf("%q, which cannot be read", tooLongCut(text)), ""
	}
	if isStandard(fold(n.name)) || !applies(n.marker, python) {
		return "", ""
	}
	other := there[fold(n.name)]
	want := strings.TrimSpace(n.name + " " + n.versions)
	switch {
	case other == nil:
		return want + ", which is not among the packages", fmt.Sprintf("add a wheel of %s", n.name)
	case other.Version != "" && n.versions != "" && !satisfies(other.Version, n.versions):
		return fmt.Sprintf("%s, and %s %s is there", want, other.Name, other.Version), "add another version of it"
	}
	return "", ""
}

func tooLongCut(text string) string { return text[:min(len(text), maxWord)] }

// need is a requirement in its parts (PyPA, Dependency specifiers).
type need struct{ name, versions, marker string }

// parseNeed takes a requirement apart; without a name it cannot be read.
func parseNeed(text string) need {
	text, marker, _ := strings.Cut(text, ";")
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		end = len(text)
	}
	n := need{name: text[:end], marker: strings.TrimSpace(marker)}
	rest := strings.TrimSpace(text[end:])
	if strings.HasPrefix(rest, "[") {
		if _, after, ok := strings.Cut(rest, "]"); ok {
			rest = strings.TrimSpace(after)
		}
	}
	if strings.HasPrefix(rest, "@") {
		return n // an address: any version will do
	}
	n.versions = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(rest, "("), ")"))
	if !isWord(cmp.Or(n.name, " ")) {
		n.name = ""
	}
	return n
}
