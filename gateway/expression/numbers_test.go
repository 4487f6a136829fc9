package expression

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// FuzzNumbers compares with exact arithmetic: the order of two numbers, and
// their sum, difference and product, are those of the rational numbers that
// they are written as.
func FuzzNumbers(f *testing.F) {
	addNumbers(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := rational(a)
		y, okY := rational(b)
		m, problemA := parseNumber(a)
		n, problemB := parseNumber(b)
		if json.Valid([]byte(a)) && okX != (problemA == "") || json.Valid([]byte(b)) && okY != (problemB == "") {
			t.Fatalf("%q %v %q, %q %v %q", a, okX, problemA, b, okY, problemB)
		}
		if !okX || !okY {
			return
		}
		if got, want := m.compare(&n), x.Cmp(y); got != want {
			t.Errorf("%s against %s: got %d, want %d", a, b, got, want)
		}
		checkArithmetic(t, m, n, x, y)
		checkWhole(t, m, x)
		checkHeld(t, m, x)
	})
}

func addNumbers(f *testing.F) {
	f.Helper()
	for _, pair := range [][2]string{
		{"1", "2"},
		{"9007199254740993", "9007199254740992.0"},
		{"90071992547409930e-1", "9.007199254740993e15"},
		{"123456789012345678901", "1.2345678901234568e20"},
		{"-0", "0.0"},
		{"1e308", "9e999999"},
		{"9223372036854775807", "9223372036854775808"},
		{"-9223372036854775808", "-9223372036854775808.0"},
		{"0.1", "0.1000000000000000055511151231257827"},
		{"1e-400", "0"},
		{"1e1000", "-1e-1000"},
		{"10e2000", "10"},
		{"0.01e-1999", "10e1000"},
		{"999999999999999999", "1.000000000000000001"},
		{"922337203685477580.7", "-922337203685477580.8"},
		{"100.0000000000000000001", "100"},
	} {
		f.Add(pair[0], pair[1])
	}
}

var exponent = regexp.MustCompile(`[eE].*`)

// rational is the exact value of a JSON number within the limits.
func rational(text string) (*big.Rat, bool) {
	if !json.Valid([]byte(text)) || strings.Trim(text, "0123456789.eE+-") != "" {
		return nil, false
	}
	mantissa := exponent.ReplaceAllString(text, "")
	if len(strings.NewReplacer("-", "", ".", "").Replace(mantissa)) > maxDigits {
		return nil, false
	}
	if strings.Trim(mantissa, "-0.") == "" {
		return new(big.Rat), true
	}
	if exp := exponent.FindString(text); exp != "" {
		if n, err := strconv.Atoi(exp[1:]); err != nil || n > maxExponent+maxDigits || n < -maxExponent-maxDigits {
			return nil, false
		}
	}
	r, ok := new(big.Rat).SetString(text)
	size := new(big.Rat).Abs(r)
	return r, ok && size.Cmp(tenTimes(1, maxExponent+1)) < 0 && size.Cmp(tenTimes(-1, maxExponent)) >= 0
}

// tenTimes is 10^exp, or 10^-exp for a sign of -1.
func tenTimes(sign, exp int) *big.Rat {
	r := new(big.Rat).SetInt(bigTenTo(exp))
	if sign < 0 {
		return r.Inv(r)
	}
	return r
}

// checkArithmetic: a sum, difference or product is exact; of integers it must
// fit int64, of decimals the limits.
func checkArithmetic(t *testing.T, m, n number, x, y *big.Rat) {
	t.Helper()
	if m.isLongInteger() || n.isLongInteger() {
		return
	}
	for op, want := range map[string]*big.Rat{"+": new(big.Rat).Add(x, y), "-": new(big.Rat).Sub(x, y), "*": new(big.Rat).Mul(x, y)} {
		got, problem := compute(op, m, n)
		if m.isInt() && n.isInt() {
			if fits := want.IsInt() && want.Num().IsInt64(); fits != (problem == "") {
				t.Errorf("%v %s %v: %q", x, op, y, problem)
			}
		} else if f, _ := want.Float64(); problem != "" && len(want.RatString()) < 300 && f != 0 {
			t.Errorf("%v %s %v: %q", x, op, y, problem)
		}
		if problem == "" && exactly(t, got).Cmp(want) != 0 {
			t.Errorf("%v %s %v: got %v, want %v", x, op, y, got.value(), want)
		}
	}
}

// exactly is what the value of a number says, read anew.
func exactly(t *testing.T, n number) *big.Rat {
	t.Helper()
	data, err := json.Marshal(n.value())
	if err != nil || !json.Valid(data) {
		t.Fatalf("%#v: %v", n, err)
	}
	again, problem := numberOf(n.value())
	if problem != "" || again.compare(&n) != 0 {
		t.Fatalf("%s: %q", data, problem)
	}
	r, _ := new(big.Rat).SetString(string(data))
	return r
}

