package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/clients"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
)

// values are those of the flag before the cursor.
func (t *typed) values() []candidate {
	switch t.flag.Names()[0] {
	case "format":
		if t.command.Name == "lint" {
			return words("text", "json", "sarif")
		}
		return words(formatNames()...)
	case "via":
		return words(string(tool.ViaDirect), "batch", string(tool.ViaCallTool), "code")
	case "detail":
		return words("names", "summary", "schema")
	case "caller":
		return t.configured(func(c *config.Config) []string { return slices.Sorted(maps.Keys(c.Server.Callers)) })
	case "activate":
		return t.configured(func(c *config.Config) []string { return slices.Sorted(maps.Keys(c.Groups)) })
	case "profile":
		return t.configured(func(c *config.Config) []string { return slices.Sorted(maps.Keys(c.Profiles)) })
	case "source":
		return t.configured(func(c *config.Config) []string { return slices.Sorted(maps.Keys(c.Sources)) })
	case "tool":
		return t.tools()
	}
	for _, kind := range []string{"`FILE`", "`FOLDER`", "`DIR`"} {
		if v, ok := t.flag.(cli.DocGenerationFlag); ok && strings.Contains(v.GetUsage(), kind) {
			return words(filesMark)
		}
	}
	return nil
}

// arguments are those of the command that may come next.
func (t *typed) arguments() []candidate {
	switch path := t.command.FullName(); {
	case path == "gateway tools show" && len(t.args) == 0,
		(path == "gateway tools call" || path == "gateway policy explain") && len(t.args) == 0:
		return t.tools()
	case path == "gateway tools call", path == "gateway policy explain":
		return t.properties()
	case path == "gateway mcp add" && len(t.args) == 0:
		return words(clients.Names()...)
	case strings.Contains(t.command.ArgsUsage, "FILE"), strings.Contains(t.command.ArgsUsage, ".yaml"), t.command.ArgsUsage == "SPEC":
		return words(filesMark)
	}
	return nil
}

// tools are all that the configuration has, also those that nobody may call.
func (t *typed) tools() (all []candidate) {
	t.assembled(func(a *assembly.Assembly) {
		for _, e := range a.Generation.Tools.All() {
			line, _, _ := strings.Cut(e.Spec.Description, "\n")
			all = append(all, candidate{e.Spec.Name, line})
		}
	})
	return all
}

// properties are the arguments of the tool that has been named, without those that
// stand before the cursor.
func (t *typed) properties() (all []candidate) {
	if strings.ContainsAny(t.current, "=") {
		return words(filesMark)
	}
	t.assembled(func(a *assembly.Assembly) {
		e, ok := a.Generation.Tools.Lookup(t.args[0])
		if !ok {
			return
		}
		var shown struct {
			Properties map[string]struct {
				Type        any    `json:"type"`
				Description string `json:"description"`
			} `json:"properties"`
		}
		if json.Unmarshal(e.Spec.Parameters, &shown) != nil {
			return
		}
		required := schema.Required(e.Spec.Parameters)
		for _, name := range slices.SortedFunc(maps.Keys(shown.Properties), requiredFirst(required)) {
			equals := ":="
			if shown.Properties[name].Type == "string" {
				equals = "="
			}
			given := func(arg string) bool { return strings.HasPrefix(arg, name+"=") || strings.HasPrefix(arg, name+":=") }
			if !slices.ContainsFunc(t.args[1:], given) {
				all = append(all, candidate{name + equals, shown.Properties[name].Description})
			}
		}
	})
	return all
}

// requiredFirst orders names of arguments: those that a call needs, then the rest.
func requiredFirst(required []string) func(a, b string) int {
	rank := func(name string) string {
		if slices.Contains(required, name) {
			return "0" + name
		}
		return "1" + name
	}
	return func(a, b string) int { return strings.Compare(rank(a), rank(b)) }
}

// options are the layers of the configuration that the line names.
func (t *typed) options() config.Options {
	o := t.config
	if len(o.Files) == 0 {
		o.Files = []string{"tools.yaml"}
	}
	return o
}

// configured gives names that stand in the configuration, as far as it can be read.
func (t *typed) configured(names func(*config.Config) []string) []candidate {
	cfg, _ := config.Load(t.options())
	if cfg == nil {
		return nil
	}
	return words(names(cfg)...)
}

// assembled is for what only a configuration without mistakes has. No secret is read and
// no connection opened.
func (t *typed) assembled(use func(*assembly.Assembly)) {
	_, a, _, err := loadWith(t.options(), assembly.Declared, assembly.DocumentsKept)
	if err != nil {
		return
	}
	use(a)
	_ = a.Close()
}

func words(all ...string) []candidate {
	out := make([]candidate, len(all))
	for i, text := range all {
		out[i].text = text
	}
	return out
}
