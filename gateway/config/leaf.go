package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// scalar checks a value that is a single text, number or boolean.
func (c *checker) scalar(t *trail, n *node, s *shape) (any, bool) {
	switch s.form {
	case formBool:
		if n.kind != boolean {
			return c.wrongKind(t, n, s, "true or false", boolHint(n))
		}
		return strings.EqualFold(n.text, "true"), true
	case formInt:
		return c.integer(t, n, s)
	case formDuration:
		return c.parsed(t, n, s, "a duration, such as 30s", durationHint(n, s.note.example), func(text string) error {
			d, err := ParseDuration(text)
			if _, zero := errors.AsType[noTime](err); zero && d == 0 && s.note.none {
				return nil
			}
			return err
		})
	case formSize:
		return c.size(t, n, s)
	case formPrefix:
		return c.parsed(t, n, s, "a network, such as 10.20.0.0/16", "", func(text string) error {
			_, err := parsePrefix(text)
			return err
		})
	}
	return c.text(t, n, s)
}

func (c *checker) text(t *trail, n *node, s *shape) (any, bool) {
	if n.kind != text {
		return c.wrongKind(t, n, s, "text", textHint(n, &s.note))
	}
	switch {
	case s.note.filled && strings.TrimSpace(n.text) == "":
		c.report(t, t.place, cmp.Or(s.note.required, "give it a value, or remove it"), "must not be empty")
		return nil, false
	case s.note.oneOf != nil && !slices.Contains(s.note.oneOf, n.text):
		hint := diag.DidYouMean(n.text, s.note.oneOf)
		c.report(t, t.place, hint, "must be %s, got %q", choice(s.note.oneOf), shorten(n.text, maxShown))
		return nil, false
	}
	if s.note.literal != "" && strings.Contains(n.text, "${") {
		c.report(t, t.place, s.note.literal, "this key is literal text, and nothing is put in place of ${…}")
		return nil, false
	}
	if s.note.path && isContent(n.text) {
		c.report(t, t.place, "put it into a file and write the path", "this is the content of a file, and the key takes the path of one")
		return nil, false
	}
	c.cutByComment(t, n, s.note.expression)
	return n.text, true
}

// textHint says what to write where a text is wanted and something else stands.
func textHint(n *node, note *note) string {
	switch {
	case note.instead != "":
		return note.instead
	case note.oneOf != nil:
		return "write " + choice(note.oneOf)
	case note.example != "":
		return "write " + note.example + " for example"
	case n.scalar():
		return "put it in quotes"
	case note.expression:
		return "put the whole expression in single quotes"
	}
	return ""
}

func (c *checker) integer(t *trail, n *node, s *shape) (any, bool) {
	if n.kind != integer {
		hint := ""
		if n.kind == text && intText.MatchString(n.text) {
			hint = "write it without quotes"
		}
		return c.wrongKind(t, n, s, "a whole number", cmp.Or(hint, s.note.required, s.note.instead))
	}
	i, err := strconv.Atoi(n.text)
	if err != nil {
		return c.wrongKind(t, n, s, "a whole number in decimal digits", "")
	}
	return i, true
}

func (c *checker) size(t *trail, n *node, s *shape) (any, bool) {
	if n.kind == integer {
		n = &node{kind: text, text: n.text, place: n.place}
	}
	return c.parsed(t, n, s, "a size, such as 500KB or 8MiB", "", func(text string) error {
		size, err := tool.ParseSize(text)
		if err == nil && size == 0 {
			err = fmt.Errorf("must be more than zero")
		}
		return err
	})
}

// parsed checks a text that has to be readable in some way; the decoder reads
// it again.
func (c *checker) parsed(t *trail, n *node, s *shape, want, hint string, parse func(string) error) (any, bool) {
	if n.kind != text {
		return c.wrongKind(t, n, s, want, hint)
	}
	if err := parse(n.text); err != nil {
		c.report(t, t.place, "", "%s", err)
		return nil, false
	}
	return n.text, true
}

// boolHint helps with the words that YAML 1.1 took for booleans.
func boolHint(n *node) string {
	switch strings.ToLower(n.text) {
	case "yes", "y", "on", "true":
		return "write true"
	case "no", "n", "off", "false":
		return "write false"
	}
	return ""
}

// choice lists the words that a text may be.
func choice(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return "one of " + strings.Join(words, ", ")
}

// isContent reports a text that stands in a file and does not name one.
func isContent(text string) bool {
	return strings.Contains(text, "\n") || strings.HasPrefix(text, "-----BEGIN")
}

// durationHint helps with a number that lacks its unit.
func durationHint(n *node, example string) string {
	switch {
	case n.kind == integer && example != "":
		return "write the unit too, such as " + example
	case n.kind == integer:
		return "write the unit too: " + shorten(n.text, maxShown) + "s"
	}
	return ""
}

// day is the length of the unit d, which Go's durations do not have.
const day = 24 * time.Hour

// ParseDuration reads a duration as the file writes it: one of Go's (time.ParseDuration),
// or whole days with the unit d before it. It is more than zero.
func ParseDuration(s string) (time.Duration, error) {
	d, err := anyDuration(s)
	if err == nil && d <= 0 {
		return d, noTime{shorten(s, maxShown)}
	}
	return d, err
}

// noTime is what is wrong with a duration that is no time at all.
type noTime struct{ text string }

// Error says so.
func (e noTime) Error() string { return fmt.Sprintf("must be more than zero, got %q", e.text) }

// anyDuration is ParseDuration for any sign.
func anyDuration(s string) (time.Duration, error) {
	days, rest, hasDays := strings.Cut(s, "d")
	total := time.Duration(0)
	if hasDays {
		n, err := strconv.ParseUint(days, 10, 64)
		if err != nil || n > uint64(math.MaxInt64/day) {
			return 0, badDuration(s)
		}
		total = time.Duration(n) * day
	} else {
		rest = s
	}
	if rest != "" || !hasDays {
		d, err := time.ParseDuration(rest)
		if err != nil || d > math.MaxInt64-total || hasDays && d < 0 {
			return 0, badDuration(s)
		}
		total += d
	}
	return total, nil
}

func badDuration(s string) error {
	return fmt.Errorf("%q is not a duration (write a number with a unit, such as 500ms, 30s, 5m or 7d)", shorten(s, maxShown))
}

// parsePrefix reads a network in CIDR form (RFC 4632, section 3.1), without
// bits set after the prefix: those are nearly always a slip.
func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
			return p, fmt.Errorf("%q has no prefix length (write %s/%d for this one address)", s, a, a.BitLen())
		}
		return p, fmt.Errorf("%q is not a network (write an address and a prefix length, such as 10.20.0.0/16)", shorten(s, maxShown))
	}
	if m := p.Masked(); m != p {
		return p, fmt.Errorf("%q has bits set after the first %d (write %s)", s, p.Bits(), m)
	}
	return p, nil
}
