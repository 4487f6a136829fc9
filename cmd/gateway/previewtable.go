package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

const (
	firstFindings = 3   // of each kind, unless all are shown
	maxText       = 160 // characters of a finding on its line
)

// print shows a person what a document offers.
func (p *previewJSON) print(out io.Writer, all bool) error {
	w := &page{out: out}
	w.line("%s (OpenAPI %s), %s", strings.TrimSpace(cmp.Or(p.Title, "A document without a title")+" "+p.Version), p.OpenAPI, p.shown)
	w.line("")
	p.printTools(w)
	p.printGroups(w)
	p.printServers(w)
	p.printOrigins(w)
	p.printSchemes(w)
	w.findings("skipped, which cannot become tools", p.Skipped, all, "operation")
	p.printLeft(w)
	w.findings("warnings", p.Warnings, all, "place")
	return w.err
}

func (p *previewJSON) printTools(w *page) {
	switch {
	case p.whole == 0:
		w.line("The document has no operations, so that no tools come of it.")
		return
	case len(p.Tools) == 0:
		w.line("None of its operations becomes a tool.")
		return
	}
	w.table("", func(row func(...string)) {
		row("TOOL", "TOKENS", "TAGS", "REQUEST")
		for i := range p.Tools {
			t := &p.Tools[i]
			row(t.Name, strconv.Itoa(t.Tokens), strings.Join(t.Tags, ","), t.Method+" "+t.Path)
		}
	})
	w.line("")
	w.line("%s, about %s", count(len(p.Tools), "tool"), count(p.tokens(), "token"))
}

func (p *previewJSON) tokens() (sum int) {
	for i := range p.Tools {
		sum += p.Tools[i].Tokens
	}
	return sum
}

func (p *previewJSON) printGroups(w *page) {
	if len(p.Groups) == 0 {
		return
	}
	w.line("")
	w.table("", func(row func(...string)) {
		row("GROUP", "TOOLS", "TOKENS")
		for _, g := range p.Groups {
			row(cmp.Or(g.Tag, "(no tag)"), strconv.Itoa(g.Tools), strconv.Itoa(g.Tokens))
		}
	})
}

func (p *previewJSON) printServers(w *page) {
	w.line("")
	w.line("servers")
	for _, s := range p.Servers {
		w.line("  %s", cmp.Or(s.URL, "/"))
		for _, v := range s.Variables {
			text := fmt.Sprintf("    server_variables: {%s: %s}", yamlText(v.Name), yamlText(v.Default))
			if len(v.Enum) > 0 {
				text += ", one of " + strings.Join(v.Enum, ", ")
			}
			w.line("%s", text)
		}
	}
}

// printOrigins says where requests go, whichever servers the document names, and how
// many show credentials there.
func (p *previewJSON) printOrigins(w *page) {
	switch {
	case p.upstream != "":
		w.line("")
		w.line("requests go to the upstream %s", p.upstream)
	case len(p.Origins) > 0:
		w.line("")
		w.line("requests go to")
		w.table("  ", func(row func(...string)) {
			for _, o := range p.Origins {
				row(o.Origin, count(o.Operations, "operation"), o.words())
			}
		})
	}
}

func (o originJSON) words() string {
	if o.Credentials == 0 {
		return "no credentials"
	}
	return strconv.Itoa(o.Credentials) + " with credentials"
}

func (p *previewJSON) printSchemes(w *page) {
	if len(p.Schemes) == 0 {
		return
	}
	w.line("")
	w.line("security schemes")
	w.table("  ", func(row func(...string)) {
		for _, s := range p.Schemes {
			row(s.Name, s.words(), count(s.Operations, "operation"), cmp.Or(s.Configure, "name an upstream with tls: {cert, key}"))
		}
	})
}

// words says what a scheme is.
func (s *schemeJSON) words() string {
	switch {
	case s.Parameter != "":
		return s.Kind + " in " + s.In + " " + s.Parameter
	case s.TokenURL != "":
		return s.Kind + " from " + s.TokenURL
	}
	return s.Kind
}

// printLeft counts the operations that were not chosen, by why.
func (p *previewJSON) printLeft(w *page) {
	if len(p.LeftOut) == 0 {
		return
	}
	w.line("")
	w.line("left out: %s", count(len(p.LeftOut), "operation"))
	var reasons []string
	counts := map[string]int{}
	for _, l := range p.LeftOut {
		if counts[l.Text]++; counts[l.Text] == 1 {
			reasons = append(reasons, l.Text)
		}
	}
	for _, text := range reasons {
		w.line("  %d: %s", counts[text], text)
	}
}

// page writes lines for a terminal, in which texts of documents do no harm, and
// remembers the first error.
type page struct {
	out io.Writer
	err error
}

func (w *page) line(format string, args ...any) {
	_, err := fmt.Fprintln(w.out, plain(fmt.Sprintf(format, args...)))
	w.err = errors.Join(w.err, err)
}

// table writes rows in columns.
func (w *page) table(indent string, fill func(row func(...string))) {
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fill(func(cells ...string) {
		for i, cell := range cells {
			cells[i] = plain(cell)
		}
		_, _ = fmt.Fprintln(t, indent+strings.Join(cells, "\t"))
	})
	w.err = errors.Join(w.err, t.Flush())
}

// findings shows findings by their code, in the order of their first.
func (w *page) findings(title string, all []findingJSON, whole bool, thing string) {
	if len(all) == 0 {
		return
	}
	var codes []string
	by := map[string][]findingJSON{}
	for _, f := range all {
		if by[f.Code] == nil {
			codes = append(codes, f.Code)
		}
		by[f.Code] = append(by[f.Code], f)
	}
	w.line("")
	w.line("%s: %s", title, count(len(all), thing))
	for _, code := range codes {
		some := by[code]
		w.line("  %s: %d", code, len(some))
		if !whole {
			some = some[:min(len(some), firstFindings)]
		}
		for _, f := range some {
			w.line("    %s: %s", f.Place, w.about(f, whole))
		}
		if more := len(by[code]) - len(some); more > 0 {
			w.line("    … %d more (--all shows them)", more)
		}
	}
}

func (w *page) about(f findingJSON, whole bool) string {
	text := f.Text
	if f.Operation != "" {
		text = f.Operation + ": " + text
	}
	if whole {
		return text
	}
	return cut(text, maxText)
}
