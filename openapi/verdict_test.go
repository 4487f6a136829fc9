package openapi_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

// checks is what a call's arguments are held against, as the gateway makes it.
func checks(d *openapi.Document, op *spec.Operation) *schema.Schema {
	o := d.Outline(op)
	return schema.Later(o.Names, o.Required, o.Closed, func() json.RawMessage { return d.Arguments(op) })
}

// operations are those of a document, by method and path.
func operations(d *openapi.Document) map[string]*spec.Operation {
	all := map[string]*spec.Operation{}
	for _, op := range d.Operations {
		all[op.Method+" "+op.Path] = op
	}
	return all
}

// TestSchemas compiles the schemas of the arguments of all operations of the real
// documents, finds nothing in them that leads outside, and their portable form to
// be what models are shown.
func TestSchemas(t *testing.T) {
	total := 0
	for _, name := range documents(t) {
		if left(t, name) {
			continue
		}
		d := load(t, name)
		for _, op := range d.Operations {
			total++
			if err := sound(t, d, op); err != nil {
				t.Errorf("%s: %s %s: %v", name, op.Method, op.Path, err)
			}
		}
	}
	if want := either(11439, 3201); total != want {
		t.Errorf("%d operations, want %d", total, want)
	}
}

// sound says what is wrong with the schemas of an operation.
func sound(t *testing.T, d *openapi.Document, op *spec.Operation) error {
	t.Helper()
	full := d.Arguments(op)
	var bad *schema.Error
	if err := checks(d, op).Validate(map[string]any{}); err != nil && !errors.As(err, &bad) {
		return err // the schema does not compile
	}
	if out := dangling(node(t, full)); len(out) > 0 {
		return errors.New("references lead outside: " + strings.Join(out, " "))
	}
	if _, err := schema.Portable(full); err != nil {
		return err
	}
	if _, err := schema.Compile(op.Shown); err != nil {
		return err
	}
	if out := dangling(node(t, op.Shown)); len(out) > 0 {
		return errors.New("references in what is shown lead outside: " + strings.Join(out, " "))
	}
	portable, err := schema.Portable(op.Shown)
	if err != nil {
		return err
	}
	if string(portable) != string(op.Shown) {
		return errors.New("what is shown is not portable")
	}
	return nil
}

// disagreement is a class of arguments on which we and a second validator do not agree.
type disagreement struct {
	name  string
	why   string
	is    func(ours error, theirs string) bool
	count int // in all documents
	small int // in those that are looked at under the race detector
}

// disagreements are all that there are, with sections of OpenAPI 3.1.1. Of the golden arguments an eighth breaks
// its own document, mostly with texts that do not have the format.
func disagreements() []disagreement {
	return []disagreement{
		{
			name: "undeclared placeholder",
			why: "the path has a placeholder that the document declares no parameter for: we add one, which is required " +
				"(Parameter Locations: each template expression corresponds to a path parameter)",
			is: func(ours error, theirs string) bool {
				return theirs == "" && strings.Contains(ours.Error(), "vendor_id: is required but missing")
			},
			count: 1, small: 0,
		},
		{
			name: "form of anything",
			why:  "a multipart body without a schema: only objects have parts (Media Type Object), so ours asks for one",
			is: func(ours error, theirs string) bool {
				return theirs == "" && ours.Error() == "body: must be an object, got text \"a b\""
			},
			count: 1, small: 1,
		},
		{
			name: "format that they do not check",
			why:  "we check the formats of JSON Schema, as ipv4, ipv6 and hostname, and the SDK's validator checks none",
			is: func(ours error, theirs string) bool {
				return theirs == "" && onlyFormats(ours)
			},
			count: 3, small: 1,
		},
		{
			name: "base64 of format byte",
			why: "they look whether the text is base64; for us it is contentEncoding, which is for the reader " +
				"(JSON Schema 2020-12 Validation section 8.2)",
			is: func(ours error, theirs string) bool {
				return ours == nil && strings.Contains(theirs, `doesn't match the format "byte"`)
			},
			count: 13, small: 4,
		},
	}
}

// onlyFormats reports whether all that is wrong is that texts do not have their
// format.
func onlyFormats(err error) bool {
	var wrong *schema.Error
	if !errors.As(err, &wrong) {
		return false
	}
	for _, problem := range wrong.Problems {
		if !strings.Contains(problem, "must be in the format") {
			return false
		}
	}
	return true
}

// TestVerdicts holds our verdict on the golden arguments against that of another
// validator with the schemas as the documents have them.
func TestVerdicts(t *testing.T) {
	accepted, refused := 0, 0
	classes := disagreements()
	counts := map[string]int{}
	for name, all := range goldens(t) {
		if left(t, name) {
			continue
		}
		d, other := load(t, name), second(t, name)
		ops := operations(d)
		for i := range all {
			g := &all[i]
			op := ops[g.Operation]
			if op == nil {
				t.Errorf("%s: there is no %s", name, g.Operation)
				continue
			}
			s := checks(d, op)
			ours := s.Validate(s.Cast(g.arguments(op)))
			theirs, err := other.judges(g)
			switch {
			case err != nil:
				t.Errorf("%s: %s: %v", name, g.Operation, err)
			case ours == nil && theirs == "":
				accepted++
			case ours != nil && theirs != "":
				refused++
			default:
				count(t, classes, counts, name+": "+g.Operation, ours, theirs)
			}
		}
	}
	t.Logf("both accept %d, both refuse %d, disagreements: %v", accepted, refused, counts)
	wantAccepted, wantRefused := either(9573, 2292), either(1088, 143)
	if accepted != wantAccepted || refused != wantRefused {
		t.Errorf("both accept %d and refuse %d, want %d and %d", accepted, refused, wantAccepted, wantRefused)
	}
	for _, c := range classes {
		if want := either(c.count, c.small); counts[c.name] != want {
			t.Errorf("%s: %d, want %d (%s)", c.name, counts[c.name], want, c.why)
		}
	}
}

// count puts a disagreement into its class.
func count(t *testing.T, classes []disagreement, counts map[string]int, where string, ours error, theirs string) {
	t.Helper()
	for _, c := range classes {
		if c.is(ours, theirs) {
			counts[c.name]++
			return
		}
	}
	t.Errorf("%s: a disagreement of no known class: ours %v, theirs %q", where, ours, theirs)
}
