package policy

import (
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// preset is a ready-made rule about one tag.
type preset struct {
	tag    string
	effect Effect
	reason string
}

// presets are the rules that most policies begin with, by name.
func presets() map[string]preset {
	return map[string]preset{
		"allow_readonly":  {tool.TagReadOnly, Allow, "Tool is read-only"},
		"ask_destructive": {tool.TagDestructive, Ask, "Tool is marked as destructive"},
		"deny_privileged": {tool.TagPrivileged, Deny, "Tool requires elevated permissions"},
		"ask_network":     {tool.TagNetwork, Ask, "Tool requires network access"},
		"ask_file_system": {tool.TagFileSystem, Ask, "Tool accesses the file system"},
	}
}

// expand fills in what a preset says, or reports what keeps it from that. A
// rule without a preset comes back as it is.
func expand(at diag.Cursor, cfg RuleConfig) (RuleConfig, bool) {
	if cfg.Preset == "" {
		return cfg, complete(at, &cfg)
	}
	p, ok := presets()[cfg.Preset]
	if !ok {
		names := slices.Sorted(maps.Keys(presets()))
		at.Key("preset").Hintf(diag.DidYouMean(cfg.Preset, names), "there is no preset %q", cfg.Preset)
		return cfg, false
	}
	for _, own := range []struct {
		key   string
		given bool
	}{{"tags", len(cfg.Tags) > 0}, {"action", cfg.Action != ""}, {"reason", cfg.Reason != ""}} {
		if own.given {
			at.Key(own.key).Hintf("remove it, or write the rule without preset", "the preset %s has %s of its own", cfg.Preset, own.key)
			ok = false
		}
	}
	cfg.Tags, cfg.Action, cfg.Reason = []string{p.tag}, string(p.effect), p.reason
	if cfg.Name == "" {
		cfg.Name = cfg.Preset
	}
	return cfg, ok
}

// complete reports what a rule without a preset lacks.
func complete(at diag.Cursor, cfg *RuleConfig) bool {
	if cfg.Name == "" {
		at.Key("name").Hintf("a rule is known by its name in lists, records and answers", "is missing")
	}
	switch Effect(cfg.Action) {
	case Allow, Deny, Ask:
		return cfg.Name != ""
	case "":
		at.Key("action").Hintf("write action: allow, deny or ask", "is missing")
	default:
		at.Key("action").Hintf("write allow, deny or ask", "unknown action %q", cfg.Action)
	}
	return false
}