// checkWhole: floor and ceil enclose a number, and int is the one nearer to 0.
func checkWhole(t *testing.T, n number, x *big.Rat) {
	t.Helper()
	floor, ceil := exactly(t, n.wholePart(downwards)), exactly(t, n.wholePart(upwards))
	gap := new(big.Rat).Sub(ceil, floor)
	if !floor.IsInt() || !ceil.IsInt() || floor.Cmp(x) > 0 || ceil.Cmp(x) < 0 || x.IsInt() != (gap.Sign() == 0) || gap.Cmp(big.NewRat(1, 1)) > 0 {
		t.Errorf("%v lies between %v and %v", x, floor, ceil)
	}
	want := floor
	if x.Sign() < 0 {
		want = ceil
	}
	if got := exactly(t, n.wholePart(towardsZero)); got.Cmp(want) != 0 {
		t.Errorf("int(%v) is %v", x, got)
	}
	double := new(big.Rat).Sub(new(big.Rat).Add(x, x), new(big.Rat).Add(floor, ceil)) // twice the distance from the middle
	nearest := exactly(t, n.wholePart(towardsNearest))
	if double.Sign() > 0 && nearest.Cmp(ceil) != 0 || double.Sign() < 0 && nearest.Cmp(floor) != 0 {
		t.Errorf("round(%v) is %v", x, nearest)
	}
}

// checkHeld: a number that a float64 takes reads the same in it.
func checkHeld(t *testing.T, n number, x *big.Rat) {
	t.Helper()
	f, problem := n.held()
	if problem != "" {
		return
	}
	again, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if again.Cmp(x) != 0 {
		t.Errorf("%v became %v", x, f)
	}
}

// comparisons are conditions with the outcome that each order has.
var comparisons = map[string][3]bool{ // below, equal, above
	"args.a == args.b": {false, true, false},
	"args.a != args.b": {true, false, true},
	"args.a < args.b":  {true, false, false},
	"args.a <= args.b": {true, true, false},
	"args.a > args.b":  {false, false, true},
	"args.a >= args.b": {false, true, true},

	"args.a in [args.b]":                                  {false, true, false},
	"args.a in args.list":                                 {false, true, false},
	"any(args.list, # == args.a)":                         {false, true, false},
	"[args.a] == args.list":                               {false, true, false},
	"len(uniq([args.a, args.b])) == 1":                    {false, true, false},
	"max(args.a, args.b) > args.b":                        {false, false, true},
	"min(args.a, args.b) < args.b":                        {true, false, false},
	"sort([args.b, args.a])[0] < args.b":                  {true, false, false},
	"sortBy([args.b, args.a], #, 'desc')[0] > args.b":     {false, false, true},
	"let x = args.a; let y = args.b; x + 0.5 < y + 0.5":   {true, false, false},
	"{k: args.a} == {k: args.b}":                          {false, true, false},
	"args.a == LITERAL":                                   {false, true, false},
	"args.a < LITERAL":                                    {true, false, false},
	"args.a in [LITERAL]":                                 {false, true, false},
	"-args.a > -args.b":                                   {true, false, false},
	"args.a * 2.5 >= args.b * 2.5":                        {false, true, true},
	"groupBy(args.list, # > args.a)['true'][0] == args.b": {true, false, false},
}

// FuzzComparisons runs every operator that compares on two numbers as they
// are written, and as the second one stands in the expression.
func FuzzComparisons(f *testing.F) {
	addNumbers(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := rational(a)
		y, okY := rational(b)
		if !okX || !okY {
			return
		}
		env := testEnv()
		vars := env.Vars(map[string]any{"args": map[string]any{"a": json.Number(a), "b": json.Number(b), "list": []any{json.Number(b)}}})
		for source, want := range comparisons {
			p, _ := compileTest(strings.ReplaceAll(source, "LITERAL", b), env, WantBool)
			if p == nil && strings.Contains(source, "LITERAL") {
				continue // an integer literal beyond int64 is a mistake
			}
			yes, err := p.Bool(vars)
			if err == nil && yes != want[x.Cmp(y)+1] {
				t.Errorf("%s with %s and %s is %v", source, a, b, yes)
			}
			if err != nil && !strings.ContainsAny(source, "+*-") {
				t.Errorf("%s with %s and %s: %v", source, a, b, err)
			}
		}
	})
}

