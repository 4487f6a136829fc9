package find

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Detail is how much an answer says of each tool.
type Detail string

// The details that may be asked for. Without one, deferred tools come with their
// schemas, also those that were found before, and the others with a summary.
const (
	Names   Detail = "names"
	Summary Detail = "summary"
	Schema  Detail = "schema"
)

const (
	// maxSummary is the most characters of a description without its schema.
	maxSummary = 400
	// MaxSchema is the most characters of the one tool of an answer to an exact name,
	// which is given whatever the budget.
	MaxSchema = 200_000
	// maxShownQuery is the most characters of a query that an answer repeats.
	maxShownQuery = 100
)

// Request is what a call of discover_tools asks for.
type Request struct {
	Query     string
	Limit     int    // 0 where it says none
	Detail    Detail // empty where it says none
	Namespace string
	Tags      []string
	Explain   bool
}

// ReadRequest reads arguments that fit [Accepted].
func ReadRequest(args map[string]any) Request {
	r := Request{}
	r.Query, _ = args["query"].(string)
	if n, ok := args["limit"].(json.Number); ok {
		limit, _ := n.Float64() // 5.0 is an integer too
		r.Limit = int(limit)
	}
	detail, _ := args["detail"].(string)
	r.Detail = Detail(detail)
	r.Namespace, _ = args["namespace"].(string)
	tags, _ := args["tags"].([]any)
	for _, t := range tags {
		if text, ok := t.(string); ok {
			r.Tags = append(r.Tags, text)
		}
	}
	r.Explain, _ = args["explain"].(bool)
	return r
}

// Permissions of a tool: what becomes of its calls.
const (
	Allow   = "allow"   // every one is let through
	Ask     = "ask"     // a person is asked about every one
	Depends = "depends" // on its arguments
)

// Found is a tool that is answered with.
type Found struct {
	Spec       *tool.Spec
	Permission string
	With       string // the tool by which it is called where it is not listed; empty for none
	Score      float64
	Explained  *discovery.Explanation
}

// Listed reports whether the tool is in every list. What was found before may be, and
// may not: not every client lists again, and not every list changes.
func (f *Found) Listed() bool { return !f.Spec.Deferred }

// Unavailable is a tool that may not be called, and may be told of.
type Unavailable struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Answer is what a search gave.
type Answer struct {
	Tools       []Found // the best first
	Exact       bool    // the query is the name of the only one
	More        int     // how many further ones there are
	Near        []string
	Unavailable []Unavailable
	Advice      string // what to do about what is unavailable; empty where it is not known
	// Unsaved says that what was found could not be kept in the chat.
	Unsaved bool
}

// Written is an answer as it is sent.
type Written struct {
	JSON json.RawMessage
	// Full are the tools that came with their schemas, and Told those and the ones with
	// a summary, in their order.
	Full, Told []*tool.Spec
}

type answerJSON struct {
	Tools       []json.RawMessage `json:"tools"`
	More        int               `json:"more,omitempty"`
	Near        []string          `json:"near,omitempty"`
	Unavailable []Unavailable     `json:"unavailable,omitempty"`
	HowToCall   string            `json:"how_to_call,omitempty"`
	Message     string            `json:"message,omitempty"`
}

type toolJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	ReadOnly    bool            `json:"read_only,omitempty"`
	Destructive bool            `json:"destructive,omitempty"`
	Permission  string          `json:"permission"`
	Listed      bool            `json:"listed,omitempty"`
	Score       float64         `json:"score,omitempty"`
	Explanation *explanation    `json:"explanation,omitempty"`
}

