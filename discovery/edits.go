package discovery

// sureEdits is the least length, in letters, of a word in which two mistakes are taken
// for ones; in a shorter one it is one.
const sureEdits = 8

// edited is how much a word is like one that was typed with a mistake: a letter too much
// or too few, another, or two in the wrong order. It is 0 for words further apart.
func edited(x []rune, other string) float64 {
	if len(x) > maxWord || len(other) > maxWord {
		return 0
	}
	var room [maxWord]rune
	y := room[:0]
	for _, c := range other {
		y = append(y, c)
	}
	most := 1
	if len(x) >= sureEdits {
		most = 2
	}
	if max(len(x)-len(y), len(y)-len(x)) > most {
		return 0
	}
	n := edits(x, y)
	if n > most {
		return 0
	}
	return 1 - float64(n)/float64(max(len(x), len(y)))
}

// edits is how many mistakes make y of x.
func edits(x, y []rune) int {
	var rows [3][maxWord + 1]int // of the letter before the last, of the last, of this one
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range y {
		last[j+1] = j + 1
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			n := last[j]
			if x[i] != y[j] {
				n++
			}
			n = min(n, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				n = min(n, before[j-1]+1)
			}
			row[j+1] = n
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
