package tool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Methods makes a tool of each exported method of a value, in the order of their names.
// The form of a method is
//
//	func (context.Context, In) (Out, error)
//
// of which each of the four may be missing: In is a struct or a pointer to one, and Out
// what [Func] can answer with. A tool is called like its method, in the way of Go's other
// names: HTTPStatus is http_status, ListURLs list_urls.
//
// What a method does cannot be read from the program, so [Doc] says it, in opts or in what
// the value's own method ToolDocs returns (see [Documenter]). [Only], [Except] and
// [Documented] choose methods; all that are left become tools, those of embedded types
// too. Every other option is one of each tool, and those of its Doc come after it.
//
// Nothing is left out without a word: of a method that is chosen and cannot be a tool, for
// want of a description or by its form, there is a tool whose Err says what to do. So it is
// with a value without methods and with choices that name no method.
func Methods(v any, opts ...Option) []*Tool {
	value := reflect.ValueOf(v)
	switch {
	case !value.IsValid():
		return broken("there is no value to make tools of the methods of (give a pointer to one)")
	case value.Kind() == reflect.Pointer && value.IsNil():
		return broken("the %T is nil (give one that its methods can be called with)", v)
	}
	if d, ok := v.(Documenter); ok {
		opts = append(slices.Clip(d.ToolDocs()), opts...)
	}
	c := choiceOf(opts)
	tools := c.misnamed(value.Type())
	names := map[string]string{}
	for m := range value.Type().Methods() {
		if !c.chosen(m.Name) {
			continue
		}
		t := c.tool(m, value.Method(m.Index), opts)
		if other, taken := names[t.Spec.Name]; taken {
			t.Runner, t.Err = nil, errors.Join(t.Err, fmt.Errorf("the methods %s and %s of %s would both be called %s (give one another Name in its Doc)", other, m.Name, value.Type(), t.Spec.Name))
		}
		names[t.Spec.Name] = m.Name
		tools = append(tools, t)
	}
	if len(tools) == 0 {
		return broken("%s has no methods to make tools of (exported ones, that were chosen)", value.Type())
	}
	return tools
}

// Documenter is a value that brings the options of its own tools, so that what a method
// does stands beside the method. ToolDocs itself becomes no tool.
type Documenter interface {
	ToolDocs() []Option
}

// Doc describes the tool of one method, by the name of the method in Go, and adds options
// of that tool alone. It is for [Methods].
func Doc(method, description string, opts ...Option) Option {
	return choosing(func(c *choice) { c.docs[method] = doc{description, opts} })
}

// Name sets the name of a tool: in a [Doc], where that of its method is not to be its own.
func Name(name string) Option {
	return Option{func(m *making) { m.tool.Spec.Name = name }}
}

// Only chooses methods by their names in Go; no others become tools. It is for [Methods].
func Only(methods ...string) Option {
	return choosing(func(c *choice) { c.only = append(c.only, methods...) })
}

// Except leaves methods out, by their names in Go. It is for [Methods].
func Except(methods ...string) Option {
	return choosing(func(c *choice) { c.except = append(c.except, methods...) })
}

// Documented chooses the methods that have a [Doc]; no others become tools. It is for
// [Methods].
func Documented() Option { return choosing(func(c *choice) { c.documented = true }) }

// Prefix is put in front of the names of all tools, such as shop_ for shop_search. It is
// for [Methods].
func Prefix(prefix string) Option { return choosing(func(c *choice) { c.prefix = prefix }) }

// choice is which methods become tools, and what is said of them.
type choice struct {
	docs         map[string]doc
	only, except []string
	documented   bool
	prefix       string
}

type doc struct {
	description string
	opts        []Option
}

// choosing is an option of [Methods].
func choosing(change func(*choice)) Option {
	return Option{func(m *making) {
		if m.choice == nil {
			m.choice = &choice{docs: map[string]doc{}}
		}
		change(m.choice)
	}}
}

func choiceOf(opts []Option) *choice {
	m := newMaking("", "", append([]Option{choosing(func(*choice) {})}, opts...))
	return m.choice
}

func (c *choice) chosen(method string) bool {
	_, described := c.docs[method]
	return method != "ToolDocs" && (len(c.only) == 0 || slices.Contains(c.only, method)) &&
		!slices.Contains(c.except, method) && (!c.documented || described)
}