// Write writes the answer in at most that many characters: each tool, from the best
// on, with as much as is asked for and as leaves room for the names of the others. An
// exact name is answered in full whatever the budget, up to [MaxSchema]. The same
// answer gives the same bytes.
func (a *Answer) Write(r *Request, budget int) (Written, error) {
	if a.Exact {
		budget = max(budget, MaxSchema)
	}
	w := writer{answer: a, request: r}
	if err := w.forms(); err != nil {
		return Written{}, err
	}
	out := answerJSON{
		Tools: []json.RawMessage{}, More: a.More + len(a.Tools), Near: a.Near, Unavailable: a.Unavailable,
		HowToCall: a.howToCall(), Message: a.message(r, len(a.Tools), a.More+len(a.Tools)),
	}
	empty, err := tool.EncodeJSON(out)
	if err != nil {
		return Written{}, err
	}
	w.choose(budget - utf8.RuneCount(empty))
	for i, level := range w.levels {
		out.Tools = append(out.Tools, w.texts[i][level])
	}
	out.More -= len(w.levels)
	out.Message = a.message(r, w.short, out.More)
	data, err := tool.EncodeJSON(out)
	return Written{JSON: data, Full: w.full, Told: w.told}, err
}

// howToCall says how to call what was found, worded for what there is.
func (a *Answer) howToCall() string {
	if len(a.Tools) == 0 {
		return ""
	}
	with, first, bare := map[string]bool{}, "", []string{}
	listed := true
	for i := range a.Tools {
		f := &a.Tools[i]
		switch {
		case f.Listed():
			continue
		case f.With == "":
			bare = append(bare, f.Spec.Name)
		case first == "":
			first = f.Spec.Name
		}
		with[f.With], listed = true, false
	}
	switch {
	case listed:
		return "Call a tool by its name."
	case first == "":
		return "Call a tool by its name, also where it is not in your tool list."
	}
	wrapper := CallName
	switch {
	case with[CallName] && with[CallReadName]:
		wrapper = CallReadName + " where it has read_only, else " + CallName + ","
	case with[CallReadName]:
		wrapper = CallReadName
	}
	text := fmt.Sprintf(`Call a tool by its name if it is in your tool list; if not, call %s with {"name": %q, "arguments": {…}}.`, wrapper, first)
	if len(bare) > 0 {
		text += " Only by its own name: " + strings.Join(bare, ", ") + "."
	}
	return text
}

// message says what a model could not know otherwise; short is how many of the tools
// lack something for which there was no room, and more how many are left out.
func (a *Answer) message(r *Request, short, more int) string {
	var parts []string
	switch {
	case len(a.Tools) == 0 && len(a.Unavailable) > 0:
		parts = append(parts, cmp.Or(a.Advice, "This tool may not be called: use another one, or tell the user."))
	case len(a.Tools) == 0:
		parts = append(parts, a.nothing(r))
	case a.Advice != "":
		parts = append(parts, a.Advice)
	}
	switch {
	case short == 1:
		parts = append(parts, "The schema of 1 tool did not fit into this answer: search for its exact name to get it.")
	case short > 1:
		parts = append(parts, fmt.Sprintf("The schemas of %d tools did not fit into this answer: search for the exact name of one to get it.", short))
	}
	switch {
	case more == 1:
		parts = append(parts, "1 more fits less well: search more precisely, or raise limit.")
	case more > 1:
		parts = append(parts, fmt.Sprintf("%d more fit less well: search more precisely, or raise limit.", more))
	}
	if a.Unsaved {
		parts = append(parts, "The tools could not be added to your list.")
	}
	return strings.Join(parts, " ")
}

// nothing words that nothing was found.
func (a *Answer) nothing(r *Request) string {
	query := strings.Join(strings.Fields(r.Query), " ")
	if query == "" {
		return "The query is empty: say what the tool is to do, or give its exact name."
	}
	text := fmt.Sprintf("nothing found for %q", cut(query, maxShownQuery))
	filters := r.filters()
	text += filters
	if len(a.Near) > 0 {
		text += "; closest names: " + strings.Join(a.Near, ", ")
	}
	if filters != "" {
		return text + ". Search without these limits, or try other words for the same capability."
	}
	return text + ". Try other words for the same capability, one capability per search, and name the system it is of."
}

