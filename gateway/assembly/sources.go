package assembly

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/document"
	"github.com/toolgate/toolgate/openapi/spec"
)

// Documents says what is done about documents that are at an address. A document in
// a file is always read.
type Documents int

const (
	// DocumentsAsked asks for them. A source whose document cannot be had is left
	// out with a warning: it hurts no tool but its own.
	DocumentsAsked Documents = iota
	// DocumentsKept opens no connection: what was kept of a document is used, and a
	// source of which nothing was is left out with a warning.
	DocumentsKept
	// DocumentsNeeded asks for them, and one that cannot be had is an error.
	DocumentsNeeded
)

// MaxDocument is the size of the largest file of a document, in bytes.
const MaxDocument = document.MaxSize

// maxLoads is how many documents are read at once: each takes up to ten times its
// size in memory meanwhile. All addresses are asked at once.
const maxLoads = 2

// SlowDocument is how long an address may take before it is said that it is waited for.
const SlowDocument = 2 * time.Second

// imported is a source that is enabled.
type imported struct {
	name     string
	config   config.Source
	at       diag.Cursor
	document *openapi.Document // nil where it cannot be had
	service  *openapi.Service  // nil after a mistake
	absent   string            // why there is no document, and that is no mistake; else empty
	choices  []source.Choice
	homeless []*spec.Operation // whose address is not known
	common   *config.Tool      // what its tools have in common
	files    []string          // paths of the document's; none when it is at an address
	digest   [32]byte          // of what the document says
	made     []*candidate      // while all are compiled
	tools    int               // that it has, registered or not
	print    string            // of what its tools have in common; see sourcePrint
}

// forget gives up what only building needs. The document stays: what runs its tools
// holds it anyway, and the next assembly may need it.
func (s *imported) forget() { s.service, s.choices, s.homeless = nil, nil, nil }

// isRemote reports that the document is at an address.
func (s *imported) isRemote() bool { return strings.Contains(s.config.OpenAPI.Spec, "://") }

// sources reads the documents of the sources and compiles the tools that they
// become. Declared are those that have their names first.
func (b *builder) sources(declared []*candidate) []*candidate {
	for _, name := range slices.Sorted(maps.Keys(b.cfg.Sources)) {
		s := b.cfg.Sources[name]
		switch {
		case b.cfg.Broken("sources", name):
			b.partial = true
		case s.On() && s.OpenAPI != nil:
			common := &config.Tool{ThinkAugment: s.Defaults.ThinkAugment}
			b.imported = append(b.imported, &imported{name: name, config: s, at: b.at("sources", name), common: common})
		}
	}
	b.loadDocuments()
	names := takenNames(declared)
	for _, s := range b.filesFirst() {
		b.compileSource(s, names)
	}
	var out []*candidate
	for _, s := range b.imported {
		out = append(out, s.made...)
		s.made = nil
	}
	return out
}

// filesFirst are the sources in the order in which they get their names: those whose
// documents are files before those whose documents somebody else may change.
func (b *builder) filesFirst() []*imported {
	all := slices.Clone(b.imported)
	slices.SortStableFunc(all, func(x, y *imported) int {
		switch {
		case x.isRemote() == y.isRemote():
			return 0
		case x.isRemote():
			return 1
		}
		return -1
	})
	return all
}

// compileSource compiles the tools of a source. Where its document is at an address,
// and nothing else is wanted, a mistake leaves out the source and nothing else.
func (b *builder) compileSource(s *imported, names map[string]*candidate) {
	lenient := s.isRemote() && !b.strict && s.document != nil
	var aside diag.Report
	if lenient {
		s.at = s.at.Onto(diag.NewCursor(&aside, nil))
	}
	s.made = b.operations(s)
	mine := b.checkNames(names, s.made)
	if lenient {
		s.at = s.at.Onto(b.cfg.At())
		for _, c := range s.made {
			c.at = c.at.Onto(b.cfg.At())
		}
		if found := aside.Problems(); !b.fits(s, found) {
			return
		}
	}
	s.tools = len(s.made)
	maps.Copy(names, mine)
}

// fits passes on what was found about a source whose document is at an address. It
// reports false, and leaves the source out, where some of it are mistakes.
func (b *builder) fits(s *imported, found diag.Problems) bool {
	mistakes := len(found.Errors())
	for _, p := range found {
		p.Warning = p.Key != s.at.Key("openapi").Key("upstream").Path() // no document is to blame for that
		b.cfg.At().Pass(p)
	}
	if mistakes == 0 {
		return true
	}
	s.absent = fmt.Sprintf("its document and what is configured for it do not fit together (%s)", counted(mistakes, "mistake"))
	s.at.Key("openapi").Key("spec").As(diag.AbsentSource).Warnf("gateway lint --connect shows them", "all tools of this source are left out: %s", s.absent)
	s.made, s.document, s.service, s.digest, b.partial = nil, nil, nil, [32]byte{}, true
	return false
}

// takenNames are tools by their names, as far as models tell these apart.
func takenNames(all []*candidate) map[string]*candidate {
	names := make(map[string]*candidate, len(all))
	for _, c := range all {
		names[tool.FoldName(c.entry.Spec.Name)] = c
	}
	return names
}

