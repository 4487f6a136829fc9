package learn

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRead is the most bytes of a query that are looked at before it is cut.
const maxRead = 4 << 10

// What is taken out of queries before they are kept: they are kept for words that say
// what a tool does, and what these patterns find never does.
var (
	address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)
	mail    = regexp.MustCompile(`[^\s"'<>(),;:]*@[^\s"'<>(),;:]+`)
	// secretValue is what is said to be a secret: "password: hunter2", "token is abc".
	secretValue = regexp.MustCompile(`(?i)\b((?:pass(?:word|phrase|code|wd)?|pwd|pin|secret|token|(?:api|access|secret|private)[ _-]?key|credentials?|authorization|ssn))\s*(?:[:=]|\b(?:is|was)\b)\s*(?:bearer\s+|basic\s+)?("[^"]*"|'[^']*'|[^\s,;]+)`)
	bearer      = regexp.MustCompile(`(?i)\b(bearer)\s+[^\s,;]{16,}`)
	// quoted are values of arguments: names, titles, messages.
	quoted = regexp.MustCompile(`(^|[\s(\[{:=,])(?:"[^"]*"|'[^']*'|“[^”]*”|«[^»]*»|「[^」]*」)($|[\s)\]}:;,.!?])`)
	masked = regexp.MustCompile(`\[secret\]`)
	// digits are phone numbers, cards, accounts and addresses of the network.
	digits = regexp.MustCompile(`\+?\d(?:[ ().:/-]{0,2}\d){5,}`)
	opaque = regexp.MustCompile(`[A-Za-z0-9+/=_~.:-]{8,}`)
)

// Clean is what may be kept of a query: without what looks like a credential or like
// somebody's data, which are quotations, addresses of mail, user names, queries and
// fragments of URLs, long numbers, tokens that no one would say, and what is said to be
// a password.
// It has at most MaxQuery bytes, and may be empty. To clean again changes nothing.
func Clean(query string) string {
	for range maxPasses {
		next := cleanOnce(query)
		if next == query {
			return next
		}
		query = next
	}
	return ""
}

// maxPasses is how often a query is cleaned at most: what still changes then was made
// to, and is not kept.
const maxPasses = 8

func cleanOnce(query string) string {
	query = strings.Map(plainRune, strings.ToValidUTF8(cut(query, maxRead), " "))
	query = masked.ReplaceAllString(query, " ")
	query = secretValue.ReplaceAllString(query, "$1 ")
	query = bearer.ReplaceAllString(query, "$1 ")
	query = quoted.ReplaceAllString(whole(query), "$1 $2")
	query = address.ReplaceAllStringFunc(query, plainURL)
	query = mail.ReplaceAllString(query, " ")
	query = opaque.ReplaceAllStringFunc(query, sayable)
	query = digits.ReplaceAllString(query, " ")
	return cut(strings.Join(strings.Fields(query), " "), MaxQuery)
}

// whole takes the quotes off a query that is nothing but one quotation.
func whole(query string) string {
	text := strings.TrimSpace(query)
	for _, q := range []string{`"`, "'"} {
		if inner, ok := strings.CutPrefix(text, q); ok {
			if inner, ok = strings.CutSuffix(inner, q); ok && !strings.Contains(inner, q) {
				return inner
			}
		}
	}
	return query
}

// plainRune makes a space of what no text shows.
func plainRune(c rune) rune {
	if !unicode.IsPrint(c) {
		return ' '
	}
	return c
}

// plainURL leaves the host and the path of a URL.
func plainURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return " "
	}
	return u.Host + u.Path
}

// credentialPrefixes are those of well-known kinds of tokens.
var credentialPrefixes = []string{"sk-", "pk-", "rk-", "sk_", "pk_", "rk_", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "AIza", "eyJ", "ya29.", "hf_", "npm_", "dop_v1_", "SG."}

// sayable gives a token back unless it looks like one that a machine made.
func sayable(token string) string {
	for _, p := range credentialPrefixes {
		if strings.HasPrefix(token, p) && len(token) >= len(p)+12 {
			return " "
		}
	}
	if looksMade(token) {
		return " "
	}
	return token
}

// Of a token that nobody would say: how long it is, without separators, and how often
// letters and digits take turns in it; or how long a part of it is that has digits.
const (
	madeLength = 16
	madeTurns  = 4
	partLength = 12
	partDigits = 3
	caseLength = 20
	caseTurns  = 0.45 // of its letters, how many change case
)

func looksMade(token string) bool {
	total, turns := shape(token)
	if total >= madeLength && turns >= madeTurns {
		return true
	}
	for _, part := range strings.FieldsFunc(token, func(c rune) bool { return strings.ContainsRune("+/=_~.:-", c) }) {
		n := digitsIn(part)
		switch {
		case len(part) >= partLength && n >= partDigits && n < len(part):
			return true
		case len(part) >= caseLength && float64(caseChanges(part)) >= caseTurns*float64(len(part)):
			return true
		}
	}
	return false
}

// shape counts the letters and digits of a token, and how often one follows the other.
func shape(token string) (total, turns int) {
	var last rune
	for _, c := range token {
		kind := 'a'
		switch {
		case c >= '0' && c <= '9':
			kind = '0'
		case c < 'A' || c > 'Z' && c < 'a' || c > 'z':
			continue
		}
		if total++; last != 0 && kind != last {
			turns++
		}
		last = kind
	}
	return total, turns
}

func digitsIn(part string) (n int) {
	for _, c := range part {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

func caseChanges(part string) (n int) {
	for i := 1; i < len(part); i++ {
		if upper(part[i]) != upper(part[i-1]) {
			n++
		}
	}
	return n
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// cut is the text as far as it is in the limit of bytes, up to the end of a word where
// there is one.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if i := strings.LastIndexFunc(text[:end], unicode.IsSpace); i > 0 {
		end = i
	}
	return text[:end]
}
