package result_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSearchGoesOn follows the offsets of a search until every match was shown,
// in short lines, in long ones and in one that is searched in pieces.
func TestSearchGoesOn(t *testing.T) {
	f := folder(t)
	b := newBench(f, 2000)
	filler := strings.Repeat("é.", 400) // 1,200 bytes: more than an excerpt
	for name, line := range map[string]string{
		"short lines":      "needle %d of them\r\n",
		"with others":      "one\ntwo\nneedle %d of them\n",
		"long lines":       filler + "needle %d of them" + filler + "\n",
		"no lines at all":  filler + "needle %d of them" + filler,
		"lines now and so": strings.Repeat(filler, 200) + "needle %d of them\nneedle 0\n",
	} {
		t.Run(name, func(t *testing.T) {
			var doc strings.Builder
			n := 300
			if len(line) > 10_000 {
				n = 20
			}
			for i := range n {
				fmt.Fprintf(&doc, line, i+1000)
			}
			m := put(t, f, "ann", doc.String())
			for _, around := range []int{0, 2} {
				seen := 0
				b.pages(t, fmt.Sprintf(`"handle": %q, "grep": "needle \\d{4}", "context": %d`, m.Handle, around), func(s string) {
					if !utf8.ValidString(s) || utf8.RuneCountInString(s) > 1700 {
						t.Errorf("%d characters: %q", utf8.RuneCountInString(s), s)
					}
					for _, shown := range strings.Split(s, "\n") {
						_, rest, ok := strings.Cut(shown, "needle ")
						if !ok || !strings.Contains(shown[:len(shown)-len(rest)-len("needle ")], ":") {
							continue
						}
						if got, want := rest[:4], fmt.Sprint(seen+1000); got != want {
							if around == 0 {
								t.Fatalf("found %s, want %s", got, want)
							}
							continue
						}
						seen++
						var at, lineNo int
						if _, err := fmt.Sscanf(shown, "%d:%d:", &lineNo, &at); err != nil || !strings.Contains(doc.String()[at:min(at+2000, doc.Len())], "needle "+rest[:4]) {
							t.Fatalf("%q: %v", shown, err)
						}
					}
				})
				if seen != n {
					t.Errorf("context %d: %d of %d were found", around, seen, n)
				}
			}
		})
	}
}

func TestSearchCountsTheRest(t *testing.T) {
	f := folder(t)
	b := newBench(f, 1000)
	m := put(t, f, "ann", strings.Repeat("needle\nhay\n", 1000))
	got := b.shown(t, fmt.Sprintf(`{"handle": %q, "grep": "needle"}`, m.Handle))
	if !strings.HasPrefix(got, "[51 matches as line:byte:text; 949 more, next: offset 561]\n1:0:needle\n3:11:needle\n") {
		t.Error(got[:100])
	}
	wide := put(t, f, "ann", strings.Repeat("漢", 900)+"\n")
	if got := b.shown(t, fmt.Sprintf(`{"handle": %q, "grep": "漢", "limit": 50}`, wide.Handle)); !strings.Contains(got, "1:0:漢") {
		t.Error(got)
	}
}
