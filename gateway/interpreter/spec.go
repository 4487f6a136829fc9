package interpreter

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// ToolName is the name of the tool.
const ToolName = "code_interpreter"

// The limits of the arguments of one call.
const (
	MaxCode         = 200_000  // characters of a program
	MaxFiles        = 50       // files of the chat that a program is given
	MaxDependencies = 50       // packages that a call says it needs
	MaxInput        = 64 << 20 // bytes of all files that a program is given

	maxPath       = 600 // characters of a path: those of a chat's file, and /files/ before it
	maxDependency = 200 // characters of one
)

// QueueTime is the most that a call waits beside the time that its program may take:
// for an interpreter, its files, and what it leaves behind to be kept.
const QueueTime = 60 * time.Second

// Limits are what a program may take and leave behind; all are more than zero.
type Limits struct {
	Timeout   time.Duration // of the program alone
	Memory    tool.Size     // of the interpreter and all that a program makes
	Value     int           // bytes of the value of the last expression, each form of it by itself
	Artifacts int           // files under /out
	Written   int64         // bytes of all files that are written
}

// Package is one that programs can import beside the standard library.
type Package struct{ Name, Version string }

// About is what models are told of the interpreter.
type About struct {
	Version  string    // of Python, such as 3.12; "" is not told
	Packages []Package // by name
	Limits   Limits
	Chats    bool // there are files of chats
}

// NewSpec is the tool as models are shown it. It is judged, limited, hooked and
// recorded as if it were declared.
func NewSpec(a About) *tool.Spec {
	return &tool.Spec{
		Name:        ToolName,
		Title:       "Run Python",
		Description: a.description(),
		SearchHint:  "python code script program calculate analyse plot csv json data",
		Parameters:  parameters(),
		Tags:        []string{tool.TagSlow},
		Method:      ToolName,
		Source:      tool.SourceInterpreter,
		Timeout:     a.Limits.Timeout + QueueTime,
		MaxOutput:   tool.DefaultMaxOutput,
	}
}

func (a *About) description() string {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) } // it never fails
	say("Run a %s program in a sandbox. What it prints comes back, and the value of its last expression; print what else you need to see.\n", strings.TrimSpace("Python "+a.Version))
	say("Every call starts in the same clean interpreter: nothing of earlier calls is there, so send the whole program.\n")
	say("It has the standard library%s. Nothing can be installed, and nothing with native code is there, such as numpy or pandas. There is no network, no thread, no subprocess and no input(); await works at the top level.\n", a.packages())
	say("Files of this chat are in /files, read-only, where \"files\" names them. What is written to /out, the current folder, becomes files of this chat, and images of it are shown to you; /tmp is for anything else.\n")
	say("Limits: %s, and %s of memory with the interpreter.", tool.Span(a.Limits.Timeout), inBytes(int64(a.Limits.Memory)))
	return b.String()
}

// packages are those that are named, as the end of a sentence.
func (a *About) packages() string {
	if len(a.Packages) == 0 {
		return ""
	}
	names := make([]string, 0, len(a.Packages))
	for _, p := range a.Packages {
		names = append(names, strings.TrimSpace(p.Name+" "+p.Version))
	}
	return " and " + strings.Join(names, ", ")
}

// property is one argument as JSON Schema has it.
type property struct {
	Type        string    `json:"type"`
	Description string    `json:"description,omitempty"`
	MinLength   int       `json:"minLength,omitempty"`
	MaxLength   int       `json:"maxLength,omitempty"`
	MaxItems    int       `json:"maxItems,omitempty"`
	Items       *property `json:"items,omitempty"`
}

// parameters is the schema of the arguments.
func parameters() json.RawMessage {
	type properties struct {
		Code         property `json:"code"`
		Files        property `json:"files"`
		Dependencies property `json:"dependencies"`
	}
	p := properties{
		Code: property{Type: "string", Description: "The whole program.", MaxLength: MaxCode},
		Dependencies: property{
			Type: "array", Description: "Packages that the program needs, such as \"attrs\" or \"pyyaml>=6\": the call fails at once where one is not there.",
			MaxItems: MaxDependencies, Items: &property{Type: "string", MinLength: 1, MaxLength: maxDependency},
		},
		Files: property{
			Type: "array", Description: "Paths of files of this chat that the program reads: \"data/a.csv\" is /files/data/a.csv then.",
			MaxItems: MaxFiles, Items: &property{Type: "string", MinLength: 1, MaxLength: maxPath},
		},
	}
	data, err := tool.EncodeJSON(struct {
		Type       string     `json:"type"`
		Properties properties `json:"properties"`
		Required   []string   `json:"required"`
		Closed     bool       `json:"additionalProperties"`
	}{"object", p, []string{"code"}, false})
	if err != nil {
		panic("the schema of " + ToolName + ": " + err.Error()) // texts and numbers
	}
	return data
}

// inBytes writes a number of bytes for people and models.
func inBytes(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20 || n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	case n == 1:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
