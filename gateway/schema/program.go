package schema

import (
	"errors"
	"fmt"
	"time"

	js "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// base is the address that a schema's own references are relative to. Its
// scheme is nobody's, so that nothing could load it.
const base = "schema:///arguments"

// loader gives the documents behind remote references; nil refuses them all.
type loader func(url string) (any, error)

// Load makes loader a js.URLLoader.
func (l loader) Load(url string) (any, error) {
	if l == nil {
		return nil, errors.New("references to other documents are not followed")
	}
	return l(url)
}

// program is one compiled copy of a schema with the budget of its current use.
// It serves one use at a time: the validator tells its hooks nothing about the
// call they belong to, so the budget belongs to the copy.
type program struct {
	root   *js.Schema
	budget *budget
}

// budget bounds the work of one use of a program.
type budget struct {
	steps   int
	pattern time.Duration
}

// exhausted is what a budget panics with; the validator knows no other way to
// be stopped.
type exhausted struct{}

func (b *budget) reset() { b.steps, b.pattern = maxSteps, maxPatternTime }

func (b *budget) step() {
	if b.steps--; b.steps < 0 {
		panic(exhausted{})
	}
}

// Validate counts one subschema; it makes budget a js.SchemaExt.
func (b *budget) Validate(*js.ValidatorContext, any) { b.step() }

// build compiles a decoded schema. The validator panics on some documents, so
// that is an error here.
func build(doc any, remote loader) (p *program, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("the schema compiler failed: %v", r)
		}
	}()
	b := &budget{}
	b.reset()
	c := js.NewCompiler()
	c.DefaultDraft(js.Draft2020)
	c.AssertFormat()
	c.UseLoader(remote)
	c.UseRegexpEngine(b.compilePattern)
	if err := c.AddResource(base, doc); err != nil {
		return nil, err
	}
	root, err := c.Compile(base)
	if err != nil {
		return nil, err
	}
	meter(root, b, map[*js.Schema]bool{})
	return &program{root: root, budget: b}, nil
}

// meter makes every schema that root reaches count against the budget.
func meter(s *js.Schema, b *budget, seen map[*js.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	s.Extensions = append(s.Extensions, b)
	for _, child := range children(s) {
		meter(child, b, seen)
	}
	if s.PropertyNames != nil {
		s.Extensions = append(s.Extensions, nameCheck{s.PropertyNames})
		s.PropertyNames = nil
	}
}

// nameCheck does the work of the keyword propertyNames. The validator's own
// does not copy the path it reports, so that later steps overwrite it.
type nameCheck struct{ names *js.Schema }

// Validate checks the names of an object; it makes nameCheck a js.SchemaExt.
func (c nameCheck) Validate(ctx *js.ValidatorContext, v any) {
	obj, _ := v.(map[string]any)
	for name := range obj {
		if bad, ok := errors.AsType[*js.ValidationError](c.names.Validate(name)); ok {
			ctx.AddErrors(bad.Causes, &kind.PropertyNames{Property: name})
		}
	}
}

// children lists the subschemas and references of s; some may be nil.
func children(s *js.Schema) []*js.Schema {
	out := []*js.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}
	if s.DynamicRef != nil {
		out = append(out, s.DynamicRef.Ref)
	}
	for _, list := range [][]*js.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		out = append(out, list...)
	}
	for _, v := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch v := v.(type) {
		case *js.Schema:
			out = append(out, v)
		case []*js.Schema:
			out = append(out, v...)
		}
	}
	return append(out, named(s)...)
}

func named(s *js.Schema) []*js.Schema {
	var out []*js.Schema
	for _, sub := range s.Properties {
		out = append(out, sub)
	}
	for _, sub := range s.PatternProperties {
		out = append(out, sub)
	}
	for _, sub := range s.DependentSchemas {
		out = append(out, sub)
	}
	for _, dep := range s.Dependencies {
		if sub, ok := dep.(*js.Schema); ok {
			out = append(out, sub)
		}
	}
	return out
}

// errTooComplex is the end of a use whose budget ran out.
var errTooComplex = errors.New("the budget of one check is used up")

// guard runs f and turns a panic below it into an error: errTooComplex when
// the budget ran out, else a fault of the validator.
func guard(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exhausted:
			err = errTooComplex
		default:
			err = fmt.Errorf("schema: the validator failed: %v", r)
		}
	}()
	return f()
}

// fits reports whether v is valid against one subschema.
func (p *program) fits(sub *js.Schema, v any) bool { return sub.Validate(v) == nil }

// pool keeps compiled copies for concurrent use.
type pool struct {
	doc    any
	remote loader
	idle   chan *program
}

func newPool(doc any, remote loader, first *program) *pool {
	p := &pool{doc: doc, remote: remote, idle: make(chan *program, maxIdle)}
	p.idle <- first
	return p
}

// use lends f a program with a full budget and passes on its error.
func (p *pool) use(f func(*program) error) error {
	var prog *program
	select {
	case prog = <-p.idle:
	default:
		var err error
		if prog, err = build(p.doc, p.remote); err != nil {
			return fmt.Errorf("schema: compile another copy: %w", err)
		}
	}
	prog.budget.reset()
	err := guard(func() error { return f(prog) })
	select {
	case p.idle <- prog:
	default:
	}
	return err
}
