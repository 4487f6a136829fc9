package assembly

import (
	"fmt"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/tool"
)

// checkOwn reports hooks, injected arguments and groups that name one of the gateway's
// own tools: they would do nothing, and who writes a hook that refuses believes that it
// does. Patterns may be meant for other tools.
func (b *builder) checkOwn() {
	hooks := b.at("hooks")
	if before := hooks.Key("before"); !b.moved(len(b.cfg.Hooks.Before), "hooks", "before") {
		for i := range b.cfg.Hooks.Before {
			checkOwnNames(before.Index(i), b.cfg.Hooks.Before[i].Tools, "no hook runs around a call of it")
		}
	}
	if after := hooks.Key("after"); !b.moved(len(b.cfg.Hooks.After), "hooks", "after") {
		for i := range b.cfg.Hooks.After {
			checkOwnNames(after.Index(i), b.cfg.Hooks.After[i].Tools, "no hook runs around a call of it")
		}
	}
	if inject := b.at("inject"); !b.moved(len(b.cfg.Inject), "inject") {
		for i := range b.cfg.Inject {
			checkOwnNames(inject.Index(i), b.cfg.Inject[i].Tools, "nothing is injected into it")
		}
	}
	for _, name := range b.groups.names {
		checkOwnNames(b.at("groups", name), b.cfg.Groups[name].Tools, "it is in no group")
	}
}

// checkOwnNames reports the names in the list of tools of an entry.
func checkOwnNames(entry diag.Cursor, names []string, why string) {
	for i, name := range names {
		if isOwn(name) {
			entry.Key("tools").Index(i).Hintf(insteadOf(name), "%s is a tool of the gateway itself, and %s", name, why)
		}
	}
}

// insteadOf says what there is for one of the gateway's own tools.
func insteadOf(name string) string {
	switch {
	case find.Calls(name):
		return fmt.Sprintf("name the tools that are called with it, for which all holds that holds for direct calls; policy rules tell such calls by via: [%s]", tool.ViaCallTool)
	case name == reader(nil).Spec.Name:
		return "a policy rule that names it says who may call it"
	default:
		return fmt.Sprintf("a policy rule that names it says who may call it, and admit: {deny: [%s]} takes it away", name)
	}
}
