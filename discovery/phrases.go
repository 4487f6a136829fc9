package discovery

import "strings"

// phrases adds to the words, after the last of its own, each that is written as several,
// such as pull request; stop words may stand between them.
func (r *reader) phrases() {
	known := words().phrases
	for i := 0; i < len(r.out); i++ {
		w := &r.out[i]
		if w.stop || w.whole || len(known[w.term]) == 0 {
			continue
		}
		for _, phrase := range known[w.term] {
			if end := r.follow(i, phrase); end > 0 {
				r.insert(end, word{term: phrase, plain: phrase, whole: true, parts: r.count(i, end)})
				break
			}
		}
	}
}

// follow gives where the words end that are those of the phrase, from a position; 0
// where they are others.
func (r *reader) follow(at int, phrase string) int {
	for {
		want, rest, more := strings.Cut(phrase, " ")
		for at < len(r.out) && (r.out[at].stop && r.out[at].term != want || r.out[at].whole) {
			at++
		}
		if at == len(r.out) || r.out[at].term != want {
			return 0
		}
		at++
		if !more {
			return at
		}
		phrase = rest
	}
}

// count is how many words there are in a range that are no wholes.
func (r *reader) count(from, to int) int {
	n := 0
	for _, w := range r.out[from:to] {
		if !w.whole {
			n++
		}
	}
	return n
}

func (r *reader) insert(at int, w word) {
	r.out = append(r.out, word{})
	copy(r.out[at+1:], r.out[at:])
	r.out[at] = w
}
