package tool_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
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
		{"*?é", "€é", true},
		{"*??", "€", false}, // what ? stands for is no part of a character
		{"€*", "€", true},
		{"\ufffd?", "\xff\xfe", true}, // bytes that are no character are one each
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbYbZ", false},
		{"Pay", "pay", false},
		{"a.c", "abc", false},
	}
	for _, tt := range tests {
		g, err := tool.ParseGlob(tt.pattern)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
		}
		if got := g.Match(tt.text); got != tt.want {
			t.Errorf("%q on %q: %v", tt.pattern, tt.text, got)
		}
	}
}

// FuzzGlob compares with the regular expression of the same meaning.
func FuzzGlob(f *testing.F) {
	f.Add("a*b?c", "aXXbYc")
	f.Add("**", "x")
	f.Add("*??", "€")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		g, err := tool.ParseGlob(pattern)
		if err != nil || !validText(pattern) || !validText(text) {
			return
		}
		quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		want := regexp.MustCompile("(?s)^" + quoted + "$").MatchString(text)
		if got := g.Match(text); got != want {
			t.Errorf("%q on %q: %v, want %v", pattern, text, got, want)
		}
	})
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

// TestGlobCovers holds what covers what against every short text: what is said to be
// covered is, and the plain cases are said to be.
func TestGlobCovers(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]tool.Glob{
		{"*", "a*"}, {"*", "?"}, {"a*", "a*b"}, {"a*", "ab?"}, {"a?", "ab"}, {"*b", "a*b"}, {"?*", "a"}, {"**", "*"}, {"a", "a"}, {"*a*", "ba"},
	} {
		if !pair[0].Covers(pair[1]) {
			t.Errorf("%s does not cover %s", pair[0], pair[1])
		}
	}
	words := func(letters string, most int) []string {
		all := []string{""}
		for from := 0; most > 0; most-- {
			to := len(all)
			for _, w := range all[from:to] {
				for _, l := range letters {
					all = append(all, w+string(l))
				}
			}
			from = to
		}
		return all
	}
	patterns, texts := words("a*?", 4), words("ab", 6)
	for _, p := range patterns[1:] {
		for _, q := range patterns[1:] {
			if !tool.Glob(p).Covers(tool.Glob(q)) {
				continue
			}
			for _, text := range texts {
				if tool.Glob(q).Match(text) && !tool.Glob(p).Match(text) {
					t.Fatalf("%s covers %s, but for %q", p, q, text)
				}
			}
		}
	}
}
