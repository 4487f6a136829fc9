package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Difference is one thing that is not as a test says.
type Difference struct {
	Field string // such as request.url
	Want  string // may have several lines
	Got   string
}

// decode reads one JSON value with every digit of its numbers.
func decode(data []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

// equal compares JSON values; numbers by what they are, whatever their digits.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			other, there := b[key]
			if !there || !equal(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumbers(string(a), string(b))
	}
	return a == b
}

// equalNumbers compares decimal numbers without working them out: an exponent may be
// of any size.
func equalNumbers(a, b string) bool {
	signA, digitsA, expA := number(a)
	signB, digitsB, expB := number(b)
	return digitsA == digitsB && (digitsA == "" || signA == signB && expA.Cmp(expB) == 0)
}

// number takes a JSON number apart: its value is 0.digits, by ten to the power of exp.
// The digits have no zero at either end; those of 0 are empty.
func number(text string) (negative bool, digits string, exp *big.Int) {
	text, negative = strings.CutPrefix(text, "-")
	exp = new(big.Int)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exp.SetString(strings.TrimPrefix(text[i+1:], "+"), 10)
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	gone := len(whole) + len(fraction) - len(digits)
	exp.Add(exp, big.NewInt(int64(len(whole)-gone)))
	return negative, strings.TrimRight(digits, "0"), exp
}

// pretty writes a JSON value over several lines, its members by name; a short one
// stands on one line.
func pretty(v any) string {
	short, err := tool.EncodeJSON(v)
	if err != nil {
		return fmt.Sprint(v) // what was decoded always encodes
	}
	if len(short) <= shortValue {
		return string(short)
	}
	var b bytes.Buffer
	_ = json.Indent(&b, short, "", "  ")
	return b.String()
}

// shortValue is how many bytes of JSON stand on one line.
const shortValue = 60

// values compares JSON values under a field.
func values(field string, want, got any) []Difference {
	if equal(want, got) {
		return nil
	}
	return []Difference{{field, pretty(want), pretty(got)}}
}

// texts compares texts under a field.
func texts(field, want, got string) []Difference {
	if want == got {
		return nil
	}
	return []Difference{{field, want, got}}
}

// outcome is how a call ended.
type outcome struct {
	output tool.Output
	err    error
}

// String is the outcome for a reader.
func (o *outcome) String() string {
	if o.err != nil {
		e := tool.AsError(o.err)
		text := string(e.Code) + ": " + strings.TrimPrefix(told(e), "Error: ")
		if e.Cause != nil {
			text += "\n(" + e.Cause.Error() + ")"
		}
		return text
	}
	if v, ok := decode(o.output.Structured); ok {
		return pretty(v)
	}
	return o.output.Text()
}

// expected is what has to come of a call.
type expected struct {
	result, content json.RawMessage
	failure         *FailureConfig
}

// compare says how an outcome differs.
func (w *expected) compare(o *outcome) []Difference {
	switch {
	case w.failure != nil:
		return w.failure.compare(o)
	case w.result == nil && w.content == nil:
		return nil
	case o.err != nil:
		return []Difference{{w.field(), w.String(), o.String()}}
	case w.content != nil:
		return w.blocks(o)
	}
	want, _ := decode(w.result)
	if text, ok := want.(string); ok {
		return texts("result", text, o.output.Text())
	}
	got, ok := decode(o.output.Structured)
	if !ok {
		got, ok = decode([]byte(o.output.Text()))
	}
	if !ok {
		return []Difference{{"result", pretty(want), o.output.Text()}}
	}
	return values("result", want, got)
}

func (w *expected) field() string {
	if w.content != nil {
		return "content"
	}
	return "result"
}

// String is what is expected for a reader.
func (w *expected) String() string {
	v, _ := decode(append(slices.Clip(w.result), w.content...)) // one of them is nil
	if text, ok := v.(string); ok {
		return text
	}
	return pretty(v)
}

func (w *expected) blocks(o *outcome) []Difference {
	want, _ := decode(w.content)
	content := o.output.Content
	if content == nil {
		content = []tool.Content{}
	}
	data, err := tool.EncodeJSON(content)
	if err != nil {
		return []Difference{{"content", pretty(want), err.Error()}}
	}
	got, _ := decode(data)
	return values("content", want, got)
}

// compare says how an outcome is not this failure.
func (f *FailureConfig) compare(o *outcome) []Difference {
	if o.err == nil {
		return []Difference{{"error", f.String(), "no failure, but " + o.String()}}
	}
	e := tool.AsError(o.err)
	if f.Type != "" && f.Type != string(e.Code) || !says(e, f.Message) {
		return []Difference{{"error", f.String(), o.String()}}
	}
	return nil
}

// String is the failure for a reader.
func (f *FailureConfig) String() string {
	return strings.Trim(f.Type+": "+f.Message, ": ")
}

// says reports whether a text stands in what a model reads of a failure; * stands for
// any text.
func says(e *tool.Error, text string) bool {
	return tool.Glob("*" + text + "*").Match(told(e))
}

// told is what a model reads of a failure.
func told(e *tool.Error) string {
	answer := e.Answer()
	return answer.Text()
}
