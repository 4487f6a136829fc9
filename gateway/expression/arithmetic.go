package expression

import (
	"math"
	"math/bits"
)

// What is wrong with the result of an operator, to be put after its name.
const (
	overflows  = " gives a number that is too large"
	byZero     = " divides by zero"
	needsWhole = " needs whole numbers"
	bigOperand = " cannot compute with a number beyond 64 bits"
	notDefined = " has no result for these numbers"
	manyDigits = " gives a number of too many digits"
	tooPrecise = " has more digits than arithmetic keeps"
)

// compute applies an arithmetic operator. Sums, differences, products, rests
// and powers of integers are exact, and so are sums, differences and products of
// decimals. Everything else is done with float64, for which each operand must
// be one without being rounded. When there is no such result, problem says why.
func compute(op string, a, b number) (n number, problem string) {
	switch {
	case a.isLongInteger() || b.isLongInteger():
		return number{}, bigOperand
	case op == "/":
		return divide(a, b)
	case op == "%":
		return remainder(a, b)
	case (op == "**" || op == "^") && a.isInt() && b.isInt():
		return power(a.int, b.int)
	case a.isFloat || b.isFloat || op == "**" || op == "^":
		return computeHeld(op, a, b)
	case a.isInt() && b.isInt():
		return computeInt(op, a.int, b.int)
	}
	return computeDecimal(op, a, b)
}

// computeHeld computes with float64 what float64 can hold.
func computeHeld(op string, a, b number) (number, string) {
	x, problem := a.held()
	if problem != "" {
		return number{}, unheld(problem)
	}
	y, problem := b.held()
	if problem != "" {
		return number{}, unheld(problem)
	}
	return computeFloat(op, x, y)
}

// unheld says of an operation what is wrong with an operand of it.
func unheld(problem string) string {
	if problem == tooPrecise {
		return " needs a number that" + tooPrecise
	}
	return overflows
}

func computeInt(op string, a, b int64) (number, string) {
	var result int64
	ok := true
	switch op {
	case "+":
		result = a + b
		ok = (result > a) == (b > 0) || b == 0
	case "-":
		result = a - b
		ok = (result < a) == (b > 0) || b == 0
	case "*":
		result, ok = multiply(a, b)
	}
	if !ok {
		return number{}, overflows
	}
	return integer(result), ""
}

func multiply(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	if high != 0 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(low), low <= 1<<63
	}
	return int64(low), low < 1<<63
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

func computeFloat(op string, a, b float64) (number, string) {
	var f float64
	switch op {
	case "+":
		f = a + b
	case "-":
		f = a - b
	case "*":
		f = a * b
	case "/":
		f = a / b
	default:
		f = math.Pow(a, b)
	}
	return finite(f)
}

func finite(f float64) (number, string) {
	switch {
	case math.IsNaN(f):
		return number{}, notDefined
	case math.IsInf(f, 0):
		return number{}, overflows
	}
	return number{float: f, isFloat: true}, ""
}

// divide stays exact where the division of two integers leaves no rest.
func divide(a, b number) (number, string) {
	switch {
	case b.isFloat && b.float == 0 || b.isInt() && b.int == 0:
		return number{}, byZero
	case !a.isInt() || !b.isInt():
	case b.int == -1:
		return computeInt("-", 0, a.int)
	case a.int%b.int == 0:
		return integer(a.int / b.int), ""
	}
	return computeHeld("/", a, b)
}

func remainder(a, b number) (number, string) {
	switch {
	case !a.isInt() || !b.isInt():
		return number{}, needsWhole
	case b.int == 0:
		return number{}, byZero
	case b.int == -1:
		return integer(0), ""
	}
	return integer(a.int % b.int), ""
}

// power is exact for integers; a negative exponent gives a float64.
func power(a, b int64) (number, string) {
	if b < 0 {
		return computeFloat("**", float64(a), float64(b))
	}
	result, ok := int64(1), true
	for base := a; ok && b > 0; b >>= 1 {
		if b&1 == 1 {
			result, ok = multiply(result, base)
		}
		if ok && b > 1 { // a higher bit is set, so a square that is too large will be needed
			base, ok = multiply(base, base)
		}
	}
	if !ok {
		return number{}, overflows
	}
	return integer(result), ""
}

func negate(n number) (number, string) {
	switch {
	case n.isFloat:
		return number{float: -n.float, isFloat: true}, ""
	case n.isInt():
		return computeInt("-", 0, n.int)
	}
	n.int, n.minus = -n.int, !n.minus
	return n, ""
}
