package argument

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Names of arguments are those that model APIs take: 1 to maxName of the
// characters A-Z, a-z, 0-9, "_", "." and "-".
const (
	maxName  = 64
	hashSize = 8 // hex digits at the end of a name that was cut
)

// reserved is an argument that the gateway adds to tools itself.
const reserved = "toolcall_reason"

// Names of the argument that is a body as a whole; the second where a parameter
// has the first.
const (
	wholeBody      = "body"
	otherWholeBody = "request_body"
)

// nothing is the name of what has no character that a name may have.
const nothing = "arg"

// safe is the name of an argument for a name of the document.
func safe(name string) string {
	if legal(name) {
		return name
	}
	out := replaced(name)
	if !strings.HasPrefix(name, "_") {
		out = strings.TrimLeft(out, "_")
	}
	if !strings.HasSuffix(name, "_") {
		out = strings.TrimRight(out, "_")
	}
	if out == "" {
		out = nothing
	}
	return short(out, name)
}

// replaced has one "_" for each run of "_" and characters that no name may have.
func replaced(name string) string {
	var b strings.Builder
	run := false
	for _, r := range name {
		if allowed(r) && r != '_' {
			run = false
			b.WriteRune(r)
			continue
		}
		if !run {
			b.WriteByte('_')
		}
		run = true
	}
	return b.String()
}

func legal(name string) bool {
	return name != "" && len(name) <= maxName && !strings.ContainsFunc(name, func(r rune) bool { return !allowed(r) })
}

func allowed(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-'
}

// short cuts a name that is too long. Its end tells apart what starts alike.
func short(name, original string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(original))
	return name[:maxName-hashSize-1] + "_" + hex.EncodeToString(sum[:])[:hashSize]
}

// named is something that needs a name.
type named struct {
	original string
	place    string // the kind of thing it is in a document
	whole    bool   // it is a body as a whole, which has no name in the document
	into     *string
}

// base is its name as long as no other wants it.
func (n *named) base() string {
	if n.whole {
		return wholeBody
	}
	return safe(n.original)
}

// elsewhere is its name where another wants the same.
func (n *named) elsewhere() string {
	if n.whole {
		return otherWholeBody
	}
	return safe(n.place + "_" + n.base())
}

// name gives each a name. Of those that want one name each says what it is in, but
// a name that only one wants is its own, so that what is added to an operation
// changes no name but of what wants the same. A body as a whole gives way to a
// parameter.
func name(all []named) {
	wanted := map[string]int{reserved: 1}
	for i := range all {
		if !all[i].whole {
			wanted[all[i].base()]++
		}
	}
	taken := names{reserved: 0}
	var rest []named
	for _, n := range all {
		base := n.base()
		if n.whole && wanted[base] > 0 || wanted[base] > 1 {
			rest = append(rest, n)
			continue
		}
		*n.into, taken[base] = base, 0
	}
	for _, n := range rest {
		*n.into = taken.free(n.elsewhere())
	}
}

// names are those that are taken, each with the last number that was put behind it
// to make others.
type names map[string]int

// free takes a name: itself or with the first number that helps. It looks at no
// number twice, as thousands may want the same name.
func (t names) free(name string) string {
	out := name
	last, taken := t[name]
	for i := max(last+1, 2); taken; i++ {
		end := "_" + strconv.Itoa(i)
		out = name[:min(len(name), maxName-len(end))] + end
		t[name] = i
		_, taken = t[out]
	}
	t[out] = 0
	return out
}
