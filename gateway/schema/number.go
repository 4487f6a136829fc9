package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numberFault says why a JSON number is not accepted, or "".
func numberFault(text string) string {
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	if digits := len(mantissa) - strings.Count(mantissa, "-") - strings.Count(mantissa, "."); digits > maxNumberDigits {
		return fmt.Sprintf("is a number of %d digits; at most %d are accepted", digits, maxNumberDigits)
	}
	if exponent == "" {
		return ""
	}
	if n, err := strconv.Atoi(exponent); err != nil || n > maxNumberExponent || n < -maxNumberExponent {
		return fmt.Sprintf("is a number with the exponent %s; exponents from -%d to %d are accepted", shorten(exponent), maxNumberExponent, maxNumberExponent)
	}
	return ""
}

// jsonNumber is the grammar of RFC 8259 section 6.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// readNumber takes a text for a number when it is one, digit for digit.
func readNumber(text string) (json.Number, bool) {
	if !jsonNumber.MatchString(text) || numberFault(text) != "" {
		return "", false
	}
	return json.Number(text), true
}

// integral reports whether a number that passed numberFault is whole.
func integral(n json.Number) bool {
	_, ok := wholeDigits(n.String())
	return ok
}

// wholeDigits counts the digits of a number that passed numberFault, written
// as an integer; ok is false when it is not whole.
func wholeDigits(text string) (count int, ok bool) {
	_, digits, exp := takeApart(text)
	return len(digits) + exp, exp >= 0
}

// takeApart gives a number that passed numberFault as digits × 10^exp, with
// no zeros at either end of the digits; zero has none.
func takeApart(text string) (sign, digits string, exp int) {
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	if rest, minus := strings.CutPrefix(mantissa, "-"); minus {
		sign, mantissa = "-", rest
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	if digits = strings.TrimRight(all, "0"); digits == "" {
		return "", "", 0
	}
	exp, _ = strconv.Atoi(exponent) // none is 0, and any other was read by numberFault
	return sign, digits, exp - len(fraction) + len(all) - len(digits)
}

// respelled gives a whole number that is written with a fraction or an
// exponent as the integer it is, 5.0 as 5. One that would be longer than
// maxIntegerDigits stays; ok is false then and for all that need no change.
func respelled(n json.Number) (integer json.Number, ok bool) {
	if !strings.ContainsAny(n.String(), ".eE") {
		return n, false
	}
	sign, digits, exp := takeApart(n.String())
	switch {
	case exp < 0 || len(digits)+exp > maxIntegerDigits:
		return n, false
	case digits == "":
		return "0", true
	}
	return json.Number(sign + digits + strings.Repeat("0", exp)), true
}

// tooLongInteger reports whether a number is an integer only in a spelling
// that respelled leaves alone.
func tooLongInteger(n json.Number) bool {
	if !strings.ContainsAny(n.String(), ".eE") {
		return false
	}
	count, ok := wholeDigits(n.String())
	return ok && count > maxIntegerDigits
}

// respellable reports whether a value holds a number that respelled changes.
func respellable(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if respellable(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, respellable)
	case json.Number:
		_, ok := respelled(v)
		return ok
	}
	return false
}
