package cmdtool

import "github.com/toolgate/toolgate/gateway/expression"

// Config is the "command" block of a tool. Every text in it is a template but
// those of Exit.
type Config struct {
	Argv  expression.Texts `koanf:"argv"`  // program and arguments; no shell is involved
	Stdin *string          `koanf:"stdin"` // what the program reads; nothing when absent
	// Cwd is the working directory; the configuration's folder when absent, which
	// is also what a relative one belongs to. What arguments of the call make of it
	// stays inside the folder that is written before the first of them.
	Cwd     *string           `koanf:"cwd"`
	Env     map[string]string `koanf:"env"`      // further variables by name; one whose value is absent is not set
	EnvOnly bool              `koanf:"env_only"` // the program sees no variable but those of Env
	// Exit says what exit statuses other than 0 mean that are no failure, such as
	// 1 of a search that found nothing: the text stands before what the program
	// wrote. A status that is not here is a failure.
	Exit     map[string]string `koanf:"exit"`
	Progress Progress          `koanf:"progress"`
}

// Progress says how a program tells how far it is; the empty one does not.
type Progress string

// JSONLines takes every line of standard output that is a JSON object with a
// number "progress" for a step, as in {"progress": 3, "total": 10, "message":
// "reading"}; the other lines are the output.
const JSONLines Progress = "json-lines"
