package cmdtool

import "github.com/toolgate/toolgate/gateway/expression"

// Config is the "command" block of a tool. Every text in it is a template.
type Config struct {
	Argv  expression.Texts `koanf:"argv"`  // program and arguments; no shell is involved
	Stdin *string          `koanf:"stdin"` // what the program reads; nothing when absent
}
