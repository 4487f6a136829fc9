package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// activationTool asks for a group of tools; the user may answer at once where the
// client has forms.
const activationTool = "request_tool_activation"

// activationWait is how long the user has for the form. After that the request
// waits elsewhere, and the model goes on.
const activationWait = 45 * time.Second

// activateName is the one member of the form.
const activateName = "activate"

// activationSchema has no default: who sends the form off without looking has not
// agreed.
const activationSchema = `{"type":"object","properties":{"` + activateName + `":{"type":"boolean","title":"Activate these tools",` +
	`"description":"Yes lets the model use them in this chat. No leaves them off."}},"required":["` + activateName + `"]}`

// activationForm asks in a session, while the call waits. A form that is closed is
// no answer.
func activationForm(session *mcp.ServerSession) tool.ActivationForm {
	return func(ctx context.Context, group, reason string) (bool, error) {
		ctx, stop := context.WithTimeout(ctx, activationWait)
		defer stop()
		res, err := session.Elicit(ctx, &mcp.ElicitParams{
			Mode: "form", Message: activationText(group, reason), RequestedSchema: json.RawMessage(activationSchema),
		})
		if err != nil {
			return false, err
		}
		return activates(res)
	}
}

// activationText is what the user reads, of which nothing can pass for another line.
func activationText(group, reason string) string {
	text := "Shall the model have more tools in this chat?\nGroup: " + visible(group, maxAskedLine)
	if reason != "" {
		text += "\nThe model says: " + visible(reason, maxAskedLine)
	}
	return text
}

func activates(res *mcp.ElicitResult) (bool, error) {
	switch res.Action {
	case "decline":
		return false, nil
	case "accept":
		yes, ok := res.Content[activateName].(bool)
		if !ok {
			return false, fmt.Errorf("the form came back without %q as true or false", activateName)
		}
		return yes, nil
	}
	return false, errors.New("the form was closed without an answer")
}
