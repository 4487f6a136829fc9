package expression

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	// safeInteger bounds the integers of at most 15 digits, which every float64
	// keeps (DBL_DIG of IEEE 754).
	safeInteger = 1e15
	// safePower is the largest power of ten that a float64 holds exactly.
	safePower = 22
	// leadingZeros is how many zeros a fraction begins with at most before it
	// is written with an exponent, as encoding/json does.
	leadingZeros = 5
	// digitsPerWork is how many digits are read for one step of work.
	digitsPerWork = 8
	// freeDigits is the length of a number that costs nothing beyond the
	// operator itself.
	freeDigits = 24
)

// spendNumbers spends for the digits of long numbers.
func (f *frame) spendNumbers(values ...any) error {
	work := 0
	for _, v := range values {
		if text, ok := v.(json.Number); ok && len(text) > freeDigits {
			work += len(text) / digitsPerWork
		}
	}
	if work == 0 {
		return nil
	}
	return f.spend(work)
}

// spendDigits spends for the digits of a result.
func (f *frame) spendDigits(n *number) error { return f.spend(len(n.digits) / digitsPerWork) }

// text writes a decimal that is no int64. One that is whole and was computed
// keeps its exponent, so that it is not taken for a long integer.
func (n *number) text() string {
	sign, digits := "", n.spell()
	if n.sign() < 0 {
		sign = "-"
	}
	before := len(digits) + n.exp // digits before the point
	switch {
	case n.isLongInteger():
		return sign + digits + strings.Repeat("0", n.exp)
	case n.exp < 0 && before > 0:
		return sign + digits[:before] + "." + digits[before:]
	case n.exp < 0 && before >= -leadingZeros:
		return sign + "0." + strings.Repeat("0", -before) + digits
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return sign + digits + "e" + strconv.Itoa(before-1)
}

// held is the number as a float64 that is written with the same digits.
// Where there is none, problem says why: what a float64 rounds it to could be
// on the other side of a limit.
func (n number) held() (f float64, problem string) {
	switch {
	case n.isFloat:
		return n.float, ""
	case n.isInt() && magnitude(n.int) <= maxExact:
		return float64(n.int), ""
	case n.digits == "" && magnitude(n.int) < safeInteger && n.exp < 0 && n.exp >= -safePower:
		return float64(n.int) / math.Pow10(-n.exp), ""
	}
	sign := ""
	if n.sign() < 0 {
		sign = "-"
	}
	f, err := strconv.ParseFloat(sign+n.spell()+"e"+strconv.Itoa(n.exp), 64)
	if err != nil {
		return 0, tooLarge
	}
	if n.compare(&number{float: f, isFloat: true}) != 0 {
		return 0, tooPrecise
	}
	return f, ""
}

// computeDecimal is + - and * without any rounding.
func computeDecimal(op string, a, b number) (number, string) {
	if n, ok := computeShort(op, a, b); ok {
		return n, ""
	}
	exp := a.exp + b.exp
	if op != "*" {
		exp = min(a.exp, b.exp)
		if max(len(a.spell())+a.exp, len(b.spell())+b.exp)-exp > maxDigits {
			return number{}, manyDigits // before zeros are made by the thousand
		}
	}
	x, y := a.coefficient(), b.coefficient()
	if op != "*" {
		x.Mul(x, bigTenTo(a.exp-exp))
		y.Mul(y, bigTenTo(b.exp-exp))
	}
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
	}
	return bounded(decimal(x.Sign() < 0, strings.TrimPrefix(x.String(), "-"), exp))
}

// computeShort does what can be done within int64.
func computeShort(op string, a, b number) (number, bool) {
	if a.digits != "" || b.digits != "" {
		return number{}, false
	}
	x, y, exp, ok := a.int, b.int, a.exp+b.exp, true
	if op != "*" {
		exp = min(a.exp, b.exp)
		x, y, ok = aligned(&a, &b)
	}
	if !ok || exp > 0 || exp < -maxExponent {
		return number{}, false
	}
	n, problem := computeInt(op, x, y)
	if problem != "" {
		return number{}, false
	}
	n.exp, n.point = exp, true
	n.shorten()
	return n, magnitude(n.int) < 1e18
}

func bigTenTo(exp int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exp)), nil)
}

// bounded refuses a result that is beyond what a float64 could be, or that
// has more digits than a number may have.
func bounded(n number) (number, string) {
	n.point = true
	digits := n.spell()
	switch before := len(digits) + n.exp; {
	case n.isInt():
		return n, ""
	case before > maxFloatDigits:
		return number{}, overflows
	case before == maxFloatDigits && beyondFloat(digits, n.exp):
		return number{}, overflows
	case before <= -maxExponent || len(digits) > maxDigits:
		return number{}, manyDigits
	}
	return n, ""
}

func beyondFloat(digits string, exp int) bool {
	_, err := strconv.ParseFloat(digits+"e"+strconv.Itoa(exp), 64)
	return err != nil
}

// maxFloatDigits is how many digits the largest float64 has.
const maxFloatDigits = 309

// wholePart drops the fraction of a decimal; away says whether the magnitude
// then grows by one, given the sign and the first digit of the fraction.
func (n number) wholePart(away func(minus bool, first byte) bool) number {
	if n.exp >= 0 {
		return n
	}
	digits, minus := n.spell(), n.sign() < 0
	before := len(digits) + n.exp
	whole, first := new(big.Int), byte('0')
	if before >= 0 {
		first = digits[before]
	}
	if before > 0 {
		whole.SetString(digits[:before], 10)
	}
	if away(minus, first) {
		whole.Add(whole, big.NewInt(1))
	}
	return decimal(minus, whole.String(), 0)
}

// The ways to round to a whole number.
func towardsZero(bool, byte) bool            { return false }
func towardsNearest(_ bool, first byte) bool { return first >= '5' }
func upwards(minus bool, _ byte) bool        { return !minus }
func downwards(minus bool, _ byte) bool      { return minus }
