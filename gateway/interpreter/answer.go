package interpreter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// answer is what came of a call, on its way to a model.
type answer struct {
	ran     *Ran
	took    time.Duration
	limits  *Limits
	left    []left
	unsaved error  // why what is left is no file of the chat; nil where it is, or could not be
	address string // of the first file; "" is not told
}

// The outcomes of a program that did not come to an end of its own.
const (
	outcomeTimeout = "timeout"
	outcomeEnded   = "ended"
)

// output is all that the program left behind: one text, so that clients which read
// the structured form alone miss nothing, and images and other bytes behind it.
func (a *answer) output(outcome string) tool.Output {
	value := a.ran.Reply.Value
	s := structured{
		Outcome: outcome, Stdout: text(a.ran.Stdout), Stderr: text(a.ran.Stderr), Notes: a.notes(),
		DurationMS: float64(a.took.Microseconds()) / 1000,
	}
	out := tool.Output{}
	if value != nil {
		if s.Value = a.clip(value.Repr); len(value.JSON) <= a.limits.Value && wire.PlainJSON(value.JSON) {
			s.JSON = value.JSON
		}
		if len(value.Data) > 0 {
			out.Content = append(out.Content, shown(value))
		}
	}
	if f := a.ran.Reply.Failure; f != nil {
		s.Error = &failure{Type: a.clip(f.Type), Message: a.clip(f.Message), Line: f.Line, Traceback: a.clip(f.Traceback), Hint: a.clip(f.Hint)}
	}
	if outcome == string(wire.Exited) {
		s.ExitCode = &a.ran.Reply.ExitCode
	}
	for i := range a.left {
		l := &a.left[i]
		s.Files = append(s.Files, file{Path: l.Path, Size: l.Size, Media: l.Media, Saved: l.saved, Replaced: l.replaced})
		if l.block != nil {
			out.Content = append(out.Content, *l.block)
		}
	}
	if said := a.text(&s); said != "" {
		out.Content = slices.Insert(out.Content, 0, tool.TextOutput(said).Content...)
	}
	if data, err := tool.EncodeJSON(&s); err == nil { // only a value that is no JSON fails
		out.Structured = data
	}
	return out
}

// structured is the answer for programs.
type structured struct {
	Outcome    string          `json:"outcome"`
	Stdout     string          `json:"stdout"`
	Stderr     string          `json:"stderr,omitempty"`
	Value      string          `json:"value,omitempty"` // as repr gives it
	JSON       json.RawMessage `json:"json,omitempty"`  // the value as such
	Error      *failure        `json:"error,omitempty"`
	ExitCode   *int            `json:"exit_code,omitempty"`
	Files      []file          `json:"files,omitempty"`
	Notes      []string        `json:"notes,omitempty"`
	DurationMS float64         `json:"duration_ms"`
}

type failure struct {
	Type      string `json:"type"`
	Message   string `json:"message"`
	Line      int    `json:"line,omitempty"`
	Traceback string `json:"traceback,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

type file struct {
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	Media    string `json:"media_type"`
	Saved    bool   `json:"saved"`
	Replaced bool   `json:"replaced,omitempty"`
}

// text is the answer for models: each part under its name, but for one that stands
// alone.
func (a *answer) text(s *structured) string {
	var parts []part
	add := func(name, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			parts = append(parts, part{name, text})
		}
	}
	add("stdout", s.Stdout)
	add("stderr", s.Stderr)
	add("value", s.Value)
	if s.Error != nil {
		add("traceback", s.Error.Traceback)
	}
	add("files", a.files())
	add("notes", strings.Join(s.Notes, "\n"))
	if len(parts) == 1 && (parts[0].name == "stdout" || parts[0].name == "value") {
		return parts[0].text
	}
	all := make([]string, 0, len(parts))
	for _, p := range parts {
		all = append(all, "["+p.name+"]\n"+p.text)
	}
	return strings.Join(all, "\n\n")
}

type part struct{ name, text string }

// files are lines about what was left behind.
func (a *answer) files() string {
	lines := make([]string, 0, len(a.left)+2)
	for i := range a.left {
		l := &a.left[i]
		line := fmt.Sprintf("%s (%s, %s)", l.Path, l.Media, inBytes(l.Size))
		if l.replaced {
			line += ", in place of the one that was there"
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 && a.left[0].saved {
		path, _ := json.Marshal(a.left[0].Path) // a text
		how := fmt.Sprintf("They are files of this chat now: a later call reads them with \"files\": [%s]", path)
		if a.address != "" {
			how += ", and people get them by HTTP, as at " + a.address
		}
		lines = append(lines, how+".")
	}
	return strings.Join(lines, "\n")
}

// notes are what was left out, and why.
func (a *answer) notes() []string {
	notes := slices.Clone(a.ran.Reply.Notes)
	cut := func(name string, kept int, dropped int64) {
		if dropped > 0 {
			notes = append(notes, fmt.Sprintf("Of %s the first %s are kept, and %s more were printed.", name, inBytes(int64(kept)), inBytes(dropped)))
		}
	}
	cut("stdout", len(a.ran.Stdout), a.ran.DroppedOut)
	cut("stderr", len(a.ran.Stderr), a.ran.DroppedErr)
	if v := a.ran.Reply.Value; v != nil && v.Cut {
		notes = append(notes, fmt.Sprintf("The value is cut: its text has more than %s. Print or write to /out what you need of it.", inBytes(int64(a.limits.Value))))
	}
	if a.unsaved != nil {
		e := asTool(a.unsaved)
		notes = append(notes, fmt.Sprintf("The files are in this answer and not saved to the chat: %s. %s", e.Message, e.Hint))
	}
	return notes
}

// shown is the picture that the value is. What is no image that models can see is
// kept as it is.
func shown(v *wire.Value) tool.Content {
	if block, ok := picture(v.Data); ok {
		return block
	}
	return tool.Content{Type: tool.ContentResource, Data: v.Data, MIMEType: v.Media}
}

// clip is a text that the interpreter gave, within the limit that it should keep by
// itself.
func (a *answer) clip(text string) string {
	if len(text) <= a.limits.Value {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return tool.Excerpt([]byte(text), a.limits.Value)
}

// text is what a program printed. What is no UTF-8 is replaced.
func text(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
