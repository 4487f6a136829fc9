package mcpserver

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestIdentifierUsedAgain holds that a call that has left, and leaves once more,
// takes nothing of the one that has its identifier now.
func TestIdentifierUsedAgain(t *testing.T) {
	var c calls
	name := callName{new(mcp.ServerSession), "3"}
	_, leave := c.enter(t.Context(), name)
	leave()
	again, leaveAgain := c.enter(t.Context(), name)
	defer leaveAgain()
	leave()
	if _, third := c.enter(t.Context(), name); third != nil {
		t.Error("the identifier is taken for free")
	}
	c.cancel(name)
	if !errors.Is(context.Cause(again), errCancelled) {
		t.Errorf("the call goes on, cancelled: %v", context.Cause(again))
	}
}