// tool makes the tool of one method.
func (c *choice) tool(m reflect.Method, method reflect.Value, opts []Option) *Tool {
	d := c.docs[m.Name]
	made := newMaking(c.prefix+snakeCase(m.Name), d.description, opts)
	made.choice, made.method = nil, m.Name // the choice is obeyed
	made.apply(d.opts)
	f, err := formOf(method)
	if err != nil {
		made.fault(err)
	} else {
		made.takes(f.in)
		made.gives(f.out)
	}
	t := made.finish(runner(f.run))
	if t.Err != nil {
		t.Err = fmt.Errorf("the method %s: %w", m.Name, t.Err)
	}
	return t
}

// misnamed are the mistakes in what was said of the methods of a type.
func (c *choice) misnamed(t reflect.Type) (tools []*Tool) {
	if p := reflect.PointerTo(t); t.Kind() != reflect.Pointer && p.NumMethod() > t.NumMethod() {
		tools = broken("the methods of %s are called with a pointer (give Methods a pointer to it)", t)
	}
	for _, name := range slices.Concat(c.only, c.except, slices.Sorted(maps.Keys(c.docs))) {
		if _, ok := t.MethodByName(name); !ok {
			tools = append(tools, broken("%s has no exported method %s, of which an option speaks", t, name)...)
		}
	}
	return tools
}

// broken is in place of tools that cannot be.
func broken(format string, args ...any) []*Tool {
	return []*Tool{{Err: fmt.Errorf("tool.Methods: "+format, args...)}}
}

// methodForm is what a method is called with.
type methodForm struct {
	method   reflect.Value
	context  bool
	argument bool
	in, out  reflect.Type // struct{} where there is none
	value    bool         // it returns one of out
	fails    bool         // it returns an error
}

// formOf reads the form of a method.
func formOf(method reflect.Value) (*methodForm, error) {
	t, none := method.Type(), reflect.TypeFor[struct{}]()
	f := &methodForm{method: method, in: none, out: none}
	ins, outs := slices.Collect(t.Ins()), slices.Collect(t.Outs())
	if len(ins) > 0 && ins[0] == reflect.TypeFor[context.Context]() {
		f.context, ins = true, ins[1:]
	}
	if len(ins) > 0 {
		f.argument, f.in, ins = true, ins[0], ins[1:]
	}
	if n := len(outs); n > 0 && outs[n-1] == reflect.TypeFor[error]() {
		f.fails, outs = true, outs[:n-1]
	}
	if len(outs) > 0 {
		f.value, f.out, outs = true, outs[0], outs[1:]
	}
	if t.IsVariadic() || len(ins) > 0 || len(outs) > 0 {
		return f, fmt.Errorf("a tool cannot be of the form %s (write func(context.Context, In) (Out, error), with a struct In, or leave the method out)", t)
	}
	return f, nil
}

// run calls the method.
func (f *methodForm) run(ctx context.Context, in Input) (any, error) {
	var args []reflect.Value
	if f.context {
		args = append(args, reflect.ValueOf(ctx))
	}
	if f.argument {
		value := reflect.New(f.in)
		if err := decodeArgs(in.Args, value.Interface()); err != nil {
			return nil, err
		}
		args = append(args, value.Elem())
	}
	results := f.method.Call(args)
	if f.fails {
		if err, ok := results[len(results)-1].Interface().(error); ok {
			return nil, err
		}
	}
	if !f.value {
		return nil, nil
	}
	return results[0].Interface(), nil
}

// snakeCase writes a name of Go's in lower case with underscores between its words.
// Letters that stand for words are one: HTTPStatus is http_status, and ListURLs list_urls.
func snakeCase(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		if i > 0 && unicode.IsUpper(c) && r[i-1] != '_' && (!unicode.IsUpper(r[i-1]) || startsWord(r[i+1:])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// startsWord reports whether what follows a capital makes it the first of a word: a small
// letter, unless it is the s of several.
func startsWord(rest []rune) bool {
	if len(rest) == 0 || !unicode.IsLower(rest[0]) {
		return false
	}
	return rest[0] != 's' || len(rest) > 1 && unicode.IsLower(rest[1])
}
