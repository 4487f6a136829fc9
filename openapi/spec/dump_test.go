package spec_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// dumper writes what was read of a document for people to read. What is empty is
// left out.
type dumper struct{ strings.Builder }

func dump(doc *spec.Document) string {
	var d dumper
	d.line("OpenAPI %s", doc.OpenAPI)
	d.some("title", doc.Title)
	d.some("version", doc.Version)
	d.some("description", doc.Description)
	d.servers("", doc.Servers)
	for _, name := range slices.Sorted(maps.Keys(doc.Schemes)) {
		d.scheme(name, doc.Schemes[name])
	}
	for _, t := range doc.Tags {
		d.line("%s", strings.TrimSuffix("tag "+t.Name+": "+t.Description, ": "))
	}
	for _, op := range doc.Operations {
		d.operation(op)
	}
	d.findings("skipped", doc.Skipped)
	d.findings("warning", doc.Warnings)
	for _, key := range slices.Sorted(maps.Keys(doc.Inputs)) {
		d.line("input %s: %s", key, doc.Inputs[key])
	}
	for _, key := range slices.Sorted(maps.Keys(doc.Outputs)) {
		d.line("output %s: %s", key, doc.Outputs[key])
	}
	return d.String()
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *dumper) some(name, text string) {
	if text != "" {
		d.line("%s: %s", name, strings.ReplaceAll(text, "\n", "\\n"))
	}
}

func (d *dumper) servers(indent string, all []spec.Server) {
	for _, s := range all {
		d.line("%sserver %q", indent, s.URL)
		for _, name := range slices.Sorted(maps.Keys(s.Variables)) {
			d.line("%s  {%s} %q of %q", indent, name, s.Variables[name].Default, s.Variables[name].Enum)
		}
	}
}

func (d *dumper) scheme(name string, s spec.Scheme) {
	words := []string{s.Kind, s.In, s.Name, s.TokenURL}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	text := strings.Join(words, " ")
	if len(s.Scopes) > 0 {
		text += fmt.Sprintf(" scopes %q", s.Scopes)
	}
	d.line("scheme %s: %s", name, text)
}

func (d *dumper) operation(op *spec.Operation) {
	d.line("")
	d.line("%s %s at %s", op.Method, op.Path, op.Place)
	d.some("  id", op.ID)
	d.some("  summary", op.Summary)
	d.some("  description", op.Description)
	if len(op.Tags) > 0 {
		d.line("  tags: %q", op.Tags)
	}
	if op.Deprecated {
		d.line("  deprecated")
	}
	d.servers("  ", op.Servers)
	if op.Security != nil {
		d.line("  security: %s", security(op.Security))
	}
	for i := range op.Parameters {
		d.parameter(&op.Parameters[i])
	}
	if op.Body != nil {
		d.body(op.Body)
	}
	if len(op.Accept) > 0 {
		d.line("  accept: %s", strings.Join(op.Accept, ", "))
	}
	if op.Output != nil {
		d.line("  answers %s", op.Output)
	}
}

// security writes alternatives as "a + b(scope) or nothing".
func security(all [][]spec.Use) string {
	var alternatives []string
	for _, alternative := range all {
		var uses []string
		for _, u := range alternative {
			text := u.Scheme
			if len(u.Scopes) > 0 {
				text += "(" + strings.Join(u.Scopes, " ") + ")"
			}
			uses = append(uses, text)
		}
		if len(uses) == 0 {
			uses = []string{"nothing"}
		}
		alternatives = append(alternatives, strings.Join(uses, " + "))
	}
	return strings.Join(alternatives, " or ")
}

func (d *dumper) parameter(p *spec.Parameter) {
	words := []string{p.In, p.Name, p.Style}
	if p.Media != "" {
		words[2] = "as " + p.Media
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"explode", p.Explode}, {"reserved", p.AllowReserved}, {"required", p.Required}, {"deprecated", p.Deprecated}} {
		if flag.set {
			words = append(words, flag.name)
		}
	}
	d.line("  %s: %s", strings.Join(words, " "), p.Schema)
	d.some("    description", p.Description)
}

func (d *dumper) body(b *spec.Body) {
	need := ""
	if b.Required {
		need = " required"
	}
	d.line("  body %s %s%s: %s", b.Kind, b.Media, need, b.Schema)
	d.some("    description", b.Description)
	for _, name := range slices.Sorted(maps.Keys(b.Encodings)) {
		d.line("    encoding %s: %s", name, encoding(b.Encodings[name]))
	}
}

func encoding(e spec.Encoding) string {
	words := []string{e.Media, e.Style}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"explode", e.Explode}, {"reserved", e.AllowReserved}, {"binary", e.Binary}} {
		if flag.set {
			words = append(words, flag.name)
		}
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

func (d *dumper) findings(kind string, all []spec.Finding) {
	for i, f := range all {
		if i == 0 {
			d.line("")
		}
		about := ""
		if f.Operation != "" {
			about = " (" + f.Operation + ")"
		}
		d.line("%s %s %s%s: %s", kind, f.Place, f.Code, about, f.Text)
	}
}