// loadDocuments reads the documents of all sources side by side.
func (b *builder) loadDocuments() {
	var group sync.WaitGroup
	slots := make(chan struct{}, maxLoads)
	for _, s := range b.imported {
		group.Go(func() {
			b.load(s, func() (done func()) {
				slots <- struct{}{}
				return func() { <-slots }
			})
		})
	}
	group.Wait()
	for _, s := range b.imported {
		if s.document == nil {
			b.partial = true
		}
	}
}

// load reads one document, or says why it cannot.
func (b *builder) load(s *imported, turn func() (done func())) {
	path := s.config.OpenAPI.Spec
	remote := s.isRemote()
	if !remote {
		s.files = []string{path}
	}
	stop := b.tellSlow(s)
	doc, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: path, Fetch: b.fetcher(), CacheDir: b.cacheDir, Turn: func() (done func()) {
		stop()
		return turn()
	}})
	stop()
	at := s.at.Key("openapi").Key("spec")
	switch {
	case err == nil:
		s.document, s.digest = doc, doc.Digest
		if !remote {
			s.files = filesOf(path, doc.Files)
		}
	case !remote:
		noDocument(at, err)
	case errors.Is(err, errNotAsked):
		s.absent = "its document is at an address, which was not asked"
		at.As(diag.AbsentSource).Warnf("add --connect", "this source is not looked at: %s", s.absent)
	case b.servedDocument(s) != nil:
		s.document = b.servedDocument(s)
		s.digest = s.document.Digest
		at.As(diag.StaleDocument).Warnf("check the address, or keep a copy in a file", "the document that is served now is used on, as another cannot be had: %v", err)
	case b.documents == DocumentsNeeded:
		at.Hintf("check the address, or keep a copy in a file", "the document cannot be had: %v", err)
	default:
		s.absent = fmt.Sprintf("its document cannot be had: %v", err)
		at.As(diag.AbsentSource).Warnf("check the address, or keep a copy in a file", "all tools of this source are left out: %s", s.absent)
	}
}

// tellSlow tells when the document of a source is waited for, unless stop is called
// before.
func (b *builder) tellSlow(s *imported) (stop func()) {
	if !s.isRemote() {
		return func() {}
	}
	timer := time.AfterFunc(SlowDocument, func() { b.slow(s.name) })
	return func() { timer.Stop() }
}

// servedDocument is the document of the source with that name in the assembly that is
// served, where it is at the same address; nil for none.
func (b *builder) servedDocument(s *imported) *openapi.Document {
	if b.served == nil {
		return nil
	}
	for _, other := range b.served.sources {
		if other.name == s.name && other.config.OpenAPI.Spec == s.config.OpenAPI.Spec {
			return other.document
		}
	}
	return nil
}

// noDocument reports a file that is no document.
func noDocument(at diag.Cursor, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		at.Hintf("create it, or correct the path; it belongs to the folder of this file", "there is no such file")
		return
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	at.Errorf("the document cannot be read: %v", err)
}

// filesOf are the paths of the files of a document whose main file is at a path.
func filesOf(path string, names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
	}
	return out
}

var errNotAsked = errors.New("the address was not asked")

// fetcher is what asks for documents.
func (b *builder) fetcher() document.Fetcher {
	if b.documents == DocumentsKept {
		return notAsked{}
	}
	return b.client
}

// notAsked answers no request, so that what is kept is used.
type notAsked struct{}

// Do fails.
func (notAsked) Do(*http.Request) (*http.Response, error) { return nil, errNotAsked }

// checkNames reports tools of a source whose names are those of other tools, or could
// be taken for them. It gives the names of all its other tools.
func (b *builder) checkNames(taken map[string]*candidate, all []*candidate) map[string]*candidate {
	mine := make(map[string]*candidate, len(all))
	for _, c := range all {
		fold := tool.FoldName(c.entry.Spec.Name)
		other := taken[fold]
		if other == nil {
			other = mine[fold]
		}
		if other == nil {
			mine[fold] = c
			continue
		}
		from := "the tool " + other.entry.Spec.Name + " under tools"
		switch {
		case other.source != nil:
			from = other.entry.Spec.Name + " of the source " + other.source.name
		case other.program != nil:
			from = "the tool " + other.entry.Spec.Name + " of the program"
		}
		c.at.Hintf(fmt.Sprintf("write tools: {%q: {name: another}} in this source, or {enabled: false} in place of the name, or give it another prefix", c.entry.Spec.Method),
			"%s would become the tool %s, which models confuse with %s", c.entry.Spec.Method, c.entry.Spec.Name, from)
	}
	return mine
}

// Imported is the number of tools that sources have, registered or not.
func (a *Assembly) Imported() int {
	n := 0
	for _, s := range a.sources {
		n += s.tools
	}
	return n
}

// Files are the paths of all files that documents of sources were read from, sorted.
func (a *Assembly) Files() []string {
	var out []string
	for _, s := range a.sources {
		out = append(out, s.files...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Absent says of each source whose document cannot be had why that is, by its name.
func (a *Assembly) Absent() map[string]string {
	out := map[string]string{}
	for _, s := range a.sources {
		if s.absent != "" {
			out[s.name] = s.absent
		}
	}
	return out
}

// Digests are what tells one text of the document of a source from another, by the
// source's name; there is none of a source whose document cannot be had.
func (a *Assembly) Digests() map[string][32]byte {
	out := map[string][32]byte{}
	for _, s := range a.sources {
		if s.digest != [32]byte{} {
			out[s.name] = s.digest
		}
	}
	return out
}
