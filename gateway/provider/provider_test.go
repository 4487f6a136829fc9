package provider_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

// specs hold what is easily lost on the way: the order of keys, numbers beyond
// a float64, characters that HTML escapes, a tool without parameters.
func specs() []*tool.Spec {
	return []*tool.Spec{
		{
			Name: "zeta", Title: "Zeta & co", Description: "Finds a <customer> by id.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},` +
				`"a":{"type":"number","multipleOf":1.10,"description":"a < b"}},"required":["z"],"$defs":{},"additionalProperties":false}`),
			Tags: []string{tool.TagReadOnly, tool.TagNetwork, "crm"},
		},
		{Name: "pay", Description: "Pays.", Parameters: json.RawMessage(`{"type":"object"}`), Tags: []string{tool.TagDestructive}},
		{Name: "bare", Tags: []string{"free"}},
	}
}

// deferred are the specs with the last one deferred.
func deferred() []*tool.Spec {
	all := specs()
	all[len(all)-1].Deferred = true
	return all
}

// TestUnmarked holds that a deferred tool looks like any other one where nothing is
// to be searched: a mark would keep it from the model.
func TestUnmarked(t *testing.T) {
	for name, shapes := range map[string][2]any{
		"openai-chat":      {provider.OpenAIChat(specs()), provider.OpenAIChat(deferred())},
		"openai-responses": {provider.OpenAIResponses(specs()), provider.OpenAIResponses(deferred())},
		"anthropic":        {provider.Anthropic(specs()), provider.Anthropic(deferred())},
		"gemini":           {provider.Gemini(specs()), provider.Gemini(deferred())},
		"mcp":              {provider.MCP(specs()), provider.MCP(deferred())},
	} {
		if diff := cmp.Diff(shapes[0], shapes[1]); diff != "" {
			t.Errorf("%s (-not deferred +deferred):\n%s", name, diff)
		}
	}
}

func TestGolden(t *testing.T) {
	tests := map[string]any{
		"openai-chat.json":       provider.OpenAIChat(specs()),
		"openai-chat-empty.json": provider.OpenAIChat(nil),
		"mcp.json":               provider.MCP(specs()),
		"mcp-empty.json":         provider.MCP(nil),

		"openai-responses.json":       provider.OpenAIResponses(specs()),
		"openai-responses-empty.json": provider.OpenAIResponses(nil),
		"anthropic.json":              provider.Anthropic(specs()),
		"anthropic-empty.json":        provider.Anthropic(nil),
		"gemini.json":                 provider.Gemini(specs()),
		"gemini-empty.json":           provider.Gemini(nil),

		"openai-responses-deferred.json":    provider.OpenAIResponsesDeferred(deferred()),
		"anthropic-deferred.json":           provider.AnthropicDeferred(deferred()),
		"mcp-deferred.json":                 provider.MCPDeferred(deferred()),
		"anthropic-references.json":         provider.ToolReferences(deferred()),
		"anthropic-references-empty.json":   provider.ToolReferences(nil),
		"openai-responses-search.json":      provider.OpenAIToolSearch("call_1", deferred()),
		"openai-responses-search-none.json": provider.OpenAIToolSearch("", nil),
	}
	for name, shape := range tests {
		t.Run(name, func(t *testing.T) { golden(t, filepath.Join("testdata", name), shape) })
	}
}

func golden(t *testing.T, path string, shape any) {
	t.Helper()
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(shape); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestSpecsStay holds the promise that a shape changes nothing of its specs.
func TestSpecsStay(t *testing.T) {
	given := specs()
	provider.OpenAIChat(given)
	provider.MCP(given)
	provider.OpenAIResponses(given)
	provider.Anthropic(given)
	provider.Gemini(given)
	provider.OpenAIResponsesDeferred(given)
	provider.AnthropicDeferred(given)
	provider.MCPDeferred(given)
	provider.OpenAIToolSearch("", given)
	if diff := cmp.Diff(specs(), given); diff != "" {
		t.Errorf("specs changed (-before +after):\n%s", diff)
	}
}
