package secret

import (
	"maps"
	"slices"
)

// keptOfSource is how many of the values of one source are known: the last one,
// and the one before, which a late answer may still hold.
const keptOfSource = 2

// known is what a Masker knows at one time. It does not change.
type known struct {
	fixed  *trie              // of the values that stay; nil for none
	learnt map[string][]Value // the last values of each source, the newest first
	forms  *trie              // of all; nil for none
}

// Know adds values, as NewMasker takes them. Those who mask at the same time
// may not know them yet; whoever masks after Know has returned does. The nil
// Masker stays as it is.
func (m *Masker) Know(values ...Value) {
	m.add(func(k *known) bool {
		k.fixed = k.fixed.with(values)
		return true
	})
}

// Learn is Know for a value that others will take the place of, such as an
// access token: the Masker knows the last two values of each source, so that
// what it holds and its work are bounded. The source is any name; there should
// be few.
func (m *Masker) Learn(source string, value Value) {
	if visible(value.Reveal()) < MinLength {
		return
	}
	m.add(func(k *known) bool {
		if old := k.learnt[source]; len(old) > 0 && old[0] == value {
			return false
		}
		list := slices.DeleteFunc(slices.Clone(k.learnt[source]), func(v Value) bool { return v == value })
		list = slices.Insert(list, 0, value)
		k.learnt = maps.Clone(k.learnt)
		if k.learnt == nil {
			k.learnt = map[string][]Value{}
		}
		k.learnt[source] = list[:min(len(list), keptOfSource)]
		return true
	})
}

// add puts what change makes of what is known in its place, if it makes
// anything of it.
func (m *Masker) add(change func(*known) bool) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var k known
	if old := m.known.Load(); old != nil {
		k = *old
	}
	if !change(&k) {
		return
	}
	k.forms = k.fixed
	if len(k.learnt) > 0 {
		k.forms = k.fixed.with(slices.Concat(slices.Collect(maps.Values(k.learnt))...))
	}
	m.known.Store(&k)
}
