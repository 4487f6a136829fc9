package schema

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	js "github.com/santhosh-tekuri/jsonschema/v6"
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
	clock   int // steps until the next look at the clock
	until   time.Time
	pattern time.Duration
	faults  int // bytes that the validator may still keep for what it found wrong
}

// exhausted is what a budget panics with; the validator knows no other way to
// be stopped.
type exhausted struct{}

func (b *budget) reset() {
	*b = budget{steps: maxSteps, clock: stepsPerClock, until: time.Now().Add(maxCheckTime), pattern: maxPatternTime, faults: maxFaults}
}

func (b *budget) step() { b.spend(1) }

func (b *budget) spend(steps int) {
	b.steps -= steps
	if b.clock -= steps; b.clock <= 0 {
		b.clock = stepsPerClock
		if time.Now().After(b.until) {
			panic(exhausted{})
		}
	}
	if b.steps < 0 {
		panic(exhausted{})
	}
}

// hold spends for faults that the validator keeps until it is done. A union
// keeps those of every branch, so that they can grow exponentially.
func (b *budget) hold(faults, depth int) {
	if b.faults -= faults * (faultSize + depth*stepSize); b.faults < 0 {
		panic(exhausted{})
	}
}

// charge is what one look at a subschema costs: a step, and one for every
// branch, which may have failed too early to be counted itself.
type charge struct {
	budget *budget
	steps  int
}

// Validate counts; it makes charge a js.SchemaExt.
func (c charge) Validate(ctx *js.ValidatorContext, _ any) {
	c.budget.spend(c.steps)
	if found := faults(ctx); found > 0 {
		c.budget.hold(found*c.steps, len(ctx.ValueLocation()))
	}
}

// faults is how many faults of one value under one schema the validator has
// found so far. It offers them to nobody, so they are counted where it keeps
// them; TestFaultsAreCounted fails when a later version keeps them elsewhere.
func faults(ctx *js.ValidatorContext) int {
	return reflect.ValueOf(ctx).Elem().FieldByIndex(keptFaults).Len()
}

// keptFaults is the way from a js.ValidatorContext to its faults. Found once,
// because a check asks a million times.
var keptFaults = func() []int {
	validator, ok := reflect.TypeFor[js.ValidatorContext]().FieldByName("vd")
	if !ok {
		panic("schema: the validator keeps its state elsewhere")
	}
	faults, ok := validator.Type.Elem().FieldByName("errors")
	if !ok {
		panic("schema: the validator keeps its faults elsewhere")
	}
	return append(validator.Index, faults.Index...)
}()

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
	for _, sub := range reachable(root) {
		meter(sub, b)
	}
	return &program{root: root, budget: b}, nil
}

// reachable lists root and every schema under it, each once.
func reachable(root *js.Schema) []*js.Schema {
	list, seen := []*js.Schema{root}, map[*js.Schema]bool{root: true}
	for i := 0; i < len(list); i++ {
		for _, child := range children(list[i]) {
			if child != nil && !seen[child] {
				seen[child] = true
				list = append(list, child)
			}
		}
	}
	return list
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
	broken error // why there can be no copies; nil where there can
}

func newPool(doc any, remote loader) *pool {
	return &pool{doc: doc, remote: remote, idle: make(chan *program, maxIdle)}
}

// use lends f a program with a full budget and passes on its error.
func (p *pool) use(f func(*program) error) error {
	if p.broken != nil {
		return p.broken
	}
	var prog *program
	select {
	case prog = <-p.idle:
	default:
		var err error
		if prog, err = build(p.doc, p.remote); err != nil {
			return fmt.Errorf("schema: compile a copy: %w", err)
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
