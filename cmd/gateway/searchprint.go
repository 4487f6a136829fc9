package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/discovery"
)

// foundJSON is what a search answers.
type foundJSON struct {
	Tools       []foundTool `json:"tools"`
	More        int         `json:"more"` // further tools that have something in common with the query
	Unavailable []struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
	} `json:"unavailable"` // tools that the query names and a rule denies, where that may be told
	Near []string `json:"near"` // names that are like the query, where nothing was found

	asked *searchJSON
}

type foundTool struct {
	Name        string                 `json:"name"`
	Description string                 `json:"description"`
	InputSchema json.RawMessage        `json:"input_schema"`
	Permission  string                 `json:"permission"`
	Listed      bool                   `json:"listed"` // in the list that models are given without a search
	Score       float64                `json:"score"`
	Explanation *discovery.Explanation `json:"explanation"`
}

// maxSentence is how much of a description is shown in a table, in characters.
const maxSentence = 100

// print shows a person what was found, and says what else there is to know.
func (f *foundJSON) print(io streams, cmd *cli.Command) error {
	w := &page{out: io.out}
	switch {
	case len(f.Tools) == 0:
	case cmd.Bool("explain"):
		f.explain(w)
	default:
		f.table(w)
	}
	if cmd.String("detail") == "schema" {
		for i := range f.Tools {
			f.Tools[i].schema(w)
		}
	}
	f.tell(io, cmd)
	return w.err
}

func (f *foundJSON) table(w *page) {
	w.table("", func(row func(...string)) {
		row("RANK", "TOOL", "PERMISSION", "IN LIST", "DESCRIPTION")
		for i, t := range f.Tools {
			row(strconv.Itoa(i+1), t.Name, t.Permission, t.inList(), firstSentence(t.Description))
		}
	})
}

func (t *foundTool) inList() string {
	if t.Listed {
		return "yes"
	}
	return "no"
}

func (t *foundTool) schema(w *page) {
	if len(t.InputSchema) == 0 {
		return
	}
	w.line("")
	w.line("%s", t.Name)
	if w.err == nil {
		w.err = printJSON(w.out, t.InputSchema)
	}
}

// tell says what the table does not, to a person: what the answer says of it is for
// models.
func (f *foundJSON) tell(io streams, cmd *cli.Command) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintln(io.err, plain(fmt.Sprintf(format, args...))) }
	if len(f.Tools) == 0 && len(f.Unavailable) == 0 {
		say("%s", f.nothing())
	}
	if n := f.withoutSchema(); n > 0 && cmd.String("detail") == "schema" {
		say("%s left out, for which an answer has no room: search for the exact name, or raise discovery.budget", count(n, "schema")+map[bool]string{true: " is", false: " are"}[n == 1])
	}
	for _, u := range f.Unavailable {
		say("%s is not available: %s", u.Name, u.Reason)
	}
	if f.More > 0 {
		hint := ""
		if cmd.Int("limit") < discovery.MaxLimit {
			hint = fmt.Sprintf(" (--limit N shows up to %d)", discovery.MaxLimit)
		}
		say("%d more %s something in common with the query%s", f.More, map[bool]string{true: "has", false: "have"}[f.More == 1], hint)
	}
}

// nothing says that nothing was found, where it was looked for and what to do.
func (f *foundJSON) nothing() string {
	among := ""
	if f.asked.Namespace != "" {
		among += " of the source " + f.asked.Namespace
	}
	if len(f.asked.Tags) > 0 {
		among += " with the tags " + strings.Join(f.asked.Tags, ", ")
	}
	text := fmt.Sprintf("no tool%s has anything in common with %q", among, cut(f.asked.Query, maxShownQuery))
	if len(f.Near) > 0 {
		text += "; closest names: " + strings.Join(f.Near, ", ")
	}
	if among != "" {
		return text + " (search without --namespace and --tag)"
	}
	return text + " (the search_hint of a tool is the place for words that it should be found by)"
}

// withoutSchema is how many tools came without one.
func (f *foundJSON) withoutSchema() (n int) {
	for i := range f.Tools {
		if len(f.Tools[i].InputSchema) == 0 {
			n++
		}
	}
	return n
}

// firstSentence is the first sentence of a description, or the start of it.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i, r := range text {
		end := i + len(string(r))
		if r == '。' || r == '！' || r == '？' {
			text = text[:end]
			break
		}
		if strings.ContainsRune(".!?", r) && strings.HasPrefix(text[end:], " ") && !strings.HasSuffix(text[:end], "e.g.") && !strings.HasSuffix(text[:end], "i.e.") {
			text = text[:end]
			break
		}
	}
	return cut(text, maxSentence)
}

// explain shows each tool with how its score came about.
func (f *foundJSON) explain(w *page) {
	for i := range f.Tools {
		if i > 0 {
			w.line("")
		}
		t := &f.Tools[i]
		w.line("%d  %s  score %s  (%s, in the list: %s)", i+1, t.Name, figure(t.Score), t.Permission, t.inList())
		if t.Explanation == nil {
			w.line("   found by its name")
			continue
		}
		explainTerms(w, t.Explanation.Terms)
		explainBonuses(w, t.Explanation.Bonuses)
	}
}

// explainTerms shows what each word adds, and what it has in each field.
func explainTerms(w *page, terms []discovery.TermScore) {
	if len(terms) == 0 {
		return
	}
	fields := fieldsOf(terms)
	w.table("   ", func(row func(...string)) {
		row(append([]string{"SCORE", "WORD", "TELLING"}, fieldHeadings(fields)...)...)
		for _, t := range terms {
			cells := []string{figure(t.Score), wordOf(&t), figure(t.IDF)}
			for _, name := range fields {
				cells = append(cells, figureOrDash(t.Fields[name]))
			}
			row(cells...)
		}
	})
}

func explainBonuses(w *page, bonuses []discovery.Bonus) {
	if len(bonuses) == 0 {
		return
	}
	w.table("   ", func(row func(...string)) {
		for _, b := range bonuses {
			row(figure(b.Score), "+ "+strings.ReplaceAll(b.Name, "_", " "))
		}
	})
}

// wordOf is a word as the index has it, and which of the query it stands for.
func wordOf(t *discovery.TermScore) string {
	if t.For == "" || t.For == t.Term {
		return t.Term
	}
	why := ""
	if t.Why != "" {
		why = " (" + t.Why + ")"
	}
	return t.Term + " for " + t.For + why
}

// fieldOrder is the order in which fields are shown: that of how much they weigh on
// most catalogues.
var fieldOrder = []string{"name", "description", "hint", "tags", "parameters", "parameter_texts", "learned"}

// fieldsOf are the fields in which some word stands.
func fieldsOf(terms []discovery.TermScore) []string {
	var out []string
	for _, t := range terms {
		for name, value := range t.Fields {
			if value != 0 && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	place := func(name string) int {
		if i := slices.Index(fieldOrder, name); i >= 0 {
			return i
		}
		return len(fieldOrder)
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}

func fieldHeadings(fields []string) []string {
	out := make([]string, len(fields))
	for i, name := range fields {
		out[i] = strings.ToUpper(strings.ReplaceAll(name, "_", " "))
	}
	return out
}

func figureOrDash(v float64) string {
	if v == 0 {
		return "-"
	}
	return figure(v)
}
