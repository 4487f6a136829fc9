package source

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxName    = 64 // characters of a name that all providers take
	hashLength = 6  // hexadecimal digits behind a name that needs them to be told from others
)

// legalName is a name that models can call.
var legalName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// named is the name of an item.
type named struct {
	full   string
	fold   string // tool.FoldName of full
	exact  bool   // the source calls it so itself
	hashed bool   // it ends in a hash
}

// nameItems gives every item its name. It depends on the item alone, whatever the
// configuration leaves out and whatever the document gains: only where two names
// could be taken for each other they get a hash, but for the one, if there is
// exactly one, that is legal as the source has it.
func nameItems(prefix string, items []Item, reserved []string) []named {
	names := make([]named, len(items))
	alike, exact := map[string]int{}, map[string]int{}
	for _, name := range reserved {
		alike[tool.FoldName(name)]++
		exact[tool.FoldName(name)]++
	}
	for i := range items {
		names[i] = nameOf(prefix, &items[i], false)
		alike[names[i].fold]++
		if names[i].exact {
			exact[names[i].fold]++
		}
	}
	for i, n := range names {
		if keeps := n.exact && exact[n.fold] == 1; alike[n.fold] > 1 && !keeps {
			names[i] = nameOf(prefix, &items[i], true)
		}
	}
	return names
}

// nameOf makes the name of an item, with a hash at its end where that is wanted
// or the name has to be cut.
func nameOf(prefix string, item *Item, hashed bool) named {
	short := shortName(item)
	if prefix == "" && !isStart(short[0]) {
		short = "_" + short
	}
	n := named{hashed: hashed || len(prefix)+len(short) > maxName}
	if n.hashed {
		room := max(maxName-len(prefix)-hashLength-1, 0)
		short = strings.TrimRight(short[:min(len(short), room)], "_-") + "_" + hash(item.place())
	}
	n.full = prefix + short
	n.fold = tool.FoldName(n.full)
	n.exact = short == item.Name
	return n
}

// isStart reports a character that a name may start with.
func isStart(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// hash tells items with the same name apart, and is the same for one item in every
// release of its document.
func hash(place string) string {
	sum := sha256.Sum256([]byte(place))
	return hex.EncodeToString(sum[:])[:hashLength]
}

// shortName is the name of an item without the prefix, of legal characters and any
// length above zero.
func shortName(item *Item) string {
	if !item.isUnnamed() {
		if name := legalise(item.Name); name != "" {
			return name
		}
	}
	if name := legalise(strings.ToLower(item.Method) + " " + item.Path); name != "" {
		return name
	}
	return "tool_" + hash(item.place())
}

// legalise puts one _ in place of characters that a name may not have and the _
// and - around them; at the ends it leaves them out.
func legalise(name string) string {
	var b strings.Builder
	for rest := name; rest != ""; {
		word := span(rest, isWord)
		b.WriteString(rest[:word])
		rest = rest[word:]
		end := span(rest, isGap)
		gap := rest[:end]
		rest = rest[end:]
		switch {
		case strings.IndexFunc(gap, isIllegal) < 0:
			b.WriteString(gap)
		case b.Len() > 0 && rest != "":
			b.WriteByte('_')
		}
	}
	return b.String()
}

// span is the length of the text's start whose characters are all of a kind.
func span(text string, is func(rune) bool) int {
	if i := strings.IndexFunc(text, func(r rune) bool { return !is(r) }); i >= 0 {
		return i
	}
	return len(text)
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func isGap(r rune) bool { return !isWord(r) }

func isIllegal(r rune) bool { return !isWord(r) && r != '_' && r != '-' }
