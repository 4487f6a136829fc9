package schema

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	js "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolgate/toolgate/gateway/diag"
)

// worder turns the validator's findings into problems. The validator's own
// texts are not used: they round numbers and speak of keywords.
type worder struct {
	value  any      // what was checked
	doc    any      // the schema it was checked against; nil for a metaschema
	names  []string // the top-level properties
	failed error
}

// problems words one finding and everything below it.
func (w *worder) problems(e *js.ValidationError) []problem {
	at := locate(e.InstanceLocation, w.value)
	v := at.lookup(w.value)
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		return w.all(e.Causes)
	case *kind.AnyOf:
		return w.union(e, at, v)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return w.union(e, at, v)
		}
	case *kind.PropertyNames:
		return w.propertyName(e, k, at)
	case *kind.Required:
		return missing(at, k.Missing, "is required but missing")
	case *kind.Dependency:
		return missing(at, k.Missing, "is required when "+at.with(k.Prop).String()+" is given")
	case *kind.DependentRequired:
		return missing(at, k.Missing, "is required when "+at.with(k.Prop).String()+" is given")
	case *kind.AdditionalProperties:
		return w.unknown(e, at, k.Properties)
	case *kind.FalseSchema:
		return w.forbidden(e, at)
	case *kind.Type:
		return []problem{typeProblem(at, k.Want, v)}
	case *kind.Enum:
		return []problem{valueProblem(at, k.Want, v)}
	case *kind.Const:
		return []problem{valueProblem(at, []any{k.Want}, v)}
	}
	return w.plain(e, at, v)
}

func (w *worder) all(causes []*js.ValidationError) []problem {
	var out []problem
	for _, cause := range causes {
		out = append(out, w.problems(cause)...)
	}
	return out
}

// plain words a finding that is one problem at its own place.
func (w *worder) plain(e *js.ValidationError, at location, v any) []problem {
	text := w.amount(e, v)
	if text == "" {
		text = w.shape(e, v)
	}
	if text == "" {
		w.failed = fmt.Errorf("schema: the validator reported %T at %s", e.ErrorKind, at)
		return nil
	}
	return []problem{{at: at, text: text}}
}

// amount words the keywords that compare numbers, lengths and counts.
func (w *worder) amount(e *js.ValidationError, v any) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Minimum:
		return "must be at least " + w.limit(e, "minimum", k.Want) + ", got " + show(v)
	case *kind.Maximum:
		return "must be at most " + w.limit(e, "maximum", k.Want) + ", got " + show(v)
	case *kind.ExclusiveMinimum:
		return "must be more than " + w.limit(e, "exclusiveMinimum", k.Want) + ", got " + show(v)
	case *kind.ExclusiveMaximum:
		return "must be less than " + w.limit(e, "exclusiveMaximum", k.Want) + ", got " + show(v)
	case *kind.MultipleOf:
		return "must be a multiple of " + w.limit(e, "multipleOf", k.Want) + ", got " + show(v)
	case *kind.MinLength:
		return fmt.Sprintf("must be at least %s long, got %d", counted(k.Want, "character", "characters"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must be at most %s long, got %d", counted(k.Want, "character", "characters"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, got %d", counted(k.Want, "item", "items"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, got %d", counted(k.Want, "item", "items"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, got %d", counted(k.Want, "member", "members"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, got %d", counted(k.Want, "member", "members"), k.Got)
	}
	return ""
}

// limit writes the number of a keyword as the schema has it. The exclusive
// limits of draft 4 are flags beside the number.
func (w *worder) limit(e *js.ValidationError, name string, want *big.Rat) string {
	declared := keyword(w.doc, e.SchemaURL, name)
	if typeName(declared) == "number" {
		return show(declared)
	}
	digits, _ := want.FloatPrec()
	return shorten(want.FloatString(digits))
}

// shape words the rest.
func (w *worder) shape(e *js.ValidationError, v any) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Pattern:
		return "must match the pattern " + shorten(k.Want) + ", got " + got(v)
	case *kind.Format:
		return formatText(k.Want) + ", got " + got(v)
	case *kind.UniqueItems:
		return fmt.Sprintf("has equal items at [%d] and [%d]; each item may be listed once", k.Duplicates[0], k.Duplicates[1])
	case *kind.AdditionalItems:
		return "has " + counted(k.Count, "item", "items") + " too many"
	case *kind.OneOf:
		return fmt.Sprintf("fits forms %d and %d of the schema's alternatives at once; give what only one of them takes", k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.Not:
		return "is ruled out: it must not fit " + w.described(e, "not")
	case *kind.Contains:
		return "must have an item fitting " + w.described(e, "contains")
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %s fitting %s, got %d", counted(k.Want, "item", "items"), w.described(e, "contains"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("must have at most %s fitting %s, got %d", counted(k.Want, "item", "items"), w.described(e, "contains"), len(k.Got))
	}
	return ""
}

// described shows the schema under a keyword, which no sentence says better.
func (w *worder) described(e *js.ValidationError, name string) string {
	sub := keyword(w.doc, e.SchemaURL, name)
	if sub == nil {
		return "the schema under " + name
	}
	return compact(sub)
}

func missing(at location, names []string, text string) []problem {
	out := make([]problem, len(names))
	for i, n := range names {
		out[i] = problem{at: at.with(n), text: text}
	}
	return out
}

// unknown words members that a closed object does not take.
func (w *worder) unknown(e *js.ValidationError, at location, names []string) []problem {
	known := sync.OnceValue(func() []string {
		declared, _ := keyword(w.doc, e.SchemaURL, "properties").(map[string]any)
		return slices.Sorted(maps.Keys(declared))
	})
	out := make([]problem, len(names))
	for i, n := range names {
		out[i] = problem{at: at.with(n), late: func() (string, string) { return unknownArgument, nameHint(n, known()) }}
	}
	return out
}

const unknownArgument = "unknown argument"

// nameHint names the argument that was meant, else the ones there are.
func nameHint(name string, known []string) string {
	if hint := meant(name, known); hint != "" {
		return hint
	}
	if len(known) == 0 {
		return ""
	}
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = shorten(k)
	}
	return "known: " + listed(words)
}

