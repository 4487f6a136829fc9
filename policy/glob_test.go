package policy

import (
	"regexp"
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true},
		{"*", "team/agent", true},
		{"pay", "pay", true},
		{"pay", "pays", false},
		{"pay*", "pay", true},
		{"*pay", "repay", true},
		{"*-delete_*", "git-delete_repo", true},
		{"?", "é", true},
		{"?", "", false},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbYbZ", false},
		{"Pay", "pay", false},
		{"a.c", "abc", false},
	}
	for _, tt := range tests {
		g, err := parseGlob(tt.pattern)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
		}
		if got := g.match(tt.text); got != tt.want {
			t.Errorf("%q on %q: %v", tt.pattern, tt.text, got)
		}
	}
}

// FuzzGlob compares with the regular expression of the same meaning.
func FuzzGlob(f *testing.F) {
	f.Add("a*b?c", "aXXbYc")
	f.Add("**", "x")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		g, err := parseGlob(pattern)
		if err != nil || !validText(pattern) || !validText(text) {
			return
		}
		quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		want := regexp.MustCompile("(?s)^" + quoted + "$").MatchString(text)
		if got := g.match(text); got != want {
			t.Errorf("%q on %q: %v, want %v", pattern, text, got, want)
		}
	})
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }
