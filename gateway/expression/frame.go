package expression

import (
	"errors"
	"sync"

	"github.com/expr-lang/expr/vm"
)

// maxWork is what one run of an expression may do: each item that a list
// function visits, and each few bytes that a text operator reads or makes,
// counts one. It bounds a run to about a tenth of a second.
const maxWork = 1_000_000

const (
	// workBytes is how many bytes of text count as one step.
	workBytes = 64
	// loopWork is the cost of starting a list function.
	loopWork = 16
	// maxDepth is how deeply lists and objects may be nested in a value that is
	// written as JSON; encoding/json reads no deeper ones either.
	maxDepth = 10_000
	// maxKept is the largest stack, in values, that is kept for later runs.
	maxKept = 1024
)

// frame is one run: what the virtual machine has as its environment.
type frame struct {
	values  map[string]any
	numbers *numbers
	left    int // work that may still be done
}

// spend takes work off the budget.
func (f *frame) spend(work int) error {
	if f.left -= work; f.left < 0 {
		return failed("the expression takes too much work on values of this size")
	}
	return nil
}

// spendText spends for reading or making texts of so many bytes.
func (f *frame) spendText(bytes int) error { return f.spend(1 + bytes/workBytes) }

// weigh spends for every part of a value. A value that was put together in an
// expression can hold one part many times over, so that it is small in memory
// and endless when written.
func (f *frame) weigh(v any, depth int) error {
	if depth > maxDepth {
		return failed("a value is nested more than 10000 deep")
	}
	switch v := v.(type) {
	case string:
		return f.spendText(len(v))
	case []any:
		for _, item := range v {
			if err := f.weigh(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, item := range v {
			if err := f.weigh(item, depth+1); err != nil {
				return err
			}
		}
	}
	return f.spend(1)
}

// machine is a frame with the virtual machine that works on it.
type machine struct {
	vm    vm.VM
	frame frame
}

var machines = sync.Pool{New: func() any { return new(machine) }}

// run gives the program's value. No panic leaves it: one is a fault of this
// package or of the virtual machine, and reads as an error.
func (p *Program) run(vars *Vars) (result any, err error) {
	m := machines.Get().(*machine)
	m.frame = frame{values: vars.values, numbers: &vars.numbers, left: maxWork}
	defer func() {
		if recover() != nil {
			result, err = nil, failed(notEvaluated)
			return
		}
		m.forget()
		if !p.nested && cap(m.vm.Stack) <= maxKept { // a loop in a loop leaves much behind too
			machines.Put(m)
		}
	}()
	if p.direct != nil {
		return p.direct(&m.frame, nil)
	}
	result, err = m.vm.Run(p.code, &m.frame)
	if err == nil {
		m.frame.left = maxWork
		if err := m.frame.weigh(result, 0); err != nil {
			return nil, err
		}
		return result, nil
	}
	if known, ok := errors.AsType[*EvalError](err); ok {
		return nil, known
	}
	return nil, failed(notEvaluated)
}

const notEvaluated = "the expression cannot be evaluated with these values"

// forget drops the values of a run, so that the pool keeps none alive.
func (m *machine) forget() {
	m.frame = frame{}
	clear(m.vm.Stack[:cap(m.vm.Stack)])
	clear(m.vm.Variables)
}
