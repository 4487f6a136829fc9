package expression

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strings"
)

func numberFunctions() map[string]*function {
	one := []kind{numberKind}
	each := func(run func(n number) (number, string)) *function {
		return &function{params: one, result: Int, run: func(_ *frame, c *call, a []any) (any, error) {
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
		return &function{params: []kind{listKind}, result: Int, takesNil: true, run: func(_ *frame, c *call, a []any) (any, error) {
			return average(c, a[0].([]any), run)
		}}
	}
	return map[string]*function{
		"abs": each(abs), "floor": each(rounded(math.Floor)), "ceil": each(rounded(math.Ceil)), "round": each(rounded(math.Round)),
		"min": most(-1), "max": most(1), "mean": middle(mean), "median": middle(median),
	}
}

func abs(n number) (number, string) {
	if n.compare(number{}) < 0 {
		return negate(n)
	}
	return n, ""
}

// rounded leaves integers alone: they keep every digit.
func rounded(round func(float64) float64) func(number) (number, string) {
	return func(n number) (number, string) {
		if n.isFloat {
			n.float = round(n.float)
		}
		return n, ""
	}
}

// extreme is the smallest or largest of numbers and of the items of lists; nil
// when there are none.
func extreme(f *frame, c *call, args []any, want int) (any, error) {
	items, err := flatten(f, nil, args)
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
		if best == nil || n.compare(*best) == want {
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
		if err == nil && n.big != nil {
			err = c.failed(bigOperand)
		}
		if err != nil {
			return nil, err
		}
		ns[i] = n.inFloat()
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
	for _, item := range items {
		n, err := operand("sum", "an item of "+label, item)
		if err != nil {
			return nil, err
		}
		var problem string
		if total, problem = compute("+", total, n); problem != "" {
			return nil, failed("the sum of ", label, problem)
		}
	}
	return total.value(), f.spend(len(items))
}

// toInt cuts what stands after the decimal point; it reads a text that is a
// whole number.
func toInt(_ *frame, c *call, a []any) (any, error) {
	n, err := readNumber(c, a[0], "int")
	if err != nil {
		return nil, err
	}
	if !n.isFloat {
		return n.value(), nil
	}
	whole, _ := new(big.Float).SetFloat64(n.float).Int(nil)
	if whole.IsInt64() {
		return int(whole.Int64()), nil
	}
	return json.Number(whole.String()), nil
}

func toFloat(_ *frame, c *call, a []any) (any, error) {
	n, err := readNumber(c, a[0], "float")
	if err != nil {
		return nil, err
	}
	if n.big != nil {
		return nil, failed(c.labels[0], tooLarge)
	}
	return n.inFloat(), nil
}

func readNumber(c *call, v any, name string) (number, error) {
	s, ok := v.(string)
	if !ok {
		return operand(name, c.labels[0], v)
	}
	n, problem := parseNumber(strings.TrimSpace(s))
	if problem != "" || name == "int" && n.isFloat {
		return number{}, failed(c.labels[0], " is text that is not a number for ", name)
	}
	return n, nil
}
