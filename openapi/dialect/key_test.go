package dialect

import (
	"strconv"
	"testing"
)

// TestKeys gives each definition a key of its own, the smallest that is free, also
// where names look like keys that were made of others.
func TestKeys(t *testing.T) {
	c := New(nil, V31, Input)
	for _, s := range [][2]string{
		{"A", "A"},
		{"A", "A_2"},
		{"A", "A_3"},
		{"A_2", "A_2_2"},
		{"A_4", "A_4"},
		{"A", "A_5"},
		{"A", "A_6"},
		{"A_5", "A_5_2"},
		{"", "schema"},
		{"ä", "_"},
		{"ö", "__2"},
		{"__2", "__2_2"},
	} {
		if got := c.key(s[0]); got != s[1] {
			t.Errorf("the key of %q is %q, not %q", s[0], got, s[1])
		}
	}
}

// TestKeysOfOneName holds that a name that many definitions have is not looked for
// from its start for each.
func TestKeysOfOneName(t *testing.T) {
	c := New(nil, V31, Input)
	const many = 200_000 // of which each would look at all before it, else
	for i := range many {
		want := "A"
		if i > 0 {
			want = "A_" + strconv.Itoa(i+1)
		}
		if got := c.key("A"); got != want {
			t.Fatalf("%q, not %q", got, want)
		}
	}
	if c.taken["A"] != many {
		t.Errorf("the next search starts at %d", c.taken["A"])
	}
}
