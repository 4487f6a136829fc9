package diag

import "strings"

// Nearest returns the candidate that word was most likely meant to be, or ""
// when none is close: at most a third of its letters differ (at least one), in
// Levenshtein distance with a swap of neighbours as one step, ignoring case.
// The first of equally near candidates wins, so sort them.
func Nearest(word string, candidates []string) string {
	best, most := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c), most); d < most {
			best, most = c, d
		}
	}
	return best
}

// DidYouMean is a hint that names the nearest candidate, or "".
func DidYouMean(word string, candidates []string) string {
	if n := Nearest(word, candidates); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}

// distance is the optimal string alignment distance, or limit when it is that
// or more.
func distance(a, b string, limit int) int {
	ra, rb := []rune(a), []rune(b)
	if abs(len(ra)-len(rb)) >= limit {
		return limit
	}
	older, old, row := make([]int, len(rb)+1), make([]int, len(rb)+1), make([]int, len(rb)+1)
	for j := range old {
		old[j] = j
	}
	for i, x := range ra {
		row[0] = i + 1
		for j, y := range rb {
			cost := 1
			if x == y {
				cost = 0
			}
			row[j+1] = min(old[j+1]+1, row[j]+1, old[j]+cost)
			if i > 0 && j > 0 && x == rb[j-1] && ra[i-1] == y {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old, row = old, row, older
	}
	return min(old[len(rb)], limit)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