// filters words what the search is limited to; empty where it is not.
func (r *Request) filters() string {
	text := ""
	if r.Namespace != "" {
		text = fmt.Sprintf(" in the namespace %q", cut(r.Namespace, maxShownQuery))
	}
	if len(r.Tags) > 0 {
		text += fmt.Sprintf(" with the tags %q", cut(strings.Join(r.Tags, ", "), maxShownQuery))
	}
	return text
}

// The levels of what is said of a tool.
const (
	levelName = iota
	levelSummary
	levelFull
	levels
)

// writer fits an answer into its budget.
type writer struct {
	answer  *Answer
	request *Request
	texts   [][levels]json.RawMessage // of each tool, at each level; nil above the one that is wanted
	levels  []int                     // that are chosen
	short   int                       // tools whose schema is wanted and was left out
	full    []*tool.Spec
	told    []*tool.Spec
}

// wanted is the level that the request is about.
func (w *writer) wanted(f *Found) int {
	switch {
	case w.answer.Exact && w.request.Detail == "", w.request.Detail == Schema:
		return levelFull
	case w.request.Detail == Names:
		return levelName
	case w.request.Detail == Summary, f.Listed():
		return levelSummary
	}
	return levelFull
}

func (w *writer) forms() error {
	w.texts = make([][levels]json.RawMessage, len(w.answer.Tools))
	for i := range w.answer.Tools {
		f := &w.answer.Tools[i]
		for level := range w.wanted(f) + 1 {
			var err error
			if w.texts[i][level], err = tool.EncodeJSON(f.form(level, w.request.Explain)); err != nil {
				return fmt.Errorf("%s: %w", f.Spec.Name, err)
			}
		}
	}
	return nil
}

// form is the tool at a level.
func (f *Found) form(level int, explain bool) toolJSON {
	t := toolJSON{Name: f.Spec.Name, Permission: f.Permission, Listed: f.Listed()}
	if explain {
		t.Score, t.Explanation = f.Score, explained(f.Explained)
	}
	if level == levelName {
		return t
	}
	t.Description, t.Tags = cut(f.Spec.Description, maxSummary), freeTags(f.Spec)
	t.ReadOnly, t.Destructive = f.Spec.ReadOnly(), f.Spec.HasTag(tool.TagDestructive)
	if level == levelFull {
		t.Description, t.Schema = f.Spec.Description, f.Spec.Parameters
	}
	return t
}

// size is how many characters a tool takes at a level, with the comma behind it.
func (w *writer) size(i, level int) int { return utf8.RuneCount(w.texts[i][level]) + 1 }

// choose picks a level for each tool, in that many characters.
func (w *writer) choose(room int) {
	n := 0 // tools whose names there is room for; one at least
	for ; n < len(w.texts) && (n == 0 || room >= w.size(n, levelName)); n++ {
		room -= w.size(n, levelName)
	}
	for i := range n {
		f := &w.answer.Tools[i]
		wanted, level := w.wanted(f), levelName
		for l := wanted; l > levelName; l-- {
			if more := w.size(i, l) - w.size(i, levelName); more <= room {
				level, room = l, room-more
				break
			}
		}
		w.levels = append(w.levels, level)
		if level == levelFull {
			w.full = append(w.full, f.Spec)
		}
		if level > levelName {
			w.told = append(w.told, f.Spec)
		}
		if wanted == levelFull && level < levelFull {
			w.short++
		}
	}
}

// Characters is how many characters a tool has as openai-chat writes it, but for the
// order of its members.
func Characters(s *tool.Spec) int {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	data, err := tool.EncodeJSON(struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}{"function", function{s.Name, s.Description, s.Parameters}})
	if err != nil { // no schema that was compiled fails to encode
		return 0
	}
	return utf8.RuneCount(data)
}
