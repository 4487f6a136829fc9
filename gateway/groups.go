package gateway

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// Group is a named group of tools, which users activate in their chats.
type Group struct{ Name, Description string }

// Groups are the groups of one configuration.
type Groups struct {
	all   []Group // sorted by name
	tools activation.Tools
}

// NewGroups are these groups.
func NewGroups(all []Group) *Groups {
	g := &Groups{all: slices.Clone(all)}
	slices.SortFunc(g.all, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	return g
}

// list are the groups, sorted by name; none of nil.
func (g *Groups) list() []Group {
	if g == nil {
		return nil
	}
	return g.all
}

func (g *Groups) has(name string) bool {
	_, ok := slices.BinarySearchFunc(g.list(), name, func(group Group, name string) int { return cmp.Compare(group.Name, name) })
	return ok
}

// inEffect is the chat with those of its groups that there are: one that was taken
// out of the configuration is active nowhere.
func (g *Groups) inEffect(chat tool.Chat) tool.Chat {
	if slices.ContainsFunc(chat.Groups, func(name string) bool { return !g.has(name) }) {
		chat.Groups = slices.DeleteFunc(slices.Clone(chat.Groups), func(name string) bool { return !g.has(name) })
	}
	return chat
}

// missing counts the tools that are not active in a chat, by the groups that would
// make them so.
type missing map[string]int

func (m missing) add(s *tool.Spec) {
	for _, name := range s.Groups {
		m[name]++
	}
}

// offered are the groups that would add tools.
func (g *Groups) offered(m missing) []activation.Group {
	var out []activation.Group
	for _, group := range g.list() {
		if n := m[group.Name]; n > 0 {
			out = append(out, activation.Group{Name: group.Name, Description: group.Description, Tools: n})
		}
	}
	return out
}

// Offered are the groups that whoever asks may have and has not in this chat: those
// that would add tools which policy lists.
func (g *Generation) Offered(view tool.View) []activation.Group {
	return g.Groups.offered(g.sight(view).inactive)
}

// Groups are the names of all groups that there are now, sorted.
func (g *Gateway) Groups() []string {
	gen, release := g.hold()
	defer release()
	var names []string
	for _, group := range gen.Groups.list() {
		names = append(names, group.Name)
	}
	return names
}

// Offered are the groups that whoever asks may have and has not in the chat.
func (g *Gateway) Offered(_ context.Context, view tool.View) []activation.Group {
	gen, release := g.hold()
	defer release()
	return gen.Offered(g.looked(view))
}

// Mask takes the secrets of the configuration that is served out of a text.
func (g *Gateway) Mask(text string) string {
	gen, release := g.hold()
	defer release()
	return gen.Masker.Text(text)
}

// looked is the view with what its chat holds.
func (g *Gateway) looked(view tool.View) tool.View {
	if g.chats != nil {
		view.Chat = g.chats.Look(view.Caller.ID, named(view.Chat))
	}
	return view
}

// view is the call's side of a list.
func (p *passage) view() tool.View {
	return tool.View{Caller: p.call.Caller, Profile: p.call.Profile, Chat: p.call.Chat}
}

// inactive is the failure of a call of a tool that the caller may have, and has not
// in this chat.
func (p *passage) inactive(s *tool.Spec) *tool.Error {
	reason, advice := p.generation.inactive(s, p.call.Caller)
	return tool.Errorf(tool.Inactive, "%s is %s", s.Name, reason).WithHint("%s", advice)
}

// inactive says why a tool is not called that is not active in a chat, and what to do.
func (g *Generation) inactive(s *tool.Spec, caller tool.Caller) (reason, advice string) {
	noun := "its group "
	if len(s.Groups) > 1 {
		noun = "one of its groups "
	}
	reason = "not active in this chat: the user has to activate " + noun + strings.Join(s.Groups, ", ")
	if asking, ok := g.Tools.Lookup(activation.ToolName); ok && g.Policy.Lists(asking.Spec, caller) {
		return reason, "Ask for it once with " + activation.ToolName + ", or use another tool; do not repeat the call before the user has agreed."
	}
	return reason, "Use another tool, or tell the user what you need it for; do not repeat the call."
}

// shows reports whether the caller is shown a tool in this chat.
func (p *passage) shows(s *tool.Spec) bool {
	return p.generation.has(p.call.Profile, s) && s.ActiveIn(p.call.Chat.Groups) && p.generation.Policy.Lists(s, p.call.Caller) &&
		(s.Name != activation.ToolName || len(p.generation.Offered(p.view())) > 0) &&
		(!isFinder(s) || p.generation.searches(p.view()))
}

// placed is the tool that asks for groups as it is in this chat; nil where the
// caller may have no group at all.
func (p *passage) placed(asking *registry.Entry) *registry.Entry {
	view := p.view()
	offered := p.generation.Offered(view)
	if len(offered) == 0 {
		view.Chat.Groups = nil
		if len(p.generation.Offered(view)) == 0 {
			return nil
		}
	}
	return &registry.Entry{
		Spec: p.generation.Groups.tools.For(offered), Schema: asking.Schema,
		Runner: &activation.Runner{Desk: p.gateway.activations, Offered: offered, Mask: p.generation.Masker.Text},
	}
}

// visible finds out what the caller may know of a tool that there is, and gives it
// as it is in this chat.
func (p *passage) visible(entry *registry.Entry) (*registry.Entry, error) {
	switch visibility, d := p.generation.Policy.Visibility(entry.Spec, p.call.Caller); visibility {
	case policy.Hidden:
		return nil, p.notFound().Because(p.hidden(entry.Spec))
	case policy.Told:
		p.decision = d
		return nil, tool.Errorf(tool.Denied, "calling %s is not allowed%s", entry.Spec.Name, because(d.Reason)).
			WithHint("Do not call it again; use another tool, or tell the user.")
	}
	if !entry.Spec.ActiveIn(p.call.Chat.Groups) {
		return nil, p.inactive(entry.Spec)
	}
	if err := unfit(p.wrapper, entry.Spec); err != nil {
		return nil, err
	}
	switch {
	case entry.Spec.Source != tool.SourceBuiltin:
	case entry.Spec.Name == activation.ToolName:
		if entry = p.placed(entry); entry == nil {
			return nil, p.notFound()
		}
	case entry.Spec.Name == find.ToolName:
		entry = p.searching(entry)
	}
	return entry, nil
}
