package host

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// byForm is who activates a group that the user of a client agreed to in its form.
const byForm = "the client's user"

// byAnother is who made a change that was found in the store: this program with the
// command chats, or another server.
const byAnother = "another process"

// activations keeps at the desk what models ask for.
type activations struct{ desk *chat.Desk }

// Ask notes a request.
func (a activations) Ask(ctx context.Context, caller, id, group, reason string) (again bool, err error) {
	return a.desk.Ask(ctx, chat.Key{Caller: caller, ID: id}, group, reason)
}

// Activate makes a group active.
func (a activations) Activate(ctx context.Context, caller, id, group string) error {
	_, err := a.desk.Activate(ctx, chat.Key{Caller: caller, ID: id}, group, byForm)
	return err
}

// Decline takes a request out.
func (a activations) Decline(ctx context.Context, caller, id, group string) error {
	_, err := a.desk.Decline(ctx, chat.Key{Caller: caller, ID: id}, group, byForm)
	return err
}

// chatGroups is what there is to activate, as the HTTP API asks for it.
func (s *Server) chatGroups() httpapi.ChatGroups { return chatGroups{s.House} }

type chatGroups struct{ house *House }

// Names are all groups.
func (g chatGroups) Names() []string { return g.house.Gateway.Groups() }

// Callers are those of the file, and who needs no token.
func (g chatGroups) Callers() []string {
	book := g.house.access.Book()
	out := []string{tool.Anonymous}
	for _, c := range book.Callers() {
		out = append(out, c.ID)
	}
	slices.Sort(out)
	return out
}

// Offered are the groups that a caller may have and has not. Of another caller than
// the one who asks as much is known as the file says.
func (g chatGroups) Offered(ctx context.Context, who tool.Caller, key chat.Key) []httpapi.OfferedGroup {
	if who.ID != key.Caller {
		who = g.caller(key.Caller)
	}
	offered := g.house.Gateway.Offered(ctx, tool.View{Caller: who, Chat: tool.Chat{ID: key.ID}})
	return OfferedGroups(offered)
}

func (g chatGroups) caller(id string) tool.Caller {
	book := g.house.access.Book()
	known := book.Callers()
	at := slices.IndexFunc(known, func(c tool.Caller) bool { return c.ID == id })
	if at < 0 {
		return tool.Caller{ID: id, Name: id, Kind: tool.KindMCP}
	}
	c := known[at]
	c.Kind = tool.KindMCP
	return c
}

// OfferedGroups are groups that may be activated, as the HTTP API shows them.
func OfferedGroups(offered []activation.Group) []httpapi.OfferedGroup {
	out := make([]httpapi.OfferedGroup, 0, len(offered))
	for _, o := range offered {
		out = append(out, httpapi.OfferedGroup{Name: o.Name, Description: o.Description, Tools: o.Tools})
	}
	return out
}

// chatChanged tells everybody who may know of what happened to the groups of a chat,
// and of what was found in it.
func (s *Server) chatChanged(c chat.Change) {
	mask := s.Gateway.Mask
	s.Feed.ChatChanged(c, mask)
	for _, r := range c.Requested {
		s.logger.Info("a model asks for a group of tools", "caller", c.Caller, "chat", mask(c.ID), "group", r.Group, "reason", r.Reason)
	}
	if len(c.Declined) > 0 {
		s.logger.Info("a request for tools is declined", "caller", c.Caller, "chat", mask(c.ID), "groups", strings.Join(c.Declined, " "), "by", cmp.Or(c.By, byAnother))
	}
	if len(c.Activated)+len(c.Deactivated) > 0 {
		s.logger.Info("the groups of a chat changed", "caller", c.Caller, "chat", mask(c.ID), "active", strings.Join(c.Groups, " "), "by", cmp.Or(c.By, byAnother))
	}
	switch {
	case len(c.Activated)+len(c.Deactivated)+len(c.Forgotten) > 0:
		s.MCP.ChatChanged(c.Caller, c.ID)
	case len(c.Found) > 0:
		s.MCP.ToolsFound(c.Caller, c.ID)
	}
}
