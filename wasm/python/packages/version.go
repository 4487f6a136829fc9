package packages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxRelease is how many numbers of a version are compared.
const maxRelease = 10

// version is a version as far as it is compared (PyPA, Version specifiers): its
// numbers, and what stands behind them.
type version struct {
	release []int
	phase   int // below 0 before the release, above 0 after it
	number  int // of the phase
}

// The phases of a version, in order.
const (
	phaseDev = iota - 4
	phaseAlpha
	phaseBeta
	phaseCandidate
	phaseFinal
	phasePost
)

// parseVersion reads a version; ok is false for what is none.
func parseVersion(text string) (v version, ok bool) {
	text = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), "v")
	text, _, _ = strings.Cut(text, "+") // what follows tells builds of one version apart
	if _, after, epoch := strings.Cut(text, "!"); epoch {
		text = after
	}
	rest := text
	for len(v.release) < maxRelease {
		digits := leading(rest)
		if digits == "" {
			break
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return version{}, false
		}
		v.release, rest = append(v.release, n), rest[len(digits):]
		if len(rest) < 2 || rest[0] != '.' || leading(rest[1:]) == "" {
			break
		}
		rest = rest[1:]
	}
	v.phase, v.number = phaseOf(rest)
	return v, len(v.release) > 0
}

func leading(text string) string {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	return text[:end]
}

// phaseOf reads what stands behind the numbers.
func phaseOf(rest string) (phase, number int) {
	rest = strings.TrimLeft(rest, ".-_")
	for _, p := range []struct {
		word  string
		phase int
	}{
		{"dev", phaseDev},
		{"alpha", phaseAlpha},
		{"a", phaseAlpha},
		{"beta", phaseBeta},
		{"b", phaseBeta},
		{"rc", phaseCandidate},
		{"c", phaseCandidate},
		{"preview", phaseCandidate},
		{"pre", phaseCandidate},
		{"post", phasePost},
		{"rev", phasePost},
		{"r", phasePost},
	} {
		if after, ok := strings.CutPrefix(rest, p.word); ok {
			number, _ = strconv.Atoi(leading(strings.TrimLeft(after, ".-_"))) // 0 where there is none
			return p.phase, number
		}
	}
	return phaseFinal, 0
}

// compare orders versions; numbers that are not there are 0.
func (v version) compare(w version) int {
	for i := range max(len(v.release), len(w.release)) {
		if c := cmp.Compare(at(v.release, i), at(w.release, i)); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(v.phase, w.phase), cmp.Compare(v.number, w.number))
}

func at(numbers []int, i int) int {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}

// satisfies reports whether a version is one of those that are wanted, such as
// ">=1.2, <2". What cannot be read wants any.
func satisfies(text, wanted string) bool {
	v, ok := parseVersion(text)
	if !ok {
		return true
	}
	for clause := range strings.SplitSeq(wanted, ",") {
		if !v.fits(strings.TrimSpace(clause)) {
			return false
		}
	}
	return true
}

// fits reports whether a version is as one clause says.
func (v version) fits(clause string) bool {
	operators := []string{"===", "==", "!=", "~=", ">=", "<=", ">", "<"}
	i := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(clause, op) })
	if i < 0 {
		return true
	}
	text := strings.TrimSpace(clause[len(operators[i]):])
	start, whole := strings.CutSuffix(text, ".*")
	w, ok := parseVersion(start)
	if !ok {
		return true
	}
	c := v.compare(w)
	if whole {
		c = v.within(w)
	}
	switch operators[i] {
	case "===", "==":
		return c == 0
	case "!=":
		return c != 0
	case ">=":
		return c >= 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case "<":
		return c < 0
	}
	series := version{release: w.release[:max(1, len(w.release)-1)]} // ~=
	return c >= 0 && v.within(series) == 0
}

// within is 0 where the numbers of v begin with those of w.
func (v version) within(w version) int {
	for i := range w.release {
		if c := cmp.Compare(at(v.release, i), w.release[i]); c != 0 {
			return c
		}
	}
	return 0
}
