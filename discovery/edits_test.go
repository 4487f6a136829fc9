package discovery

import (
	"math"
	"strings"
	"testing"
)

func TestEdited(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"issue", "issue", 1},
		{"isue", "issue", .8},
		{"issuee", "issue", 1 - 1./6},
		{"isseu", "issue", .8},
		{"ossue", "issue", .8},
		{"osseu", "issue", 0}, // two in a short word
		{"acknowldgee", "acknowledge", 1 - 2./11},
		{"akcnowlegde", "acknowledge", 1 - 2./11},
		{"akcnwlegde", "acknowledge", 0},
		{"ислужба", "служба", 1 - 1./7},
		{"issue", "", 0},
		{"issue", strings.Repeat("issue", 100), 0},
	} {
		if got := edited([]rune(c.a), c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s for %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
