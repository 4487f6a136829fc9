package expression

import (
	"maps"
	"slices"
)

func listFunctions() map[string]*function {
	one := []kind{listKind}
	list := func(run func(f *frame, c *call, args []any) (any, error)) *function {
		return &function{params: one, result: Type{kind: listKind}, takesNil: true, run: run}
	}
	return map[string]*function{
		"first": {params: one, takesNil: true, run: func(_ *frame, c *call, a []any) (any, error) { return index(c.label, c.label, a[0], 0) }},
		"last":  {params: one, takesNil: true, run: func(_ *frame, c *call, a []any) (any, error) { return index(c.label, c.label, a[0], -1) }},
		"take":  {params: []kind{listKind, numberKind}, result: Type{kind: listKind}, takesNil: true, run: take},
		"reverse": list(func(_ *frame, _ *call, a []any) (any, error) {
			items := slices.Clone(a[0].([]any))
			slices.Reverse(items)
			return items, nil
		}),
		"uniq":    list(uniq),
		"flatten": list(func(f *frame, _ *call, a []any) (any, error) { return flatten(f, []any{}, a[0].([]any)) }),
		"concat": {params: one, many: true, result: Type{kind: listKind}, takesNil: true, run: func(_ *frame, _ *call, a []any) (any, error) {
			all := []any{}
			for _, items := range a {
				all = append(all, items.([]any)...)
			}
			return all, nil
		}},
		"sort":      {params: []kind{listKind, textKind}, optional: 1, result: Type{kind: listKind}, takesNil: true, run: sortList},
		"fromPairs": {params: one, result: Type{kind: mapKind}, takesNil: true, run: fromPairs},
	}
}

func objectFunctions() map[string]*function {
	one := []kind{mapKind}
	each := func(item func(name string, v any) any) *function {
		return &function{params: one, result: Type{kind: listKind}, run: func(f *frame, _ *call, a []any) (any, error) {
			object := a[0].(map[string]any)
			items := make([]any, 0, len(object))
			for _, name := range slices.Sorted(maps.Keys(object)) {
				items = append(items, item(name, object[name]))
			}
			return items, f.spend(len(items))
		}}
	}
	return map[string]*function{
		"keys":    each(func(name string, _ any) any { return name }),
		"values":  each(func(_ string, v any) any { return v }),
		"toPairs": each(func(name string, v any) any { return []any{name, v} }),
	}
}

func take(_ *frame, c *call, a []any) (any, error) {
	n, err := wholeNumber(c.labels[1], a[1])
	if err == nil && n < 0 {
		err = failed(c.labels[1], " is below 0, and take needs a count")
	}
	if err != nil {
		return nil, err
	}
	items := a[0].([]any)
	n = min(n, len(items))
	return items[:n:n], nil
}

func uniq(f *frame, _ *call, a []any) (any, error) {
	kept := []any{}
next:
	for _, item := range a[0].([]any) {
		for _, old := range kept {
			same, err := equal(f, item, old)
			if err != nil {
				return nil, err
			}
			if same {
				continue next
			}
		}
		kept = append(kept, item)
	}
	return kept, nil
}

func flatten(f *frame, out, items []any) ([]any, error) {
	for _, item := range items {
		if err := f.spend(1); err != nil {
			return nil, err
		}
		if kindOf(item) != listKind {
			out = append(out, item)
			continue
		}
		var err error
		if out, err = flatten(f, out, asList(item)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func fromPairs(_ *frame, c *call, a []any) (any, error) {
	object := map[string]any{}
	for _, item := range a[0].([]any) {
		pair := asList(item)
		if len(pair) != 2 {
			return nil, failed("an item of ", c.labels[0], " is not a pair")
		}
		name, ok := pair[0].(string)
		if !ok {
			return nil, failed("the name in an item of ", c.labels[0], " is ", kindOf(pair[0]).String())
		}
		object[name] = pair[1]
	}
	return object, nil
}

func sortList(f *frame, c *call, a []any) (any, error) {
	var order any = "asc"
	if len(a) == 2 {
		order = a[1]
	}
	pairs := make([]any, len(a[0].([]any)))
	for i, item := range a[0].([]any) {
		pairs[i] = []any{item, item}
	}
	return sortPairs(f, c.labels[0], "an item of "+c.labels[0], pairs, order)
}

// sortPairs gives the second of each pair, in the order of the first; equal
// ones stay as they were.
func sortPairs(f *frame, list, key string, pairs, order any) (any, error) {
	if order != "asc" && order != "desc" {
		return nil, failed(`the order is "asc" or "desc"`)
	}
	sorted := slices.Clone(pairs.([]any))
	c := comparison{op: "sort", left: side{label: key}, right: side{label: "another one of " + list}}
	var problem error
	slices.SortStableFunc(sorted, func(x, y any) int {
		if problem != nil {
			return 0
		}
		a, b := x.([]any)[0], y.([]any)[0]
		n, err := c.sortable(f, a, b)
		problem = err
		if order == "desc" {
			return -n
		}
		return n
	})
	if problem != nil {
		return nil, problem
	}
	for i, pair := range sorted {
		sorted[i] = pair.([]any)[1]
	}
	return sorted, nil
}

// sortable orders two keys; nil comes first.
func (c *comparison) sortable(f *frame, a, b any) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	if problem := c.clash(kindOf(a), kindOf(b)); problem != "" {
		return 0, failed(problem)
	}
	if err := f.spend(1); err != nil {
		return 0, err
	}
	return c.order(f, kindOf(a), a, b)
}

// groupPairs collects the second of each pair under the text of the first.
func groupPairs(f *frame, key string, pairs any) (any, error) {
	groups := map[string]any{}
	for _, pair := range pairs.([]any) {
		name, err := f.text(key, pair.([]any)[0])
		if err != nil {
			return nil, err
		}
		group, _ := groups[name].([]any)
		groups[name] = append(group, pair.([]any)[1])
	}
	return groups, nil
}