// TestRulesSeeEveryDigit: a number that a rule is about cannot be spelled so
// that the rule sees another one. Each line is a condition, the values of
// args.n with which it is true, those with which it is false, and those with
// which it is an error, which denies.
func TestRulesSeeEveryDigit(t *testing.T) {
	const id = "9007199254740993 9007199254740993.0 9007199254740993e0 90071992547409930e-1 9.007199254740993e15 9007199254740993.000000000000000000000000000000"
	const others = "9007199254740992 9007199254740992.0 9007199254740994 9007199254740993.0000000000000000001 9007199254740992.9999999999999999999 -9007199254740993.0 9.007199254740992e15"
	for _, test := range []struct{ source, yes, no, fails string }{
		{"args.n == 9007199254740993", id, others, "1e2001 1e-2001 9007199254740993e999999999999999999999"},
		{"args.n == 9007199254740993.0", id, others, ""},
		{"args.n in [9007199254740993, 100]", id + " 100 1e2 100.0", others + " 100.00000000000000000001", "1e2001"},
		{"not (args.n != 9007199254740993)", id, others, ""},
		{"any([args.n], # == 9007199254740993)", id, others, ""},
		{"int(args.n) == 9007199254740993", id + " 9007199254740993.9999999999999999999", "9007199254740992 9007199254740992.9999999999999999999", ""},
		{"args.n + 0 == 9007199254740993", id, others, ""},
		{"args.n * 1 == 9007199254740993", id, others, ""},
		{"args.n - 0.5 == 9007199254740992.5", id, others, ""},
		{"args.n / 1 == 9007199254740993", id, "9007199254740992 9007199254740994.0", "9007199254740993.0000000000000000001 9007199254740992.9999999999999999999"},
		{"args.n / 1.5 == 6004799503160662", "", "9007199254740992.0", "9007199254740993 9007199254740993.0"},
		{"args.n > 100", "100.0000000000000000001 101 1.0000000000000000000000000000001e2 100.00000000000001 1e1000", "100 100.0 1e2 99.99999999999999999999999 1e-1000", "1e2001"},
		{"args.n * 1 > 100", "100.0000000000000000001 101", "100 1e2 99.9999999999999999999", ""},
		{"args.n + 1e-30 > 100", "100 100.0000000000000000001", "99.9999999999999999999", ""},
		{"sum([args.n, 0]) > 100", "100.0000000000000000001", "100.0", ""},
		{"args.n / 1 > 100", "101 100.00000000000001 100.5", "100 99.5", "100.0000000000000000001 100.000000000000001"},
		{"args.n ** 1 > 100", "101", "100 100.0", "100.0000000000000000001"},
		{"float(args.n) > 100", "101", "100 100.0", "100.0000000000000000001"},
		{"mean([args.n]) > 100", "101", "100 100.0", "100.0000000000000000001"},
		{"median([args.n]) > 100", "101", "100 100.0", "100.0000000000000000001"},
		{"args.n in 1..100", "1 100 1e2 100.0 50e-1", "100.00000000000000000001 0.99999999999999999999999 101 0 1.5", ""},
		{"int(args.n) == 10", "10 10.0 10.9999999999999999999999999", "9.9999999999999999999999999 11", ""},
		{"floor(args.n) == 10", "10.9999999999999999999999999", "9.9999999999999999999999999 -10.5", ""},
		{"ceil(args.n) == 10", "9.0000000000000000000000001 10.0", "10.0000000000000000000000001 -10.5", ""},
		{"round(args.n) == 10", "9.5 10.4999999999999999999999999", "9.4999999999999999999999999 10.5", ""},
		{"max(args.n, 100) == 100", "100 99.999999999999999999999", "100.0000000000000000001", ""},
		{"args.n == 0.1", "0.1 0.10 1e-1 100e-3", "0.1000000000000000055 0.1000000000000000055511151231257827021181583404541015625", ""},
		{"args.n == 1 / 10", "0.1 0.10 1e-1", "0.1000000000000000055", ""},
		{"args.n <= 5 / 100", "0.05 0.0499", "0.0500000000000000027755575615628914 0.051", ""},
	} {
		for want, list := range map[string]string{"true": test.yes, "false": test.no, "error": test.fails} {
			for n := range strings.FieldsSeq(list) {
				if got := outcomeOf(t, test.source, n); got != want {
					t.Errorf("%s with %s: got %s, want %s", test.source, n, got, want)
				}
			}
		}
	}
}

func outcomeOf(t *testing.T, source, n string) string {
	t.Helper()
	env := testEnv()
	p, problems := compileTest(source, env, WantBool)
	if p == nil {
		t.Fatalf("%s: %v", source, problems)
	}
	yes, err := p.Bool(env.Vars(map[string]any{"args": map[string]any{"n": json.Number(n)}}))
	if err != nil {
		return "error"
	}
	return strconv.FormatBool(yes)
}

// TestLongNumbersAreWork: a loop over long numbers ends.
func TestLongNumbersAreWork(t *testing.T) {
	env := testEnv()
	vars := env.Vars(map[string]any{"args": map[string]any{"n": json.Number(strings.Repeat("7", maxDigits-1) + ".5")}})
	for _, source := range []string{
		"all(1..300000, args.n == args.n)", "all(1..300000, args.n + 1 > 0)", "len(uniq(map(1..3000, args.n + #))) > 0",
		"all(1..300000, floor(args.n) > 0)", "all(1..300000, 1e-680 + 1e308 > 0)", "all(1..300000, max(args.n, 1) > 0)", "sum(map(1..300000, args.n)) > 0",
	} {
		p, problems := compileTest(source, env, WantBool)
		if p == nil {
			t.Fatal(problems)
		}
		if _, err := p.Bool(vars); err == nil || !strings.Contains(err.Error(), "work") && !strings.Contains(err.Error(), "large") {
			t.Errorf("%s: %v", source, err)
		}
	}
}
