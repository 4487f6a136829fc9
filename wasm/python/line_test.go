package python

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named is a task whose caller is the first letter of its name.
func named(name string) *task {
	t := &task{caller: name[:1]}
	t.job.Name = name
	return t
}

func anybody(string) bool { return true }

func TestLine(t *testing.T) {
	cases := []struct{ name, enter, do, want string }{
		{"one caller", "a1 a2 a3", "", "a1 a2 a3"},
		{"turns", "a1 a2 a3 b1 c1 b2", "", "a1 b1 c1 a2 b2 a3"},
		{"back in front", "a1 a2 b1", "back", "a1 b1 a2"},
		{"one leaves", "a1 a2 b1", "leave a1", "a2 b1"},
		{"the last of a caller leaves", "a1 a2 b1", "leave b1", "a1 a2"},
		{"one that is not there leaves", "a1", "leave x9", "a1"},
		{"the longest yields", "a1 a2 a3 b1 b2", "yield c", "a1 b1 a2 b2"},
		{"nobody yields to who has as much", "a1 a2 b1 b2", "yield b", "a1 b1 a2 b2"},
		{"nobody yields to who has more", "a1 b1 b2", "yield b", "a1 b1 b2"},
		{"nobody is there", "", "yield b", ""},
		{"all leave", "a1 b1", "clear", ""},
		{"some may not", "a1 a2 b1", "not a", "b1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var l line
			all := map[string]*task{}
			for name := range strings.FieldsSeq(c.enter) {
				all[name] = named(name)
				l.push(all[name])
			}
			may := anybody
			switch verb, what, _ := strings.Cut(c.do, " "); verb {
			case "back":
				l.unshift(l.next(anybody))
			case "leave":
				if there := all[what] != nil; !there {
					all[what] = named(what)
					if l.remove(all[what]) {
						t.Error("it was there")
					}
				} else if !l.remove(all[what]) {
					t.Error("it was not there")
				}
			case "yield":
				l.yield(what)
			case "clear":
				l.clear()
			case "not":
				may = func(caller string) bool { return caller != what }
			}
			var got []string
			for next := l.next(may); next != nil; next = l.next(may) {
				got = append(got, next.job.Name)
			}
			if diff := cmp.Diff(strings.Fields(c.want), got, cmp.Transformer("empty", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLineKeepsCount does anything in any order: nothing is lost, nothing is there
// twice, and no caller is kept in mind who has nothing that waits.
func TestLineKeepsCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var l line
	there := map[*task]bool{}
	out := func(t *testing.T, x *task) {
		if x != nil && !there[x] {
			t.Fatalf("%s came out and was not in", x.job.Name)
		}
		delete(there, x)
	}
	for range 20000 {
		switch r.IntN(7) {
		case 0, 1, 2:
			x := named(string(rune('a' + r.IntN(5))))
			there[x] = true
			l.push(x)
		case 3:
			out(t, l.next(anybody))
		case 4:
			if x := l.find(func(*task) bool { return r.IntN(4) == 0 }); x != nil {
				if !l.remove(x) {
					t.Fatal("what was found cannot be taken out")
				}
				out(t, x)
			}
		case 5:
			out(t, l.yield(string(rune('a'+r.IntN(5)))))
		case 6:
			if x := l.next(anybody); x != nil {
				l.unshift(x)
			}
		}
		if l.len() != len(there) || len(l.turns) != len(l.of) {
			t.Fatalf("%d are counted and %d are there; %d callers and %d with something", l.len(), len(there), len(l.turns), len(l.of))
		}
	}
	for _, x := range l.clear() {
		out(t, x)
	}
	if len(there) != 0 || l.len() != 0 {
		t.Errorf("%d are lost", len(there))
	}
}

func TestSlowIsBounded(t *testing.T) {
	s := slow{callers: map[string]bool{}}
	var last string
	for i := range 3 * mostSlow {
		last = strings.Repeat("x", i)
		s.add(last, false)
	}
	if len(s.callers) != mostSlow || !s.has(last) {
		t.Errorf("%d callers, the last one among them: %v", len(s.callers), s.has(last))
	}
	s.drop(last)
	if s.has(last) {
		t.Error("it is still there")
	}
}

func TestTail(t *testing.T) {
	log := &tail{most: 5}
	for _, c := range []struct{ write, want string }{{"", ""}, {"ab", "ab"}, {"cde", "abcde"}, {"f", "bcdef"}, {"0123456789", "56789"}, {"x", "6789x"}} {
		if n, err := log.Write([]byte(c.write)); n != len(c.write) || err != nil || log.String() != c.want {
			t.Errorf("after %q it is %q: %d, %v", c.write, log.String(), n, err)
		}
	}
}

func TestDeathsAreListed(t *testing.T) {
	list := Deaths()
	if slices.Sort(list); len(slices.Compact(list)) != 6 {
		t.Errorf("%v", list)
	}
}