// meant asks whether another word was meant, for words of ordinary length.
func meant(word string, candidates []string) string {
	if len(word) > maxMeant {
		return ""
	}
	return diag.DidYouMean(word, candidates)
}

// forbidden words a value where the schema is false.
func (w *worder) forbidden(e *js.ValidationError, at location) []problem {
	p := problem{at: at, text: "is not allowed here"}
	path, _ := tokens(e.SchemaURL)
	last := ""
	if len(path) > 0 {
		last = path[len(path)-1]
	}
	switch {
	case len(path) > 1 && path[len(path)-2] == "properties":
	case len(at) > 0 && (last == "unevaluatedProperties" || last == "additionalProperties"):
		p.text = unknownArgument
		if name, ok := at[0].(string); ok && len(at) == 1 {
			p.late = func() (string, string) { return unknownArgument, nameHint(name, w.names) }
		}
	case last == "items", last == "unevaluatedItems", last == "additionalItems":
		p.text = "is one item too many"
	}
	return []problem{p}
}

// propertyName words a key that is not allowed; below it the validator took
// the key for the value.
func (w *worder) propertyName(e *js.ValidationError, k *kind.PropertyNames, at location) []problem {
	inner := worder{value: k.Property, doc: w.doc}
	var texts []string
	for _, p := range inner.all(e.Causes) {
		texts = append(texts, p.worded().text)
	}
	if w.failed == nil {
		w.failed = inner.failed
	}
	if w.doc == nil {
		return []problem{{at: findKey(w.value, k.Property, nil).with(k.Property), text: patternText(k.Property)}}
	}
	return []problem{{at: at.with(k.Property), text: "is not an allowed name: it " + strings.Join(texts, "; it ")}}
}

func typeProblem(at location, want []string, v any) problem {
	var words []string
	for _, t := range want {
		if t != "null" {
			words = append(words, typeWord(t))
		}
	}
	if slices.Contains(want, "null") {
		words = append(words, "null")
	}
	return problem{at: at, text: "must be " + either(words) + ", got " + got(v), types: want}
}

func valueProblem(at location, want []any, v any) problem {
	return problem{at: at, values: want, late: func() (string, string) { return valueWords(want, v) }}
}

func valueWords(want []any, v any) (text, hint string) {
	if len(want) == 1 {
		return "must be " + compact(want[0]) + ", got " + show(v), ""
	}
	words := make([]string, len(want))
	var texts []string
	for i, value := range want {
		words[i] = compact(value)
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
	}
	if text, ok := v.(string); ok {
		hint = meant(text, texts)
	}
	return "must be one of " + listed(words) + ", got " + show(v), hint
}

// formatText says what a format asks for, with an example where that helps.
func formatText(name string) string {
	examples := map[string]string{
		"date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "duration": "P1DT2H",
		"email": "ann@example.org", "uri": "https://example.org/a", "uuid": "123e4567-e89b-12d3-a456-426614174000",
		"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "hostname": "www.example.org", "json-pointer": "/a/0",
	}
	if example := examples[name]; example != "" {
		return "must be in the format " + name + " such as " + example
	}
	return "must be in the format " + name
}
