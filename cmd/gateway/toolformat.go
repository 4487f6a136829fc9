package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// toolFormat makes what is sent of tools.
type toolFormat func(specs []*tool.Spec) any

// toolFormats are the forms in which models and clients are sent tools.
func toolFormats() map[string]toolFormat {
	return map[string]toolFormat{
		"openai-chat":      func(specs []*tool.Spec) any { return provider.OpenAIChat(specs) },
		"openai-responses": func(specs []*tool.Spec) any { return provider.OpenAIResponses(specs) },
		"anthropic":        func(specs []*tool.Spec) any { return provider.Anthropic(specs) },
		"gemini":           func(specs []*tool.Spec) any { return provider.Gemini(specs) },
		"mcp":              func(specs []*tool.Spec) any { return provider.MCP(specs) },
	}
}

func formatNames() []string { return slices.Sorted(maps.Keys(toolFormats())) }

// formatOf is the form that a flag asks for; nil for none.
func formatOf(cmd *cli.Command) (toolFormat, error) {
	name := cmd.String("format")
	if name == "" {
		return nil, nil
	}
	format, ok := toolFormats()[name]
	switch {
	case !ok:
		return nil, usagef("--format is one of %s, not %q%s", strings.Join(formatNames(), ", "), name, hinted(diag.DidYouMean(name, formatNames())))
	case cmd.Bool("deferred"):
		return nil, usagef("--deferred is for lists without --format: models are not sent tools that they have to search for")
	}
	return format, nil
}
