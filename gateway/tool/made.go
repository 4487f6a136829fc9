package tool

// Tool is a tool that a Go program brings with it, beside those of its configuration:
// what models are shown, the limits, and what runs it.
type Tool struct {
	// Spec says what the tool is. Its Name must be one a tool may have; Namespace,
	// Method, Source and Groups are set when it is registered, and limits that are zero
	// are those that the configuration has for all tools.
	Spec   Spec
	Runner Runner
	// Err says why there is no such tool; whoever is given the tool to register
	// reports it. It is nil where there is one.
	Err error
}
