package expression

import (
	"math"
	"slices"
	"strings"
)

func numberFunctions() map[string]*function {
	one := []kind{numberKind}
	each := func(run func(n number) (number, string)) *function {
		return &function{params: one, result: Int, run: func(f *frame, c *call, a []any) (any, error) {
			if err := f.spendNumbers(a[0]); err != nil {
				return nil, err
			}
			n, problem := numberOf(a[0])
			if problem != "" {
				return nil, failed(c.labels[0], problem)
			}
			if n, problem = run(n); problem != "" {
				return nil, c.failed(problem)
			}
			return n.value(), nil
		}}
	}
	most := func(want int) *function {
		return &function{params: []kind{anyKind}, many: true, takesNil: true, run: func(f *frame, c *call, a []any) (any, error) {
			return extreme(f, c, a, want)
		}}
	}
	middle := func(run func(ns []float64) float64) *function {
		return &function{params: []kind{listKind}, result: Int, takesNil: true, run: func(f *frame, c *call, a []any) (any, error) {
			if err := f.spendNumbers(a[0].([]any)...); err != nil {
				return nil, err
			}
			return average(c, a[0].([]any), run)
		}}
	}
	return map[string]*function{
		"abs": each(abs), "floor": each(rounded(math.Floor, downwards)), "ceil": each(rounded(math.Ceil, upwards)), "round": each(rounded(math.Round, towardsNearest)),
		"min": most(-1), "max": most(1), "mean": middle(mean), "median": middle(median),
	}
}

func abs(n number) (number, string) {
	if n.compare(&number{}) < 0 {
		return negate(n)
	}
	return n, ""
}

// rounded makes a number whole: a decimal by its digits, a float as one.
func rounded(float func(float64) float64, away func(minus bool, first byte) bool) func(number) (number, string) {
	return func(n number) (number, string) {
		if n.isFloat {
			n.float = float(n.float)
			return n, ""
		}
		return n.wholePart(away), ""
	}
}

// extreme is the smallest or largest of numbers and of the items of lists; nil
// when there are none.
func extreme(f *frame, c *call, args []any, want int) (any, error) {
	items, err := flatten(f, nil, args)
	if err == nil {
		err = f.spendNumbers(items...)
	}
	if err != nil {
		return nil, err
	}
	var best *number
	for _, item := range items {
		if item == nil {
			continue
		}
		n, err := operand(c.name, "an argument of "+c.label, item)
		if err != nil {
			return nil, err
		}
		if best == nil || n.compare(best) == want {
			best = &n
		}
	}
	if best == nil {
		return nil, nil
	}
	return best.value(), nil
}

// average gives nil for the empty list.
func average(c *call, items []any, run func(ns []float64) float64) (any, error) {
	ns := make([]float64, len(items))
	for i, item := range items {
		n, err := operand(c.name, "an item of "+c.labels[0], item)
		if err != nil {
			return nil, err
		}
		var problem string
		if ns[i], problem = n.held(); problem != "" {
			return nil, failed("an item of ", c.labels[0], problem)
		}
	}
	if len(ns) == 0 {
		return nil, nil
	}
	n, problem := finite(run(ns))
	if problem != "" {
		return nil, c.failed(problem)
	}
	return n.value(), nil
}

func mean(ns []float64) float64 {
	total := 0.0
	for _, n := range ns {
		total += n
	}
	return total / float64(len(ns))
}

func median(ns []float64) float64 {
	slices.Sort(ns)
	half := len(ns) / 2
	if len(ns)%2 == 1 {
		return ns[half]
	}
	return ns[half-1]/2 + ns[half]/2
}

// sum adds the items of a list, exactly while all are integers.
func sum(f *frame, label string, v any) (any, error) {
	if k := kindOf(v); k != listKind && k != nilKind {
		return nil, failed(label, " is ", k.String(), ", and sum needs a list")
	}
	total := number{}
	items := asList(v)
	if err := f.spendNumbers(items...); err != nil {
		return nil, err
	}
	for _, item := range items {
		n, err := operand("sum", "an item of "+label, item)
		if err != nil {
			return nil, err
		}
		var problem string
		if total, problem = compute("+", total, n); problem != "" {
			return nil, failed("the sum of ", label, problem)
		}
		if err := f.spendDigits(&total); err != nil {
			return nil, err
		}
	}
	return total.value(), f.spend(len(items))
}

// toInt cuts what stands after the decimal point; it reads a text that is a
// whole number.
func toInt(f *frame, c *call, a []any) (any, error) {
	n, err := readNumber(f, c, a[0], "int")
	if err != nil {
		return nil, err
	}
	n = n.asDecimal().wholePart(towardsZero)
	if n.point = false; len(n.spell())+n.exp > maxDigits {
		return nil, failed(c.labels[0], tooLong)
	}
	return n.value(), nil
}

func toFloat(f *frame, c *call, a []any) (any, error) {
	n, err := readNumber(f, c, a[0], "float")
	if err != nil {
		return nil, err
	}
	float, problem := n.held()
	if problem != "" {
		return nil, failed(c.labels[0], problem)
	}
	return float, nil
}

func readNumber(f *frame, c *call, v any, name string) (number, error) {
	if err := f.spendNumbers(v); err != nil {
		return number{}, err
	}
	s, ok := v.(string)
	if !ok {
		return operand(name, c.labels[0], v)
	}
	n, problem := parseNumber(strings.TrimSpace(s))
	if problem != "" || name == "int" && n.point {
		return number{}, failed(c.labels[0], " is text that is not a number for ", name)
	}
	return n, nil
}
