package result

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxPath  = 1000 // bytes
	maxSteps = 64
	pathHint = `Write it like items[3].name, items[10:20], items[*].id or ["odd key"]; indexes start at 0.`
)

// stepKind says what a step of a path selects.
type stepKind int

const (
	member stepKind = iota // one member of an object
	item                   // one item of a list
	slice                  // items from one index to another
	all                    // every item of a list or member of an object
)

// step is one step of a path into JSON.
type step struct {
	kind stepKind
	key  string // of a member
	from int64  // of an item, or the first of a slice
	to   int64  // behind the last of a slice
}

// many reports whether the step may select more than one value.
func (s step) many() bool { return s.kind == slice || s.kind == all }

// String is the step as a path spells it.
func (s step) String() string {
	switch s.kind {
	case item:
		return "[" + strconv.FormatInt(s.from, 10) + "]"
	case slice:
		to := ""
		if s.to != math.MaxInt64 {
			to = strconv.FormatInt(s.to, 10)
		}
		return "[" + strconv.FormatInt(s.from, 10) + ":" + to + "]"
	case all:
		return "[*]"
	}
	if plainKey(s.key) {
		return "." + s.key
	}
	return "[" + quoteKey(s.key) + "]"
}

// spell writes steps as a path, or "the result" for none.
func spell(steps []step) string {
	if len(steps) == 0 {
		return "the result"
	}
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.String())
	}
	return strings.TrimPrefix(b.String(), ".")
}

// plainKey reports whether a key can stand in a path without quotes.
func plainKey(key string) bool {
	return key != "" && key != "*" && key[0] != '$' && !strings.ContainsAny(key, ".[]\"' \t\r\n")
}

func quoteKey(key string) string {
	data, err := json.Marshal(key)
	if err != nil {
		return `""` // a string always has a JSON form
	}
	return string(data)
}

// pathReader reads a path from left to right.
type pathReader struct {
	text string
	at   int
}

// parsePath reads a path: names after dots, and indexes, slices, * and quoted
// names in brackets. A leading $ is the whole, as other dialects write it.
func parsePath(text string) ([]step, error) {
	if len(text) > maxPath {
		return nil, tool.Errorf(tool.InvalidArgs, "the path has %d bytes, more than %d", len(text), maxPath).WithHint(pathHint)
	}
	r := &pathReader{text: text}
	if rest, ok := strings.CutPrefix(text, "$"); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		r.at = 1
	}
	var steps []step
	for r.at < len(text) {
		s, err := r.step()
		if err != nil {
			return nil, err
		}
		if steps = append(steps, s); len(steps) > maxSteps {
			return nil, r.fail("more than %d steps", maxSteps)
		}
	}
	return steps, nil
}

// fail says what is wrong with the path where the reader is.
func (r *pathReader) fail(format string, args ...any) error {
	e := tool.Errorf(tool.InvalidArgs, format, args...)
	e.Message = "the path is wrong at its character " + strconv.Itoa(len([]rune(r.text[:r.at]))+1) + ": " + e.Message
	return e.WithHint(pathHint)
}

func (r *pathReader) step() (step, error) {
	if r.text[r.at] == '[' {
		r.at++
		return r.bracket()
	}
	if r.text[r.at] == '.' {
		r.at++
	} else if r.at > 0 {
		return step{}, r.fail("a dot or a bracket is missing")
	}
	end := strings.IndexAny(r.text[r.at:], ".[")
	if end < 0 {
		end = len(r.text) - r.at
	}
	name := r.text[r.at : r.at+end]
	switch {
	case name == "*":
		r.at += end
		return step{kind: all}, nil
	case name == "":
		return step{}, r.fail("a name is missing")
	case !plainKey(name):
		return step{}, r.fail("%s is not a plain name: write [%s]", strconv.Quote(name), quoteKey(name))
	}
	r.at += end
	return step{kind: member, key: name}, nil
}

// bracket reads what follows an opening bracket, with the closing one.
func (r *pathReader) bracket() (step, error) {
	rest := r.text[r.at:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		return r.quoted(rest)
	}
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return step{}, r.fail("the closing bracket is missing")
	}
	s, ok := bracketStep(strings.TrimSpace(rest[:end]))
	if ok && s.kind == slice && s.from > s.to {
		return step{}, r.fail("the slice ends before it begins: write the smaller number first")
	}
	if !ok {
		return step{}, r.fail("between the brackets stands neither an index (3), a slice (10:20), * nor a quoted name; counting from the end is not known")
	}
	r.at += end + 1
	return s, nil
}

// bracketStep reads *, an index or a slice.
func bracketStep(text string) (step, bool) {
	if text == "*" {
		return step{kind: all}, true
	}
	from, to, isSlice := strings.Cut(text, ":")
	if !isSlice {
		n, ok := index(text, -1)
		return step{kind: item, from: n}, ok && n >= 0
	}
	a, okA := index(from, 0)
	b, okB := index(to, math.MaxInt64)
	return step{kind: slice, from: a, to: b}, okA && okB
}

// index reads a number that is not negative; nothing is the number given.
func index(text string, none int64) (int64, bool) {
	if text = strings.TrimSpace(text); text == "" {
		return none, true
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err == nil
}

// quoted reads a name in quotes and the bracket after it: a JSON string, or
// anything but quotes between single ones.
func (r *pathReader) quoted(rest string) (step, error) {
	end := 1
	for end < len(rest) && rest[end] != rest[0] {
		if rest[end] == '\\' && rest[0] == '"' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return step{}, r.fail("the quote that ends the name is missing")
	}
	key := rest[1:end]
	if rest[0] == '"' {
		if err := json.Unmarshal([]byte(rest[:end+1]), &key); err != nil {
			return step{}, r.fail("the name in quotes is not a JSON string")
		}
	}
	r.at += end + 1
	if !strings.HasPrefix(r.text[r.at:], "]") {
		return step{}, r.fail("the closing bracket is missing")
	}
	r.at++
	return step{kind: member, key: key}, nil
}
