package openapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/document"
	"github.com/toolgate/toolgate/openapi/spec"
)

// ShownSize is about how many bytes of a schema a model is shown; see
// [argument.Builder.Shown].
const ShownSize = argument.DefaultBudget

// MaxShown is how many bytes the schemas of all operations that models are shown may
// take together: operations behind those that pass it are left out. They are rarely
// more than 2,000 bytes each.
const MaxShown = 128 << 20

// LoadOptions say what is loaded.
type LoadOptions struct {
	Path     string           // of a file, or an http or https address
	Fetch    document.Fetcher // what asks for a document at an address
	CacheDir string           // where what was read is kept, by digest; nowhere when empty
	// Turn is called when the text of the main file is there, and before anything is
	// made of it, which takes memory and a processor: it waits until that may be done,
	// and gives what is called afterwards; nil where there is nothing to wait for.
	Turn func() (done func())
	// Validate adds to Warnings what is against the specification (see
	// [spec.Validate]). The document is read anew for that.
	Validate bool
	// Progress is told what is being done, one of the stages, and how much of it is
	// done of how much in all, where that is known; total is 0 elsewhere. It is called
	// a hundred times or so; nil for nobody.
	Progress func(stage string, done, total int)
}

// Stages of loading a document.
const (
	StageReading    = "reading"    // from a file or an address
	StageParsing    = "parsing"    // its text, and what it says
	StageOperations = "operations" // what models are shown of each
	StageValidating = "validating"
)

// progressSteps is about how often Progress is told of operations.
const progressSteps = 100

func (o *LoadOptions) tell(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}

// Document is a document that was read, with its arguments arranged. It is safe
// for concurrent use and never changes.
type Document struct {
	*spec.Document
	Base   string   // the address that it came from; empty for a file
	Stale  string   // why a kept copy of an address was used; empty when none was
	Files  []string // that it was read from, below the folder of the main one
	Digest [32]byte // of those
	Cached bool     // it was not read anew

	arguments *argument.Builder
}

// Load reads the document at a path or an address, or takes what was kept of it
// where no byte of its files has changed since. The error says what is wrong with
// the document as a whole, or is the cause of a context that is over before it is
// read; what is wrong with parts of it is in its Skipped and Warnings.
func Load(ctx context.Context, o LoadOptions) (*Document, error) {
	o.tell(StageReading, 0, 0)
	source, err := document.Read(ctx, document.Options{Path: o.Path, Fetch: o.Fetch, CacheDir: o.CacheDir})
	if err != nil {
		return nil, err
	}
	if o.Turn != nil {
		defer o.Turn()()
	}
	kept := keeper{dir: o.CacheDir, path: o.Path}
	if !o.Validate {
		if d := kept.load(source); d != nil {
			return d, nil
		}
	}
	o.tell(StageParsing, 0, 0)
	set, err := source.Open(ctx)
	if err != nil {
		return nil, err
	}
	read, err := spec.Read(ctx, set)
	if err != nil {
		return nil, err
	}
	makeLegible(read)
	d := newDocument(read)
	d.Base, d.Stale, d.Files, d.Digest = set.Base(), set.Stale(), set.Names(), set.Digest()
	if err := d.arrange(ctx, &o, MaxShown); err != nil {
		return nil, err
	}
	// What the builder has decoded is of no use any more: few operations are called.
	d.arguments = argument.New(d.Inputs)
	kept.store(d)
	if o.Validate {
		o.tell(StageValidating, 0, 0)
		d.Warnings = append(d.Warnings, spec.Validate(ctx, set)...)
	}
	return d, nil
}

// arrange names the arguments of all operations and makes what models are shown of
// them, most bytes of that in all. The error is the cause of a context that is over.
func (d *Document) arrange(ctx context.Context, o *LoadOptions, most int) error {
	total, size := len(d.Operations), 0
	step := max(total/progressSteps, 1)
	shown := map[[sha256.Size]byte]json.RawMessage{}
	for i, op := range d.Operations {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if i%step == 0 {
			o.tell(StageOperations, i, total)
		}
		d.arguments.Arrange(op)
		// Of operations that take the same only the first is looked at.
		sum := inputOf(op)
		if op.Shown = shown[sum]; op.Shown == nil {
			op.Shown = d.shown(op)
			shown[sum] = op.Shown
		}
		if size += len(op.Shown); size > most {
			d.leaveOut(i)
			break
		}
	}
	o.tell(StageOperations, total, total)
	return nil
}

// inputOf tells operations that take different arguments from each other.
func inputOf(op *spec.Operation) [sha256.Size]byte {
	text, err := json.Marshal(struct {
		Parameters []spec.Parameter
		Body       *spec.Body
	}{op.Parameters, op.Body})
	if err != nil { // it is JSON, so this cannot be; the name is another one for each
		text = []byte(op.Method + " " + op.Path)
	}
	return sha256.Sum256(text)
}

// leaveOut leaves out the operations from one on.
func (d *Document) leaveOut(from int) {
	first := d.Operations[from]
	d.Skipped = append(d.Skipped, spec.Finding{
		Operation: first.Method + " " + first.Path, Place: first.Place, Code: "too-large",
		Text: fmt.Sprintf("what models are shown of the operations takes more than %d MiB; this one and all behind it, %d in all, are left out", MaxShown>>20, len(d.Operations)-from),
	})
	d.Operations = slices.Clip(d.Operations[:from])
}

func newDocument(read *spec.Document) *Document {
	return &Document{Document: read, arguments: argument.New(read.Inputs)}
}

// shown is what models are shown of the arguments of an operation: in the portable
// form, in which references are replaced by what they refer to. That may make it
// larger than its budget, and then less of it is shown.
func (d *Document) shown(op *spec.Operation) json.RawMessage {
	var text json.RawMessage
	for budget := ShownSize; budget >= ShownSize/64; budget /= 2 {
		whole := d.arguments.Shown(op, budget)
		portable, err := schema.Portable(whole)
		if err != nil {
			return whole // it compiles, so this cannot be
		}
		if text = portable; len(text) <= ShownSize || len(whole) > budget {
			break // the names alone are over the budget, and less does not make them fewer
		}
	}
	return text
}

// Arguments is the schema that the arguments of an operation are checked by, with
// all that it refers to. It may be a megabyte, and is made anew each time.
func (d *Document) Arguments(op *spec.Operation) json.RawMessage { return d.arguments.Full(op) }

// Outline tells the names of the arguments of an operation.
func (d *Document) Outline(op *spec.Operation) argument.Outline { return d.arguments.Outline(op) }
