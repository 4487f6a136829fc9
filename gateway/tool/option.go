package tool

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Option says more of a tool than its name, its description and its function do: for
// [Func], [Raw] and [Methods]. What no option says is as the configuration has it for
// all tools. Of options that say the same thing the last counts.
type Option struct{ apply func(*making) }

// making is a tool that is being made.
type making struct {
	tool   *Tool
	alone  bool // OneAtATime was among the options
	faults []error
	choice *choice // nil where no methods are chosen
	method string  // the method in Go; empty for a function
}

func newMaking(name, description string, opts []Option) *making {
	m := &making{tool: &Tool{Spec: Spec{Name: name, Description: description}}}
	m.apply(opts)
	return m
}

func (m *making) apply(opts []Option) {
	for _, o := range opts {
		if o.apply != nil {
			o.apply(m)
		}
	}
}

func (m *making) fault(err error) {
	if err != nil {
		m.faults = append(m.faults, err)
	}
}

func (m *making) faultf(format string, args ...any) { m.fault(fmt.Errorf(format, args...)) }

// takes sets the parameters to those that a type describes. The values of its tags are
// decoded by the types themselves, which may panic.
func (m *making) takes(in reflect.Type) {
	defer func() {
		if r := recover(); r != nil {
			m.faultf("the tags of %s cannot be read: one of its types panics when it decodes a value: %v", in, r)
		}
	}()
	parameters, err := inferParameters(in)
	m.tool.Spec.Parameters = parameters
	m.fault(err)
}

// gives checks that values of a type can be answered with.
func (m *making) gives(out reflect.Type) { m.fault(checkOut(out)) }

// describe says how a tool gets its description.
func (m *making) describe() string {
	if m.method != "" {
		return fmt.Sprintf("write tool.Doc(%q, \"what it does\"), or leave the method out with tool.Except(%q)", m.method, m.method)
	}
	return "say what the tool does and when to use it: it is by this that models choose"
}

// finish is the tool. It has a runner only where nothing is wrong with it.
func (m *making) finish(r Runner) *Tool {
	spec := &m.tool.Spec
	if m.choice != nil {
		m.faultf("Doc, Only, Except, Documented and Prefix are options of Methods (leave them out)")
	}
	if spec.Description == "" {
		m.faultf("there is no description (%s)", m.describe())
	}
	if spec.Retries > 0 && !spec.ReadOnly() {
		m.faultf("retries are for tools that change nothing (leave Retries out, or add Tags(%q))", TagReadOnly)
	}
	spec.ConcurrencySafe = !m.alone && !spec.HasTag(TagDestructive) && !spec.HasTag(TagPrivileged)
	m.tool.Err = errors.Join(m.faults...)
	if m.tool.Err == nil {
		m.tool.Runner = r
	}
	return m.tool
}

// Title sets a short name for people.
func Title(title string) Option {
	return Option{func(m *making) { m.tool.Spec.Title = title }}
}

// Tags adds tags, which policy rules match: [TagReadOnly] and the others of this package,
// which have meanings of their own, or any word.
func Tags(tags ...string) Option {
	return Option{func(m *making) {
		for _, tag := range tags {
			if !m.tool.Spec.HasTag(tag) {
				m.tool.Spec.Tags = append(slices.Clip(m.tool.Spec.Tags), tag)
			}
		}
	}}
}

// Hint sets further words that searches find the tool by.
func Hint(words string) Option {
	return Option{func(m *making) { m.tool.Spec.SearchHint = words }}
}

// Deferred leaves the tool out of lists until a search has found it in the chat.
func Deferred() Option {
	return Option{func(m *making) { m.tool.Spec.Deferred = true }}
}

// ByGroup leaves the tool to chats in which a group that it is in is active.
func ByGroup() Option {
	return Option{func(m *making) { m.tool.Spec.ByGroup = true }}
}

// MaxTime sets how long one call may run, all its attempts together: more than zero. It
// is what the configuration calls timeout.
func MaxTime(d time.Duration) Option {
	return Option{func(m *making) {
		if d <= 0 {
			m.faultf("MaxTime(%s) is no time to run in (give more than 0)", d)
		}
		m.tool.Spec.Timeout = d
	}}
}

// MaxOutput sets the most bytes that an answer may have, more than zero: one that has
// more fails the call with the code [TooLarge].
func MaxOutput(bytes int64) Option {
	return Option{func(m *making) {
		if bytes <= 0 {
			m.faultf("MaxOutput(%d) leaves no room for an answer (give more than 0)", bytes)
		}
		m.tool.Spec.MaxOutput = bytes
	}}
}

// MaxResultSize sets the most characters of text that a model is given at once, more than
// zero; the rest is kept for it.
func MaxResultSize(characters int) Option {
	return Option{func(m *making) {
		if characters <= 0 {
			m.faultf("MaxResultSize(%d) leaves no room for an answer (give more than 0)", characters)
		}
		m.tool.Spec.MaxResultSize = characters
	}}
}

// Rate lets no more calls of the tool through than the limit says.
func Rate(limit RateLimit) Option {
	return Option{func(m *making) {
		limit.Check(func(key, hint, text string) { m.faultf("Rate: %s: %s (%s)", key, text, hint) })
		m.tool.Spec.RateLimit = &limit
	}}
}

// Exclusive makes that of all tools with this key one call runs at a time.
func Exclusive(key string) Option {
	return Option{func(m *making) { m.tool.Spec.Exclusive = key }}
}

// OneAtATime makes that no other call of its batch runs beside one of the tool. Calls of
// tools that are tagged [TagDestructive] or [TagPrivileged] run so without it. Calls of
// other batches and callers still come at the same time: see [Exclusive].
func OneAtATime() Option {
	return Option{func(m *making) { m.alone = true }}
}

// Retries sets how many further attempts follow one that failed and may succeed later
// ([Error.Retryable]); the tool has to be tagged [TagReadOnly].
func Retries(n int) Option {
	return Option{func(m *making) {
		if n < 0 {
			m.faultf("Retries(%d) is less than none", n)
		}
		m.tool.Spec.Retries = n
	}}
}

// Record sets how much of the tool's calls is logged.
func Record(logged Logged) Option {
	return Option{func(m *making) { m.tool.Spec.Logged = logged }}
}
