// Package pythontest is what tests with a real interpreter share. It reads the programs
// that the interpreter is tested with: what ordinary programs print, what hostile ones
// must come to, what one call must not see of another. Each kind of file is a fixed
// form; a file that is not of it is an error that says where, so that no program is left
// out unseen.
package pythontest

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Snippet is a program and what it prints.
type Snippet struct {
	// Name is the archive's name without its ending, a slash, and the snippet's own.
	Name string
	// Code is the program.
	Code string
	// Out is all that it writes to its standard output.
	Out string
	// Value is the repr of its last expression; empty is that there is none, or None.
	Value string
	// Error is the type of the exception that ends it; empty is that none does.
	Error string
	// Kind is why the sandbox gives something else than CPython 3.11 on Linux does:
	// version, platform or absent; empty where both give the same.
	Kind string
	// Note says in words what Kind says in one.
	Note string
}

// kinds are the words that a note of a snippet may begin with.
var kinds = []string{"version", "platform", "absent"}

// Snippets reads every txtar archive of a folder. A snippet NAME there is NAME.py with
// NAME.out, and NAME.value, NAME.error and NAME.note where they apply.
func Snippets(folder fs.FS) ([]Snippet, error) {
	files, err := fs.Glob(folder, "*.txtar")
	if err != nil {
		return nil, err
	}
	var all []Snippet
	for _, file := range files {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		some, err := snippets(strings.TrimSuffix(file, ".txtar"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

func snippets(group string, text []byte) ([]Snippet, error) {
	var all []Snippet
	for _, f := range txtar.Parse(text).Files {
		ext := path.Ext(f.Name)
		name := group + "/" + strings.TrimSuffix(f.Name, ext)
		if ext == ".py" {
			all = append(all, Snippet{Name: name, Code: string(f.Data)})
			continue
		}
		if len(all) == 0 || all[len(all)-1].Name != name {
			return nil, fmt.Errorf("%s does not follow the program that it is about", f.Name)
		}
		if err := all[len(all)-1].add(ext, string(f.Data)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return all, nil
}

func (s *Snippet) add(ext, text string) error {
	line := strings.TrimSuffix(text, "\n")
	switch ext {
	case ".out":
		s.Out = text
	case ".value":
		s.Value = line
	case ".error":
		s.Error = line
	case ".note":
		s.Kind, s.Note, _ = strings.Cut(line, ": ")
		if !slices.Contains(kinds, s.Kind) || s.Note == "" {
			return fmt.Errorf("a note begins with one of %s and a colon", strings.Join(kinds, ", "))
		}
	default:
		return fmt.Errorf("a snippet has no %s", ext)
	}
	return nil
}

// Attack is a program that must do no harm.
type Attack struct {
	// Name is its class, a slash, and its own name.
	Name string
	// Code is the program, with its header.
	Code string
	// What says what it tries.
	What string
	// Outcomes are those that it may come to: ok, error, syntax, exit, timeout, died.
	Outcomes []string
	// Types are the exceptions that may end it where the outcome is error; none is any.
	Types []string
	// Stdout and Error have to be in what it printed, and in its error's text.
	Stdout, Error string
	// Worn is whether its worker must be replaced: yes, no or any.
	Worn string
}

// outcomes are the words that an attack may come to.
var outcomes = []string{"ok", "error", "syntax", "exit", "timeout", "died"}

// Attacks reads CLASS/NAME.py of a folder. Each begins with the two lines
//
//	# what: SENTENCE
//	# expect: outcome=ok|error [type=A|B] [worn=yes|no|any] [stdout~="TEXT"] [error~="TEXT"]
func Attacks(folder fs.FS) ([]Attack, error) {
	files, err := fs.Glob(folder, "*/*.py")
	if err != nil {
		return nil, err
	}
	all := make([]Attack, 0, len(files))
	for _, file := range files {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		a := Attack{Name: strings.TrimSuffix(file, ".py"), Code: string(text), Worn: "any"}
		if err := a.header(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, a)
	}
	return all, nil
}

func (a *Attack) header() error {
	lines := bufio.NewScanner(strings.NewReader(a.Code))
	lines.Buffer(nil, len(a.Code)+1)
	lines.Scan()
	var ok bool
	if a.What, ok = strings.CutPrefix(lines.Text(), "# what: "); !ok {
		return fmt.Errorf("line 1 is not # what: SENTENCE")
	}
	lines.Scan()
	rest, ok := strings.CutPrefix(lines.Text(), "# expect: ")
	if !ok {
		return fmt.Errorf("line 2 is not # expect: outcome=…")
	}
	for rest != "" {
		var err error
		if rest, err = a.expect(rest); err != nil {
			return fmt.Errorf("line 2: %w", err)
		}
	}
	if len(a.Outcomes) == 0 {
		return fmt.Errorf("line 2: no outcome is named")
	}
	return nil
}

// expect takes the first member of an expectation and returns what follows it.
func (a *Attack) expect(text string) (string, error) {
	key, value, _ := strings.Cut(text, "=")
	if key, ok := strings.CutSuffix(key, "~"); ok {
		part, rest, ok := strings.Cut(strings.TrimPrefix(value, `"`), `"`)
		if !ok || value[0] != '"' {
			return "", fmt.Errorf("the text of %s is not in quotes", key)
		}
		return strings.TrimPrefix(rest, " "), a.text(key, part)
	}
	value, rest, _ := strings.Cut(value, " ")
	return rest, a.word(key, value)
}

func (a *Attack) text(key, part string) error {
	switch key {
	case "stdout":
		a.Stdout = part
	case "error":
		a.Error = part
	default:
		return fmt.Errorf("no %q is looked at", key)
	}
	return nil
}

func (a *Attack) word(key, value string) error {
	words := strings.Split(value, "|")
	switch key {
	case "outcome":
		a.Outcomes = words
		for _, w := range words {
			if !slices.Contains(outcomes, w) {
				return fmt.Errorf("outcome %q is not one of %s", w, strings.Join(outcomes, ", "))
			}
		}
	case "type":
		a.Types = words
	case "worn":
		a.Worn = value
		if !slices.Contains([]string{"yes", "no", "any"}, value) {
			return fmt.Errorf("worn is yes, no or any, not %q", value)
		}
	default:
		return fmt.Errorf("no %q is looked at", key)
	}
	return nil
}

// Pair is a program that changes something, and one that must not see it.
type Pair struct {
	Name                string
	Poison, Probe, Want string // Want is what the probe prints
}

// Pairs reads NAME/poison.py, NAME/probe.py and NAME/probe.out of a folder.
func Pairs(folder fs.FS) ([]Pair, error) {
	names, err := fs.Glob(folder, "*/poison.py")
	if err != nil {
		return nil, err
	}
	all := make([]Pair, 0, len(names))
	for _, file := range names {
		p := Pair{Name: path.Dir(file)}
		for name, to := range map[string]*string{"poison.py": &p.Poison, "probe.py": &p.Probe, "probe.out": &p.Want} {
			text, err := fs.ReadFile(folder, path.Join(p.Name, name))
			if err != nil {
				return nil, err
			}
			*to = string(text)
		}
		all = append(all, p)
	}
	return all, nil
}
