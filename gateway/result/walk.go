package result

import (
	"errors"
	"io"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxKeysShown = 10
	maxKeyShown  = 40 // bytes
)

// errFound ends a walk that looks for one value.
var errFound = errors.New("found")

// walker follows a path through JSON. Without a step that may select several
// values it stops at the one the path leads to and remembers where that is.
// With one it writes a list of all of them; what lacks the rest of the path is
// left out, and it is an error only when nothing is left.
//
// Of several members with the same key the first counts. What stands behind the
// part that is looked for need not be JSON.
type walker struct {
	scan  *scanner
	steps []step
	out   io.Writer // takes the list; nil when one value is looked for

	start, end int64 // of the one value
	found      int64 // values written
	separator  [1]byte
	missed     int64 // values left out
	first      error // why the first of them was
}

// hasMany reports whether a path may select more than one value.
func hasMany(steps []step) bool {
	for _, s := range steps {
		if s.many() {
			return true
		}
	}
	return false
}

// locate finds the one value that a path without many steps leads to.
func locate(r io.ReaderAt, steps []step, ended func() error) (start, end int64, err error) {
	w := &walker{scan: newScanner(r, 0, ended), steps: steps}
	if err := w.value(0); !errors.Is(err, errFound) {
		return 0, 0, err
	}
	return w.start, w.end, nil
}

// collect writes the list of all values that a path leads to, byte for byte as
// they stand there, and returns how many were left out.
func collect(r io.ReaderAt, steps []step, out io.Writer, ended func() error) (missed int64, err error) {
	w := &walker{scan: newScanner(r, 0, ended), steps: steps, out: out}
	if err := w.value(0); err != nil {
		return 0, err
	}
	if w.found == 0 && w.first != nil {
		return 0, w.first
	}
	_, err = io.WriteString(out, listEnd(w.found))
	return w.missed, err
}

func listEnd(found int64) string {
	if found == 0 {
		return "[]"
	}
	return "]"
}

// value follows the steps from i on through the value that comes next, and
// passes it.
func (w *walker) value(i int) error {
	c, err := w.scan.next()
	if err != nil {
		return err
	}
	if i == len(w.steps) {
		return w.emit()
	}
	kind := w.steps[i].kind
	switch {
	case c == '{' && (kind == member || kind == all):
		return w.object(i)
	case c == '[' && kind != member:
		return w.list(i)
	case kindOf(c) == "":
		return w.scan.broken(nil, "no value starts like this")
	}
	if err := w.scan.skip(); err != nil {
		return err
	}
	return w.miss(i, w.wrongKind(i, kindOf(c)))
}

// emit takes the value that comes next.
func (w *walker) emit() error {
	if w.out == nil {
		w.start = w.scan.at()
		if err := w.scan.skip(); err != nil {
			return err
		}
		w.end = w.scan.at()
		return errFound
	}
	w.separator[0] = ','
	if w.found == 0 {
		w.separator[0] = '['
	}
	w.found++
	if _, err := w.out.Write(w.separator[:]); err != nil {
		return err
	}
	return w.scan.copied(w.out, w.scan.skip)
}

func (w *walker) object(i int) error {
	s := w.steps[i]
	at := w.scan.at()
	w.scan.pos++ // the bracket
	done := false
	for first := true; ; first = false {
		more, err := w.scan.more(first, '}')
		if err != nil {
			return err
		}
		if !more {
			break
		}
		key, err := w.scan.key()
		if err != nil {
			return err
		}
		if s.kind == all || !done && key != nil && string(key) == s.key {
			done = true
			err = w.value(i + 1)
		} else {
			err = w.scan.skip()
		}
		if err != nil {
			return err
		}
	}
	if s.kind == all || done {
		return nil
	}
	return w.miss(i, func() error { return w.noKey(i, at) })
}

func (w *walker) list(i int) error {
	s := w.steps[i]
	w.scan.pos++ // the bracket
	n := int64(0)
	for ; ; n++ {
		more, err := w.scan.more(n == 0, ']')
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if s.takes(n) {
			err = w.value(i + 1)
		} else {
			err = w.scan.skip()
		}
		if err != nil {
			return err
		}
	}
	if s.kind == all || s.from < n || s.kind == slice && s.from == 0 {
		return nil
	}
	return w.miss(i, func() error {
		return tool.Errorf(tool.InvalidArgs, "there is no %s in %s: the list has %d items", s, spell(w.steps[:i]), n).
			WithHint("Indexes start at 0.")
	})
}

// takes reports whether the step selects the item n of a list.
func (s step) takes(n int64) bool {
	switch s.kind {
	case all:
		return true
	case slice:
		return s.from <= n && n < s.to
	}
	return s.kind == item && s.from == n
}

// miss notes that a value lacks the step i, or fails with the reason where the
// path leads to this value only.
func (w *walker) miss(i int, reason func() error) error {
	if !hasMany(w.steps[:i]) {
		return reason()
	}
	w.missed++
	if w.first != nil {
		return nil
	}
	w.first = reason()
	if e, ok := errors.AsType[*tool.Error](w.first); ok && e.Code == tool.InvalidArgs {
		return nil
	}
	return w.first // the reading failed, not the path
}

func (w *walker) wrongKind(i int, kind string) func() error {
	want := "a list"
	if w.steps[i].kind == member {
		want = "an object"
	}
	return func() error {
		return tool.Errorf(tool.InvalidArgs, "there is no %s in %s: that is %s, not %s",
			strings.TrimPrefix(w.steps[i].String(), "."), spell(w.steps[:i]), kind, want).
			WithHint("Use a shorter path to see what is there.")
	}
}

// noKey says which keys the object at an offset has instead.
func (w *walker) noKey(i int, at int64) error {
	want := w.steps[i].key
	keys, more, near, err := keysAt(w.scan.r, at, want, w.scan.ended)
	if err != nil {
		return err
	}
	e := tool.Errorf(tool.InvalidArgs, "there is no key %s in %s", quoteKey(clip(want, maxKeyShown)), spell(w.steps[:i]))
	switch {
	case near != "":
		return e.WithHint("Did you mean %s?", quoteKey(near))
	case len(keys) == 0:
		return e.WithHint("That object is empty.")
	case more:
		return e.WithHint("Its first keys are %s.", strings.Join(keys, ", "))
	}
	return e.WithHint("Its keys are %s.", strings.Join(keys, ", "))
}

// keysAt reads an object again: its first keys, whether there are more, and the
// key that differs from the one wanted by case and punctuation only.
func keysAt(r io.ReaderAt, at int64, want string, ended func() error) (keys []string, more bool, near string, err error) {
	scan := newScanner(r, at+1, ended) // behind its bracket
	fold := tool.FoldName(want)
	for first := true; ; first = false {
		another, err := scan.more(first, '}')
		if err != nil || !another {
			return keys, more, near, err
		}
		key, err := scan.key()
		if err != nil {
			return nil, false, "", err
		}
		if near == "" && fold != "" && len(key) <= maxPath && tool.FoldName(string(key)) == fold {
			near = string(key)
		}
		if more = more || len(keys) == maxKeysShown; !more {
			keys = append(keys, quoteKey(clip(string(key), maxKeyShown)))
		}
		if err := scan.skip(); err != nil {
			return nil, false, "", err
		}
	}
}
