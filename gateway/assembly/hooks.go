package assembly

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/schema"
)

// hooks compiles the "hooks" and "inject" sections and binds them to every
// tool, whose specs then hold what models are shown. Rules are compiled before
// that: they are about all arguments.
func (b *builder) hooks(all []*candidate) *hook.Set {
	cfg, inject := b.cfg.Hooks.Config(), b.cfg.Inject
	if b.moved(len(cfg.Before), "hooks", "before") || b.moved(len(cfg.After), "hooks", "after") || b.moved(len(inject), "inject") {
		cfg, inject = hook.Config{}, nil
	}
	tools := make([]hook.Tool, len(all))
	for i, c := range all {
		tools[i] = b.hooked(c)
	}
	known := tools
	if b.partial { // what hooks read could be the argument of a tool with a mistake
		known = nil
	}
	set := hook.Compile(b.cfg.At(), &cfg, inject, b.hookDeps(), known...)
	for _, t := range tools {
		t.Spec.Parameters = set.Bind(t)
	}
	each(len(tools), func(i int) {
		if all[i].source == nil { // what a document shows is in that form, and stays in it
			tools[i].Spec.Parameters = shown(tools[i].Spec.Parameters)
		}
	})
	return set
}

// hooked is a tool as hooks know it.
func (b *builder) hooked(c *candidate) hook.Tool {
	return hook.Tool{
		Spec: c.entry.Spec, Schema: c.entry.Schema, Args: c.args.names, Closed: c.args.closed,
		Think: b.thinks(c), Hints: c.config.Hints, Fixed: c.fixed,
	}
}

func (b *builder) hookDeps() hook.Deps {
	return hook.Deps{Client: b.client, SecretNames: b.secretNames, Secrets: b.values, Broken: b.cfg.Broken}
}

// shown is the form in which models are shown a schema. It never fails for one
// that was compiled; were it to, they are shown the schema itself.
func shown(raw json.RawMessage) json.RawMessage {
	portable, err := schema.Portable(raw)
	if err != nil {
		return raw
	}
	return portable
}

func (b *builder) thinks(c *candidate) bool {
	if own := c.config.ThinkAugment; own != nil {
		return *own
	}
	return b.cfg.Defaults.ThinkAugment
}

// adviseReasons warns of tools whose models are not asked for a reason although
// they are configured to be.
func (b *builder) adviseReasons(all []*candidate, hooks *hook.Set) {
	const hint = "rename the argument, or write think_augment: false"
	for _, c := range all {
		if c.source != nil || !b.thinks(c) || hooks.Plan(c.entry.Spec.Name).TakesReason() {
			continue
		}
		at := c.at
		if own := at.Key("think_augment"); own.Present() {
			at = own
		}
		if c.entry.Schema.Names(hook.ReasonArgument) {
			at.As(diag.UselessSetting).Warnf(hint, "the tool has an argument %s of its own, which it keeps: think_augment changes nothing", hook.ReasonArgument)
		} else if c.config.ThinkAugment != nil {
			at.As(diag.UselessSetting).Warnf("give its parameters properties", "the parameters have no properties, so models are shown no %s", hook.ReasonArgument)
		}
	}
}

// moved reports whether more entries are written in a list than could be read:
// the others then stand at other places than their indexes say.
func (b *builder) moved(read int, path ...string) bool {
	return b.at(path...).Index(read).Present()
}
