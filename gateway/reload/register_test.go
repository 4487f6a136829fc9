package reload_test

import (
	"context"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// saying is a tool of the program that answers with a text.
type saying string

func (s saying) Run(context.Context, tool.Input) (tool.Output, error) {
	return tool.TextOutput(string(s)), nil
}

func brought(name string) *tool.Tool {
	return &tool.Tool{Spec: tool.Spec{Name: name, Description: "Says " + name + "."}, Runner: saying(name)}
}

// TestRegister: tools of the program come in, stay over reloads and go again.
func TestRegister(t *testing.T) {
	t.Parallel()
	h := opened(t, tools(one))
	undo, err := h.r.Register(t.Context(), brought("two"), brought("three"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(step, tools, answer string, told int) {
		t.Helper()
		if got := h.tools(); got != tools {
			t.Errorf("%s: %s", step, got)
		}
		if got := h.answer("two"); got != answer {
			t.Errorf("%s: %s", step, got)
		}
		if h.changed != told {
			t.Errorf("%s: told %d times", step, h.changed)
		}
	}
	const all, gone = "read_result one three two", "Error: no tool is named \"two\"\nCall one of the tools in your tool list by its exact name."
	check("registered", all, "two", 1)
	h.write(map[string]string{"tools.yaml": "not: valid\n"})
	h.reload()
	check("a broken file", all, "two", 1)
	h.write(tools("  uno: {description: Uno., expr: '1'}\n"))
	h.reload()
	check("another file", "read_result three two uno", "two", 2)
	h.write(tools("  Two: {description: Uno., expr: '1'}\n"))
	if got := h.reload(); got != "tool two of the program: models confuse this name with that of tools.Two at tools.yaml:4:3 (rename one of them)" {
		t.Error(got)
	}
	undo()
	check("undone", "read_result uno", gone, 3)
	undo()
	h.reload()
	check("the file that collided", "read_result Two", "Error: no tool is named \"two\"\nDid you mean \"Two\"? Tool names must match exactly.", 4)
}
