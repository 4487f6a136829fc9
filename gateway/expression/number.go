package expression

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxDigits is the most digits of an integer that an expression computes with:
// reading longer ones takes more than linear time.
const maxDigits = 1000

// What is wrong with a number, to be put after its name.
const (
	tooLarge   = " is too large a number"
	tooLong    = " is a number of more than 1000 digits"
	notANumber = " is no number that JSON knows"
)

// number is a number with its exact value: in big when that is set, in float
// when isFloat, else in int.
type number struct {
	int     int64
	float   float64
	isFloat bool
	big     *big.Int
}

func integer(i int64) number { return number{int: i} }

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

// parseNumber reads a number as JSON writes it. A fraction or an exponent makes
// it a float64; an exponent costs no more than its digits.
func parseNumber(text string) (number, string) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integer(i), ""
	}
	digits := strings.TrimPrefix(text, "-")
	switch {
	case strings.Trim(digits, "0123456789.eE+-") != "" || digits == "":
		return number{}, notANumber
	case strings.ContainsAny(digits, ".eE+-"):
		f, err := strconv.ParseFloat(text, 64)
		if math.IsInf(f, 0) {
			return number{}, tooLarge
		}
		if err != nil {
			return number{}, notANumber
		}
		return number{float: f, isFloat: true}, ""
	case len(digits) > maxDigits:
		return number{}, tooLong
	}
	n, ok := new(big.Int).SetString(text, 10)
	switch {
	case !ok:
		return number{}, notANumber
	case n.IsInt64(): // leading zeros
		return integer(n.Int64()), ""
	}
	return number{big: n}, ""
}

// value is the number as expressions pass it on.
func (n number) value() any {
	switch {
	case n.big != nil:
		return json.Number(n.big.String())
	case n.isFloat:
		return n.float
	}
	return int(n.int)
}

// inFloat is the number as a float64, rounded when it has more digits.
func (n number) inFloat() float64 {
	if n.isFloat {
		return n.float
	}
	return float64(n.int)
}

// compare orders two numbers by their exact values.
func (n number) compare(m number) int {
	switch {
	case n.big != nil || m.big != nil:
		return compareBig(n, m)
	case n.isFloat && m.isFloat:
		return cmp.Compare(n.float, m.float)
	case n.isFloat:
		return -compareIntFloat(m.int, n.float)
	case m.isFloat:
		return compareIntFloat(n.int, m.float)
	}
	return cmp.Compare(n.int, m.int)
}

// compareIntFloat never converts i, which could round it: it compares the
// whole part of f, which fits an int64, and then the rest.
func compareIntFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	return cmp.Or(cmp.Compare(i, int64(whole)), cmp.Compare(0, f-whole))
}

func compareBig(n, m number) int {
	if n.isFloat || m.isFloat {
		return n.exact().Cmp(m.exact())
	}
	return n.whole().Cmp(m.whole())
}

func (n number) whole() *big.Int {
	if n.big != nil {
		return n.big
	}
	return big.NewInt(n.int)
}

func (n number) exact() *big.Float {
	if n.isFloat {
		return big.NewFloat(n.float)
	}
	return new(big.Float).SetInt(n.whole())
}
