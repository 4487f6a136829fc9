package expression

import (
	"strconv"
	"strings"
)

// parseNumber reads a number as JSON writes it, digit for digit.
func parseNumber(text string) (number, string) {
	if i, ok := shortInteger(text); ok {
		return integer(i), ""
	}
	if n, ok := shortFraction(text); ok {
		return n, ""
	}
	mantissa, exponent, scaled := text, "", false
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent, scaled = text[:i], text[i+1:], true
	}
	mantissa, minus := strings.CutPrefix(mantissa, "-")
	whole, fraction, pointed := strings.Cut(mantissa, ".")
	switch size := len(whole) + len(fraction); {
	case size == 0 || !allDigits(whole) || !allDigits(fraction):
		return number{}, notANumber
	case size > maxDigits:
		return number{}, tooLong
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exp, problem := 0, ""
	if scaled {
		exp, problem = parseExponent(exponent)
	}
	if problem == notANumber || problem != "" && digits != "" {
		return number{}, problem
	}
	n := decimal(minus, digits, exp-len(fraction))
	n.point = pointed || scaled
	return n, n.outside()
}

// outside says on which side of maxExponent a decimal is, if it is.
func (n *number) outside() string {
	if n.exp == 0 {
		return ""
	}
	switch first := len(n.spell()) + n.exp - 1; {
	case first > maxExponent:
		return tooLarge
	case first < -maxExponent:
		return tooSmall
	}
	return ""
}

// shortInteger reads what nearly every number is, without a look at what else
// it could be.
func shortInteger(text string) (int64, bool) {
	digits := text
	if digits != "" && digits[0] == '-' {
		digits = digits[1:]
	}
	if digits == "" || len(digits) > shortDigits {
		return 0, false
	}
	var i int64
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int64(c-'0')
	}
	if len(digits) < len(text) {
		i = -i
	}
	return i, true
}

// shortFraction reads a decimal that has a point and few digits.
func shortFraction(text string) (number, bool) {
	i := strings.IndexByte(text, '.')
	if i < 0 || i == len(text)-1 || len(text) > shortDigits {
		return number{}, false
	}
	whole, ok := shortInteger(text[:i])
	fraction := text[i+1:]
	part, digits := shortInteger(fraction)
	if !ok || !digits || fraction[0] == '-' {
		return number{}, false
	}
	if text[0] == '-' {
		part = -part
	}
	n := number{int: whole*tenTo(len(fraction)) + part, exp: -len(fraction), point: true}
	n.shorten()
	return n, true
}

// shorten takes the trailing zeros off a short fraction.
func (n *number) shorten() {
	for ; n.exp < 0 && n.int%10 == 0; n.exp++ {
		n.int /= 10
	}
}

func allDigits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func parseExponent(text string) (int, string) {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) == len(text) {
		digits = strings.TrimPrefix(text, "+")
	}
	if digits == "" || !allDigits(digits) {
		return 0, notANumber
	}
	exp, err := strconv.Atoi(text)
	const most = maxExponent + maxDigits
	switch outside := err != nil || exp > most || exp < -most; {
	case outside && text[0] == '-':
		return 0, tooSmall
	case outside:
		return 0, tooLarge
	}
	return exp, ""
}
