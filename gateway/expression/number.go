package expression

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Limits of one number, as written in arguments or in an expression, and as a
// result. Within them no operation costs more than some microseconds.
const (
	// maxDigits is the most digits of a number.
	maxDigits = 1000
	// maxExponent bounds the power of ten of a number's first digit, on both
	// sides. All that gateway/schema lets through is within it.
	maxExponent = 2000
	// shortDigits is the most digits that always fit an int64.
	shortDigits = 18
)

// What is wrong with a number, to be put after its name.
const (
	tooLarge   = " is too large a number"
	tooSmall   = " is a number too close to 0"
	tooLong    = " is a number of more than 1000 digits"
	notANumber = " is no number that JSON knows"
)

// number is a number with its exact value. It is float when isFloat: the result
// of an operation that rounds. Else it is a decimal, digits × 10^exp, or
// int × 10^exp when there are no digits. A decimal that fits an int64 is one,
// with exp 0; any other has no trailing zeros, so that equal decimals are
// spelled alike.
type number struct {
	int     int64
	digits  string // without a sign and zeros at either end
	exp     int
	float   float64
	minus   bool // the sign of digits
	point   bool // written with a fraction or an exponent, or computed
	isFloat bool
}

func integer(i int64) number { return number{int: i} }

// isInt reports whether the number is in int and nowhere else.
func (n *number) isInt() bool { return n.exp == 0 && n.digits == "" && !n.isFloat }

// isLongInteger is an integer beyond int64 that was written as one.
func (n *number) isLongInteger() bool { return !n.isInt() && !n.isFloat && !n.point && n.exp >= 0 }

// integers reads two values that are short integers, as nearly all are.
func integers(a, b any) (x, y int64, ok bool) {
	if x, ok = integerOf(a); ok {
		y, ok = integerOf(b)
	}
	return x, y, ok
}

func integerOf(v any) (int64, bool) {
	switch v := v.(type) {
	case json.Number:
		return shortInteger(string(v))
	case int:
		return int64(v), true
	}
	return 0, false
}

// numberOf reads a value of numberKind. When it cannot, problem says why.
func numberOf(v any) (n number, problem string) {
	switch v := v.(type) {
	case json.Number:
		return parseNumber(string(v))
	case int:
		return integer(int64(v)), ""
	case int64:
		return integer(v), ""
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return number{}, notANumber
		}
		return number{float: v, isFloat: true}, ""
	}
	return number{}, notANumber
}

// decimal is digits × 10^exp; the digits have no zeros in front.
func decimal(minus bool, digits string, exp int) number {
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return number{}
	}
	exp += len(digits) - len(short)
	if exp >= 0 && len(short)+exp <= shortDigits+1 {
		text := short + strings.Repeat("0", exp)
		if minus {
			text = "-" + text
		}
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return integer(i)
		}
	}
	if len(short) > shortDigits {
		return number{digits: short, minus: minus, exp: exp}
	}
	i, _ := shortInteger(short)
	if minus {
		i = -i
	}
	return number{int: i, exp: exp}
}

// asDecimal is a float as the decimal it is written as: the shortest one that
// reads back as the same float. Any other number is itself.
func (n number) asDecimal() number {
	if !n.isFloat {
		return n
	}
	d, _ := parseNumber(strconv.FormatFloat(n.float, 'e', -1, 64))
	d.point = true
	return d
}

// value is the number as expressions pass it on.
func (n number) value() any {
	switch {
	case n.isFloat:
		return n.float
	case n.isInt():
		return int(n.int)
	}
	return json.Number(n.text())
}

// compare orders two numbers by their exact values. A float stands for the
// decimal it is written as, so that a tool that gets it as text gets what was
// compared.
func (n *number) compare(m *number) int {
	switch {
	case !n.isFloat && !m.isFloat:
		return compareDecimals(n, m)
	case n.isFloat && m.isFloat:
		return cmp.Compare(n.float, m.float)
	case n.isFloat && m.isInt() && math.Abs(n.float) < maxExact:
		return -compareIntFloat(m.int, n.float)
	case n.isInt() && m.isFloat && math.Abs(m.float) < maxExact:
		return compareIntFloat(n.int, m.float)
	}
	x, y := n.asDecimal(), m.asDecimal()
	return compareDecimals(&x, &y)
}

// maxExact is 2^53: below it every integer is a float64, and the decimal of
// a float64 lies between the same two integers as its exact value.
const maxExact = 1 << 53

// compareIntFloat never converts i, which could round it: it compares the
// whole part of f, which is below maxExact, and then the rest.
func compareIntFloat(i int64, f float64) int {
	whole := math.Trunc(f)
	return cmp.Or(cmp.Compare(i, int64(whole)), cmp.Compare(0, f-whole))
}

func compareDecimals(n, m *number) int {
	if a, b, ok := aligned(n, m); ok {
		return cmp.Compare(a, b)
	}
	sign := n.sign()
	if sign != m.sign() || sign == 0 {
		return cmp.Compare(sign, m.sign())
	}
	a, b := n.spell(), m.spell()
	return sign * cmp.Or(cmp.Compare(len(a)+n.exp, len(b)+m.exp), strings.Compare(strings.TrimRight(a, "0"), strings.TrimRight(b, "0")))
}

// aligned gives two short decimals as integers of one unit, if they fit.
func aligned(n, m *number) (a, b int64, ok bool) {
	if n.digits != "" || m.digits != "" {
		return 0, 0, false
	}
	a, b, ok = n.int, m.int, true
	switch shift := n.exp - m.exp; {
	case shift > shortDigits || shift < -shortDigits:
		ok = false
	case shift > 0:
		a, ok = multiply(a, tenTo(shift))
	case shift < 0:
		b, ok = multiply(b, tenTo(-shift))
	}
	return a, b, ok
}

func tenTo(exp int) int64 {
	power := int64(1)
	for range exp {
		power *= 10
	}
	return power
}

// sign is -1, 0 or 1; of a decimal only.
func (n *number) sign() int {
	switch {
	case n.digits == "":
		return cmp.Compare(n.int, 0)
	case n.minus:
		return -1
	}
	return 1
}

// spell gives the digits of a decimal without sign and exponent.
func (n *number) spell() string {
	if n.digits != "" {
		return n.digits
	}
	return strconv.FormatUint(magnitude(n.int), 10)
}

// coefficient is the decimal without its exponent.
func (n *number) coefficient() *big.Int {
	if n.digits == "" {
		return big.NewInt(n.int)
	}
	c, _ := new(big.Int).SetString(n.digits, 10)
	if n.minus {
		c.Neg(c)
	}
	return c
}
