package discovery

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the most bytes of a word; the rest of a longer one is not read. Nobody
// searches for more, and a stemmer takes its time over it.
const maxWord = 64

// word is a word of a text as the index has it.
type word struct {
	term  string // folded and stemmed
	plain string // folded
	stop  bool   // says nothing about a tool
	whole bool   // its parts are words too: an identifier, such as github for GitHub, or a phrase
	parts int    // of a whole: how many words before it are in it, other wholes not counted
}

// reader takes texts apart into words. It remembers stems and is not safe for
// concurrent use.
type reader struct {
	levers *levers
	stems  map[string]string // by plain word; nil to remember none
	out    []word
}

// words are those of the text, in its order, until the next call. Identifiers are split
// (snake_case, kebab-case, camelCase, digits), letters folded (case, width, accents),
// English words stemmed (Porter2); of scripts that write without spaces every two
// neighbours are a word.
func (r *reader) words(text string) []word {
	r.out = r.out[:0]
	text = fold(text)
	for start := 0; start < len(text); {
		c, size := utf8.DecodeRuneInString(text[start:])
		if !inWord(c) {
			start += size
			continue
		}
		end, dense := start+size, unspaced(c)
		for end < len(text) {
			c, size := utf8.DecodeRuneInString(text[end:])
			if !dense && apostrophe(c) && letterAt(text[end+size:]) {
				end += size
				continue
			}
			if !inWord(c) || unspaced(c) != dense && !unicode.IsMark(c) {
				break
			}
			end += size
		}
		if dense {
			r.pairs(text[start:end])
		} else {
			r.split(text[start:end])
		}
		start = end
	}
	if r.levers.synonym > 0 {
		r.phrases()
	}
	return r.out
}

// fold makes characters that mean the same the same: compatibility forms, and letters
// with and without accents where those only guide pronunciation.
func fold(text string) string {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] < utf8.RuneSelf
	}
	if ascii {
		return text
	}
	var b strings.Builder
	base := rune(0)
	for _, c := range norm.NFKD.String(strings.ToValidUTF8(text, " ")) {
		switch {
		case !unicode.Is(unicode.Mn, c):
			base = c
		case unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew):
			continue
		}
		if c != '\u0640' && c != '\u00ad' && c != '\u200d' && c != '\u200c' { // tatweel, soft hyphen, joiners
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(b.String())
}

func inWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }

func apostrophe(c rune) bool { return c == '\'' || c == '’' }

func letterAt(text string) bool {
	c, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(c) && !unspaced(c)
}

// unspaced reports whether words of the letter's script are not set apart by spaces, or,
// as in Korean, by spaces but with endings of many forms.
func unspaced(c rune) bool {
	return c >= 0x0e00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || c == 'ー'
}

// pairs takes every two neighbours of a run as a word, and a single character as one.
func (r *reader) pairs(run string) {
	first, size := utf8.DecodeRuneInString(run)
	if size == len(run) {
		r.add(string(first))
		return
	}
	for at := 0; at < len(run); {
		_, one := utf8.DecodeRuneInString(run[at:])
		_, two := utf8.DecodeRuneInString(run[at+one:])
		if two == 0 {
			return
		}
		r.add(run[at : at+one+two])
		at += one
	}
}

// split takes an identifier apart at its humps and digits.
func (r *reader) split(run string) {
	run = strings.Map(func(c rune) rune {
		if apostrophe(c) {
			return -1
		}
		return c
	}, possessive(run))
	if r.levers.noSplit {
		r.add(strings.ToLower(run))
		return
	}
	parts, start, before := 0, 0, rune(0)
	for at, c := range run {
		if at > start && hump(before, c, run[at+utf8.RuneLen(c):]) {
			r.add(strings.ToLower(run[start:at]))
			start = at
			parts++
		}
		before = c
	}
	r.add(strings.ToLower(run[start:]))
	if parts > 0 && parts <= r.levers.whole {
		r.add(strings.ToLower(run))
		last := &r.out[len(r.out)-1]
		last.whole, last.parts = true, parts+1
	}
}

// possessive cuts the 's of a word.
func possessive(run string) string {
	for _, end := range []string{"'s", "’s", "'S", "’S"} {
		if cut, ok := strings.CutSuffix(run, end); ok {
			return cut
		}
	}
	return run
}

// hump reports whether a new word begins at c, which stands after before and ahead of
// rest.
func hump(before, c rune, rest string) bool {
	switch {
	case unicode.IsDigit(before) != unicode.IsDigit(c):
		return !unicode.IsMark(c) && !unicode.IsMark(before)
	case unicode.IsUpper(c) && !unicode.IsUpper(before):
		return true
	case unicode.IsUpper(c):
		next, _ := utf8.DecodeRuneInString(rest)
		after, _ := utf8.DecodeRuneInString(rest[min(len(rest), utf8.RuneLen(max(next, 0))):])
		return unicode.IsLower(next) && (next != 's' || unicode.IsLower(after)) // APIs is one word
	}
	return false
}

func (r *reader) add(plain string) {
	if len(plain) > maxWord {
		plain = strings.ToValidUTF8(plain[:maxWord], "")
	}
	if plain == "" {
		return
	}
	term, known := r.stems[plain]
	if !known {
		plain = strings.Clone(plain)
		term = r.stem(plain)
		if r.stems != nil {
			r.stems[plain] = term
		}
	}
	r.out = append(r.out, word{term: term, plain: plain, stop: !r.levers.noStops && stopWords()[plain]})
}

// stem is what the forms of an English word have in common. Other words are left as
// they are.
func (r *reader) stem(plain string) string {
	if r.levers.noStem || len(plain) < 3 {
		return plain
	}
	for i := range len(plain) {
		if plain[i] < 'a' || plain[i] > 'z' {
			return plain
		}
	}
	env := snowballstem.NewEnv(plain)
	english.Stem(env)
	return env.Current()
}
