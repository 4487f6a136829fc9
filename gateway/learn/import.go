package learn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolgate/toolgate/discovery"
)

// Hint is a note as it is written in files and sent: one that a person wrote, or one
// that was learned and taken out of a book.
type Hint struct {
	Tool   string  `json:"tool"`             // full name
	Query  string  `json:"query"`            // at most MaxQuery bytes
	Weight float64 `json:"weight,omitempty"` // in (0, 1]; 1 when it is 0
	Group  string  `json:"group,omitempty"`  // see GroupOf; Everybody when empty
	Used   string  `json:"used,omitempty"`   // RFC 3339; empty for one that does not fade
}

// HintError is what is wrong with one of the hints that were to be imported.
type HintError struct {
	Index int    // of the hint
	Text  string // what is wrong
	Hint  string // what to do; may be empty
}

// Error gives the sentences.
func (e *HintError) Error() string {
	text := fmt.Sprintf("hint %d: %s", e.Index+1, e.Text)
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// FullError is that there is no room for all hints.
type FullError struct {
	Text string // how many there would be
	Hint string // what to do
}

// Error gives the sentences.
func (e *FullError) Error() string { return e.Text + ": " + e.Hint }

// List gives the notes as they count now, of one group or, where that is nil, of all;
// by group, tool and query.
func (b *Book) List(group *string) []Hint {
	now := stamp()
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := slices.SortedFunc(b.entries(), func(x, y *entry) int { return compareKeys(x.Key, y.Key) })
	hints := make([]Hint, 0, len(notes))
	for _, e := range notes {
		if group != nil && e.Group != *group || e.faded(now) {
			continue
		}
		h := Hint{Tool: e.Tool, Query: e.Query, Weight: e.Weight, Group: e.Group}
		if !e.written() {
			h.Used = e.Used.UTC().Format(timeLayout)
		}
		hints = append(hints, h)
	}
	return hints
}

// Import takes in hints, in place of all that there are where replace says so: of one
// group where group is not nil, which then is also that of the hints. An error that is
// about one of the hints is a [*HintError]; in case of an error nothing has changed.
func (b *Book) Import(ctx context.Context, hints []Hint, group *string, replace bool) error {
	made, err := read(hints, group)
	if err != nil {
		return err
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	edits, err := b.edits(made, group, replace)
	if err != nil {
		return err
	}
	if b.store != nil && len(edits) > 0 {
		if err := b.store.EditHints(ctx, edits); err != nil {
			return err
		}
	}
	b.mu.Lock()
	for i := range edits {
		delete(b.unsaved, edits[i].Key)
	}
	b.mu.Unlock()
	b.takeIn(edits)
	return nil
}

// read checks hints and makes notes of them, the last of those with the same key.
func read(hints []Hint, group *string) ([]Saved, error) {
	made := map[Key]Saved{}
	for i := range hints {
		h := hints[i]
		if group != nil {
			h.Group = *group
		}
		s, problem := h.saved()
		if problem != nil {
			problem.Index = i
			return nil, problem
		}
		made[s.Key] = s
	}
	return slices.SortedFunc(maps.Values(made), func(x, y Saved) int { return compareKeys(x.Key, y.Key) }), nil
}

// saved is the note of a hint.
func (h *Hint) saved() (Saved, *HintError) {
	s := Saved{Key: Key{Group: h.Group, Tool: h.Tool, Query: strings.Join(strings.Fields(strings.Map(plainRune, h.Query)), " ")}, Weight: cmp.Or(h.Weight, 1)}
	switch {
	case h.Tool == "":
		return s, &HintError{Text: "it names no tool", Hint: "write the full name under tool"}
	case !isToolName(h.Tool):
		return s, &HintError{Text: fmt.Sprintf("%.100q is no name of a tool", h.Tool), Hint: "write the full name under tool"}
	case s.Query == "":
		return s, &HintError{Text: "it has no query", Hint: "write under query what somebody would search for"}
	case len(s.Query) > MaxQuery:
		return s, &HintError{Text: fmt.Sprintf("its query has %d bytes, and at most %d are kept", len(s.Query), MaxQuery), Hint: "write several short ones"}
	case len(discovery.Terms(s.Query)) == 0:
		return s, &HintError{Text: fmt.Sprintf("its query %q has no word that searches look at", s.Query), Hint: "say what the tool does"}
	case !(s.Weight > 0 && s.Weight <= 1): // not a number is neither
		return s, &HintError{Text: fmt.Sprintf("its weight is %v", h.Weight), Hint: "it is more than 0 and at most 1"}
	case !isGroup(h.Group):
		return s, &HintError{Text: fmt.Sprintf("%.100q is no group of callers", h.Group), Hint: `write "group:" and names with commas between them, "caller:" and an ID, or nothing for everybody`}
	}
	return s, h.fades(&s)
}

// fades reads when the note was used.
func (h *Hint) fades(s *Saved) *HintError {
	if h.Used == "" {
		return nil
	}
	at, err := parseTime(h.Used)
	if err != nil {
		return &HintError{Text: fmt.Sprintf("%.100q is no time", h.Used), Hint: "write it as 2026-01-31T12:00:00Z, or leave out used for a hint that does not fade"}
	}
	if s.Used = at; s.Used.After(stamp()) {
		s.Used = stamp()
	}
	return nil
}

// maxTool is the most characters of the name of a tool.
const maxTool = 256

// isToolName reports whether a name looks like that of a tool, of this gateway or of
// another.
func isToolName(name string) bool {
	n := utf8.RuneCountInString(name)
	return n > 0 && n <= maxTool && !strings.ContainsFunc(name, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsNumber(c) && !strings.ContainsRune("_./:-", c)
	})
}

// maxGroup is the most bytes of the name of a group of callers.
const maxGroup = 4096

func isGroup(name string) bool {
	rest, ok := strings.CutPrefix(name, "group:")
	if !ok {
		rest, ok = strings.CutPrefix(name, "caller:")
	}
	unprintable := strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) })
	return name == Everybody || ok && rest != "" && len(name) <= maxGroup && !unprintable
}

