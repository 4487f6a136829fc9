package result

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"strconv"

	"github.com/toolgate/toolgate/gateway/tool"
)

// request is what one call of read_result asks for.
type request struct {
	handle  string
	offset  int64 // bytes, within what the path selects
	limit   int   // characters
	most    int   // bytes
	path    []step
	pattern *regexp.Regexp // nil for a page
	context int
}

// newRequest reads the arguments, which fit the schema, and the limits of the
// run.
func newRequest(in tool.Input) (*request, error) {
	q := &request{most: math.MaxInt}
	if in.Spec.MaxOutput > 0 {
		q.most = int(min(in.Spec.MaxOutput, math.MaxInt))
	}
	size := in.Spec.MaxResultSize
	if size <= 0 {
		size = tool.DefaultMaxResultSize
	}
	fits := int64(max(size-headerRoom, minLimit))
	a := arguments{args: in.Args}
	q.handle = a.text("handle")
	q.offset = a.number("offset", 0, math.MaxInt64, 0)
	q.limit = int(min(a.number("limit", 1, math.MaxInt64, fits), fits))
	q.context = int(a.number("context", 0, maxContext, 0))
	ignoreCase, _ := in.Args["ignore_case"].(bool)
	path, pattern := a.text("path"), a.text("grep")
	if a.err != nil {
		return nil, a.err
	}
	var err error
	if q.path, err = parsePath(path); err != nil {
		return nil, err
	}
	if pattern != "" {
		q.pattern, err = compile(pattern, ignoreCase)
	}
	return q, err
}

// arguments reads arguments one by one and remembers the first mistake.
type arguments struct {
	args map[string]any
	err  error
}

// text is a text, or empty when it was not sent.
func (a *arguments) text(name string) string {
	v, sent := a.args[name]
	s, ok := v.(string)
	if sent && v != nil && !ok && a.err == nil {
		a.err = tool.Errorf(tool.InvalidArgs, "%s must be a text", name)
	}
	return s
}

// number is a whole number within bounds, or the default when it was not sent.
func (a *arguments) number(name string, least, most, otherwise int64) int64 {
	v, sent := a.args[name]
	if !sent || v == nil {
		return otherwise
	}
	n, ok := whole64(v)
	if (!ok || n < least || n > most) && a.err == nil {
		a.err = tool.Errorf(tool.InvalidArgs, "%s must be a whole number from %d to %d", name, least, most)
	}
	return n
}

// whole64 is a JSON number that is whole, however it is spelled: 20, 20.0, 2e1.
func whole64(v any) (int64, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := number.Int64()
	if err == nil {
		return n, true
	}
	const exact = 1 << 53 // float64 holds every whole number up to here
	f, err := strconv.ParseFloat(number.String(), 64)
	return int64(cmp.Or(f, 0)), err == nil && f == math.Trunc(f) && math.Abs(f) <= exact
}
