package document

import (
	"math/big"
	"strings"
)

// maxBased is how long a number that is not decimal may be, in characters: longer
// ones, whose conversion would take long, are text.
const maxBased = 1000

// number is a YAML number in the digits of JSON; empty for what is none. One
// that JSON could hold stays as it is written.
func number(text string) string {
	if numberLength(text) == len(text) {
		return text
	}
	t := strings.TrimPrefix(text, "+")
	sign := ""
	if t == text {
		t = strings.TrimPrefix(text, "-")
		sign = text[:len(text)-len(t)]
	}
	if t == "" || t[0] == '_' || t[0] == '+' || t[0] == '-' {
		return ""
	}
	t = strings.ReplaceAll(t, "_", "")
	if digits, ok := based(t); ok {
		return negated(sign, digits)
	}
	return negated(sign, decimal(t))
}

func negated(sign, digits string) string {
	if digits == "" {
		return ""
	}
	return sign + digits
}

// based is a number with a prefix that names its base. It reports false for what
// has none.
func based(t string) (string, bool) {
	if len(t) < 3 || t[0] != '0' {
		return "", false
	}
	base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[t[1]]
	if base == 0 {
		return "", false
	}
	v, ok := new(big.Int), len(t) <= maxBased && t[2] != '-' && t[2] != '+'
	if ok {
		_, ok = v.SetString(t[2:], base)
	}
	if !ok {
		return "", true
	}
	return v.String(), true
}

// decimal writes a decimal number without a sign as JSON has it: no zeros in
// front, and digits on both sides of the point.
func decimal(t string) string {
	end := strings.IndexAny(t, "eE")
	if end < 0 {
		end = len(t)
	}
	whole, fraction, point := strings.Cut(t[:end], ".")
	if whole == "" && fraction == "" {
		return ""
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if point && fraction != "" {
		whole += "." + fraction
	}
	if whole += t[end:]; whole[0] == '-' || numberLength(whole) != len(whole) {
		return ""
	}
	return whole
}
