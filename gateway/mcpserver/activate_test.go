package mcpserver_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

// grouped is a gateway whose model asks for a group of tools.
type grouped struct{ fake }

func (g *grouped) Call(ctx context.Context, call tool.Call) tool.Result {
	said := "stored"
	if form := tool.ActivationFormOf(ctx); form != nil {
		switch yes, err := form(ctx, "web", "to look\nit up"); {
		case err != nil:
			said = "stored: " + err.Error()
		case yes:
			said = "activated"
		default:
			said = "declined"
		}
	}
	return tool.Result{Tool: call.Tool, Status: tool.StatusOK, Output: tool.TextOutput(said)}
}

// TestActivationForm asks users of all kinds for a group, through every door: those
// of 2026-07-28 are never asked while their call waits.
func TestActivationForm(t *testing.T) {
	type user = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
	tests := map[string]struct {
		user user
		want string
	}{
		"wants it":      {says("accept", map[string]any{"activate": true}), "activated"},
		"says no":       {says("accept", map[string]any{"activate": false}), "declined"},
		"declines":      {says("decline", nil), "declined"},
		"closes it":     {says("cancel", nil), "stored: the form was closed without an answer"},
		"says a text":   {says("accept", map[string]any{"activate": "true"}), "stored: "},
		"is not there":  {func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, errors.New("no") }, "stored: "},
		"has no screen": {nil, "stored"},
	}
	for name, tt := range tests {
		for _, door := range doors {
			t.Run(name+", "+door.name, func(t *testing.T) {
				s := mcpserver.New(&grouped{fake{specs: numbered(1)}}, mcpserver.Options{})
				t.Cleanup(func() { _ = s.Close() })
				asked := ""
				var user user
				if tt.user != nil {
					user = func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked = req.Params.Message
						return tt.user(ctx, req)
					}
				}
				session := door.connectAs(t, s, withForm(user))
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "request_tool_activation", Arguments: map[string]any{"group": "web"}})
				if err != nil {
					t.Fatal(err)
				}
				want := tt.want
				if door.version == "2026-07-28" {
					want = "stored"
				}
				if got := res.Content[0].(*mcp.TextContent).Text; !strings.HasPrefix(got, want) {
					t.Errorf("the answer is %q, want %q", got, want)
				}
				message := "Shall the model have more tools in this chat?\nGroup: web\nThe model says: to look\\u000ait up"
				if want = message; tt.user == nil || door.version == "2026-07-28" {
					want = ""
				}
				if asked != want {
					t.Errorf("the user read %q, want %q", asked, want)
				}
			})
		}
	}
}