// edits are the changes that an import makes.
func (b *Book) edits(made []Saved, group *string, replace bool) ([]Saved, error) {
	now := stamp()
	b.mu.Lock()
	defer b.mu.Unlock()
	after := map[Key]bool{} // whether a person wrote it
	var gone []Saved
	for e := range b.entries() {
		if replace && (group == nil || *group == e.Group) {
			gone = append(gone, Saved{Key: e.Key, Used: now})
			continue
		}
		after[e.Key] = e.written()
	}
	for i := range made {
		after[made[i].Key] = made[i].written()
	}
	if err := checkRoom(after); err != nil {
		return nil, err
	}
	gone = slices.DeleteFunc(gone, func(s Saved) bool { _, stays := after[s.Key]; return stays })
	slices.SortFunc(gone, func(x, y Saved) int { return compareKeys(x.Key, y.Key) })
	return append(gone, made...), nil
}

// checkRoom refuses more notes that persons wrote than there is room for: they do not
// push each other out.
func checkRoom(after map[Key]bool) error {
	type of struct{ group, tool string }
	perTool, tools, all := map[of]int{}, map[string]int{}, 0
	for _, key := range slices.SortedFunc(maps.Keys(after), compareKeys) {
		if !after[key] {
			continue
		}
		all++
		at := of{key.Group, key.Tool}
		if perTool[at]++; perTool[at] == 1 {
			tools[key.Group]++
		}
		switch {
		case perTool[at] > MaxPerTool:
			return &FullError{fmt.Sprintf("the tool %s would have more than %d hints", key.Tool, MaxPerTool), "keep those that differ most from its description"}
		case tools[key.Group] > MaxTools:
			return &FullError{fmt.Sprintf("more than %d tools would have hints", MaxTools), "keep those of tools that are hard to find"}
		case all > MaxNotes:
			return &FullError{fmt.Sprintf("there would be more than %d hints", MaxNotes), "keep those of tools that are hard to find"}
		}
	}
	return nil
}
