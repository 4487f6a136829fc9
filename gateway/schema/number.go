package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
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
	if !strings.ContainsAny(n.String(), ".eE") {
		return true
	}
	r, ok := new(big.Rat).SetString(n.String())
	return ok && r.IsInt()
}
