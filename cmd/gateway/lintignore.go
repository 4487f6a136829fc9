package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/diag"
)

// classesOf are the classes of warnings that are named.
func classesOf(names []string) ([]diag.Class, error) {
	out := make([]diag.Class, 0, len(names))
	for _, name := range names {
		if !isClass(name) {
			return nil, usagef("--ignore: there is no class of warnings %q (%s)", name, cmp.Or(diag.DidYouMean(name, classNames()), "lint writes the class of each warning behind it"))
		}
		out = append(out, diag.Class(name))
	}
	return out, nil
}

func classNames() []string {
	var names []string
	for _, c := range diag.Classes() {
		names = append(names, string(c.Class))
	}
	return names
}

func isClass(name string) bool { return slices.Contains(classNames(), name) }

// ignoring is a comment that silences warnings of some classes: those of its line or,
// where nothing else stands there, those of the next line that is no comment.
type ignoring struct {
	place   diag.Place
	line    int // that it is about
	classes []diag.Class
	unknown string // what stands in the place of the first class; empty where it is one
	used    bool
}

// ignoreComment finds the comment, and what stands behind "ignore".
var ignoreComment = regexp.MustCompile(`(?:^|\s)(#\s*lint:\s*ignore\b)(.*)$`)

// withoutIgnored leaves out the warnings that comments silence, and warns of comments
// that silence none. The files are those that are named; others are read where there is
// a problem in them.
func withoutIgnored(problems diag.Problems, files []string) diag.Problems {
	files = slices.Clone(files)
	for _, p := range problems {
		if p.Place.Line > 0 && !slices.Contains(files, p.Place.File) {
			files = append(files, p.Place.File)
		}
	}
	var comments []*ignoring
	for _, file := range files {
		comments = append(comments, ignoringsIn(file)...)
	}
	complete := problems.Err() == nil && !slices.ContainsFunc(problems, func(p diag.Problem) bool { return p.Class == diag.AbsentSource })
	var report diag.Report
	for _, p := range problems {
		if !silenced(comments, &p) {
			report.Add(p)
		}
	}
	for _, c := range comments {
		switch {
		case c.unknown != "":
			report.Add(diag.Problem{Place: c.place, Text: "this comment names no class of warnings: " + c.unknown, Hint: cmp.Or(diag.DidYouMean(c.unknown, classNames()), "lint writes the class of each warning behind it"), Warning: true, Class: diag.UselessIgnore})
		case complete && !c.used:
			report.Add(diag.Problem{Place: c.place, Text: "this comment silences nothing", Hint: "remove it, or put it before the line of the warning", Warning: true, Class: diag.UselessIgnore})
		}
	}
	return report.Problems()
}

// silenced reports whether a comment is about a warning.
func silenced(comments []*ignoring, p *diag.Problem) (silenced bool) {
	for _, c := range comments {
		if p.Warning && c.place.File == p.Place.File && c.line == p.Place.Line && slices.Contains(c.classes, p.Class) {
			c.used, silenced = true, true
		}
	}
	return silenced
}

// ignoringsIn are the comments of a YAML file. One that cannot be read has been told of.
func ignoringsIn(file string) []*ignoring {
	if filepath.Ext(file) == ".json" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var out []*ignoring
	var waiting []*ignoring // for the line that they are about
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		text := strings.TrimSpace(line)
		var here *ignoring
		if m := ignoreComment.FindStringSubmatchIndex(strings.TrimRight(line, "\r\n")); m != nil {
			here = newIgnoring(diag.Place{File: file, Line: number, Column: 1 + utf8.RuneCountInString(line[:m[2]])}, line[m[4]:m[5]])
			out = append(out, here)
		}
		if text == "" || strings.HasPrefix(text, "#") {
			if here != nil {
				waiting = append(waiting, here)
			}
			continue
		}
		for _, w := range waiting {
			w.line = number
		}
		if waiting = nil; here != nil {
			here.line = number
		}
	}
	return out
}

// newIgnoring reads the classes: words with commas or spaces between them, up to the
// first that is none, where a reason begins.
func newIgnoring(at diag.Place, text string) *ignoring {
	c := &ignoring{place: at}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		if !isClass(word) {
			if len(c.classes) == 0 {
				c.unknown = word
			}
			break
		}
		c.classes = append(c.classes, diag.Class(word))
	}
	if len(c.classes) == 0 && c.unknown == "" {
		c.unknown = "there is nothing behind ignore"
	}
	return c
}
