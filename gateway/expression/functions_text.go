package expression

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// functions is every function that is no loop. Those of expr-lang that are
// missing here depend on the clock or the bits of a number.
var functions = sync.OnceValue(func() map[string]*function {
	all := map[string]*function{}
	for _, group := range []map[string]*function{anyFunctions(), textFunctions(), numberFunctions(), listFunctions(), objectFunctions()} {
		maps.Copy(all, group)
	}
	return all
})

func anyFunctions() map[string]*function {
	one := []kind{anyKind}
	return map[string]*function{
		"len": {params: one, result: Int, takesNil: true, run: length},
		"type": {params: one, result: String, takesNil: true, run: func(_ *frame, _ *call, args []any) (any, error) {
			return typeName(args[0]), nil
		}},
		"string": {params: one, result: String, run: func(f *frame, c *call, args []any) (any, error) {
			return f.text(c.labels[0], args[0])
		}},
		"int": {params: one, result: Int, run: toInt}, "float": {params: one, result: Int, run: toFloat},
		"toJSON": {params: one, result: String, takesNil: true, run: func(f *frame, c *call, args []any) (any, error) {
			if err := f.weigh(args[0], 0); err != nil {
				return nil, err
			}
			data, err := encode(args[0])
			if err != nil {
				return nil, c.failed(" has no form as JSON")
			}
			return string(data), nil
		}},
		"get": {params: []kind{anyKind, anyKind}, run: func(_ *frame, c *call, args []any) (any, error) {
			return index(c.labels[0], c.label, args[0], args[1])
		}},
	}
}

func length(_ *frame, c *call, args []any) (any, error) {
	switch v := args[0].(type) {
	case nil:
		return 0, nil
	case string:
		return utf8.RuneCountInString(v), nil
	case []any:
		return len(v), nil
	case []string:
		return len(v), nil
	case map[string]any:
		return len(v), nil
	}
	return nil, failed(c.labels[0], " is ", kindOf(args[0]).String(), " and has no length")
}

// typeName is the name that expr-lang documents.
func typeName(v any) string {
	switch kindOf(v) {
	case nilKind:
		return "nil"
	case boolKind:
		return "bool"
	case textKind:
		return "string"
	case listKind:
		return "array"
	case mapKind:
		return "map"
	case numberKind:
		if n, _ := numberOf(v); n.isFloat || n.point {
			return "float"
		}
		return "int"
	}
	return "unknown"
}

// texts is a function of texts that gives text.
func texts(params, optional int, run func(args []string) string) *function {
	return &function{params: slices.Repeat([]kind{textKind}, params), optional: optional, result: String, run: func(f *frame, _ *call, args []any) (any, error) {
		out := run(asTexts(args))
		return out, f.spendText(len(out))
	}}
}

func asTexts(args []any) []string {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = arg.(string)
	}
	return texts
}

func textFunctions() map[string]*function {
	two, any2 := []kind{textKind, textKind}, []kind{textKind, textKind, numberKind}
	return map[string]*function{
		"upper":      texts(1, 0, func(a []string) string { return strings.ToUpper(a[0]) }),
		"lower":      texts(1, 0, func(a []string) string { return strings.ToLower(a[0]) }),
		"trim":       texts(2, 1, trim),
		"trimPrefix": texts(2, 0, func(a []string) string { return strings.TrimPrefix(a[0], a[1]) }),
		"trimSuffix": texts(2, 0, func(a []string) string { return strings.TrimSuffix(a[0], a[1]) }),
		"replace":    {params: []kind{textKind, textKind, textKind}, result: String, run: replace},
		"repeat":     {params: []kind{textKind, numberKind}, result: String, run: repeat},
		"split":      {params: any2, optional: 1, result: Strings, run: split},
		"join":       {params: []kind{listKind, textKind}, optional: 1, result: String, takesNil: true, run: join},
		"indexOf": {params: two, result: Int, run: func(_ *frame, _ *call, a []any) (any, error) {
			return characters(a[0].(string), strings.Index(a[0].(string), a[1].(string))), nil
		}},
		"lastIndexOf": {params: two, result: Int, run: func(_ *frame, _ *call, a []any) (any, error) {
			return characters(a[0].(string), strings.LastIndex(a[0].(string), a[1].(string))), nil
		}},
		"hasPrefix": {params: two, result: Bool, run: func(_ *frame, _ *call, a []any) (any, error) {
			return strings.HasPrefix(a[0].(string), a[1].(string)), nil
		}},
		"hasSuffix": {params: two, result: Bool, run: func(_ *frame, _ *call, a []any) (any, error) {
			return strings.HasSuffix(a[0].(string), a[1].(string)), nil
		}},
		"toBase64":   texts(1, 0, func(a []string) string { return base64.StdEncoding.EncodeToString([]byte(a[0])) }),
		"fromBase64": {params: []kind{textKind}, result: String, run: fromBase64},
		"fromJSON": {params: []kind{textKind}, run: func(f *frame, c *call, a []any) (any, error) {
			v, err := decode(a[0].(string))
			if err != nil {
				return nil, failed(c.labels[0], " is not JSON")
			}
			return v, f.spendText(8 * len(a[0].(string)))
		}},
	}
}

func trim(a []string) string {
	if len(a) == 2 {
		return strings.Trim(a[0], a[1])
	}
	return strings.TrimSpace(a[0])
}

// characters turns an index in bytes into one in characters; -1 stays.
func characters(s string, i int) int {
	if i < 0 {
		return i
	}
	return utf8.RuneCountInString(s[:i])
}

func fromBase64(_ *frame, c *call, a []any) (any, error) {
	data, err := base64.StdEncoding.DecodeString(a[0].(string))
	if err != nil || !utf8.Valid(data) {
		return nil, failed(c.labels[0], " is not text in base64")
	}
	return string(data), nil
}

// replace pays for its result before it makes it.
func replace(f *frame, _ *call, a []any) (any, error) {
	s, old, by := a[0].(string), a[1].(string), a[2].(string)
	if err := f.spendText(len(s) + strings.Count(s, old)*len(by)); err != nil {
		return nil, err
	}
	return strings.ReplaceAll(s, old, by), nil
}

func repeat(f *frame, c *call, a []any) (any, error) {
	s := a[0].(string)
	n, err := wholeNumber(c.labels[1], a[1])
	switch {
	case err != nil:
		return nil, err
	case n < 0:
		return nil, failed(c.labels[1], " is below 0, and repeat needs a count")
	case n > maxWork:
		return nil, f.spend(maxWork + 1)
	}
	if err := f.spendText(len(s) * n); err != nil {
		return nil, err
	}
	return strings.Repeat(s, n), nil
}

func split(f *frame, c *call, a []any) (any, error) {
	s, n := a[0].(string), -1
	if len(a) == 3 {
		var err error
		if n, err = wholeNumber(c.labels[2], a[2]); err != nil {
			return nil, err
		}
	}
	if err := f.spend(strings.Count(s, a[1].(string))); err != nil {
		return nil, err
	}
	return strings.SplitN(s, a[1].(string), n), nil
}

func join(f *frame, c *call, a []any) (any, error) {
	items, sep, size := a[0].([]any), "", 0
	if len(a) == 2 {
		sep = a[1].(string)
	}
	parts := make([]string, len(items))
	for i, item := range items {
		var err error
		if parts[i], err = f.text("an item of "+c.labels[0], item); err != nil {
			return nil, err
		}
		size += len(parts[i]) + len(sep)
	}
	if err := f.spendText(size); err != nil {
		return nil, err
	}
	return strings.Join(parts, sep), nil
}
