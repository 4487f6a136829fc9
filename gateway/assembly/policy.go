package assembly

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/hook"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// policy compiles the rules; without a policy section the engine is nil and
// allows every call. Where a tool has a mistake, what rules read of arguments is
// not checked, for it could be the argument of that tool.
func (b *builder) policy(all []*candidate) *policy.Engine {
	if b.cfg.Policy == nil || b.cfg.Broken("policy") {
		return nil
	}
	at := b.at("policy")
	if !b.cfg.Broken("groups") {
		policy.CheckGroups(at, b.cfg.Policy, b.groups.names)
	}
	b.checkThrough(at)
	if b.partial {
		return policy.Compile(at, b.cfg.Policy)
	}
	return policy.Compile(at, b.cfg.Policy, known(all)...)
}

// checkThrough reports rules about the tools by which others are called: they would
// do nothing, and who writes one of action deny believes that it does.
func (b *builder) checkThrough(at diag.Cursor) {
	rules := b.cfg.Policy.Rules
	if b.moved(len(rules), "policy", "rules") {
		return
	}
	for i := range rules {
		names := at.Key("rules").Index(i).Key("tools")
		for j, name := range rules[i].Tools {
			if find.Calls(name) {
				names.Index(j).Hintf(fmt.Sprintf("name those tools, with via: [%s] for calls that come through it, or take it away with admit: {deny: [%s]}", tool.ViaCallTool, name),
					"%s is never judged, the tools that are called with it are", name)
			}
		}
	}
}

// policyTests compiles the tests of the rules. They need what is injected into
// arguments, so hooks are bound before. After any mistake there are none: a test
// would fail on it, and so it could where a source is left out.
func (b *builder) policyTests(all []*candidate, engine *policy.Engine, hooks *hook.Set) *policy.Tests {
	if engine == nil || b.partial || b.cfg.Problems().Err() != nil {
		return nil
	}
	if b.changing {
		return engine.CompileSomeTests(b.at("policy", "tests"), b.cfg.Policy.Tests, preparer(all, hooks), profilesForTests(b.profiles))
	}
	return engine.CompileTests(b.at("policy", "tests"), b.cfg.Policy.Tests, preparer(all, hooks), profilesForTests(b.profiles))
}

// profilesForTests are the profiles as tests of rules ask for them.
func profilesForTests(all []profile) policy.Profiles {
	out := make(policy.Profiles, len(all))
	for i := range all {
		out[all[i].name] = all[i].has
	}
	return out
}

// known are the tools that rules may be about, whether they are registered or
// not, those of the gateway itself among them.
func known(all []*candidate) []policy.Known {
	out := make([]policy.Known, len(all))
	for i, c := range all {
		out[i] = c.known
	}
	for _, own := range judged() {
		out = append(out, knownOwn(own))
	}
	return out
}

// preparer finds the tool and prepares its arguments.
func preparer(all []*candidate, hooks *hook.Set) policy.Prepare {
	return func(req *policy.Request, sent json.RawMessage) error {
		for _, c := range all {
			if c.entry.Spec == req.Tool {
				return prepare(c.entry, hooks.Plan(req.Tool.Name), req, sent)
			}
		}
		for _, own := range judged() {
			if own.Spec.Name == req.Tool.Name {
				return prepare(own, nil, req, sent)
			}
		}
		return fmt.Errorf("no tool is named %q", req.Tool.Name)
	}
}

// Prepare makes of what is sent to a tool what rules see of it, the Args and the
// Reason of req, by the steps of a real call and in their order. The rest of req
// must be complete, for what is injected may hang on it. Hooks are left out: they
// may ask other services. The error says everything that does not fit.
func (a *Assembly) Prepare(entry *registry.Entry, req *policy.Request, sent json.RawMessage) error {
	return prepare(entry, a.Generation.Hooks.Plan(entry.Spec.Name), req, sent)
}

func prepare(entry *registry.Entry, plan *hook.Plan, req *policy.Request, sent json.RawMessage) error {
	args, err := cmp.Or(plan.Shown(), entry.Schema).Normalise(sent, plan.Beside()...)
	if err != nil {
		return err
	}
	req.Args, req.Reason = plan.Reason(args)
	call := hook.Call{Request: *req}
	if err := plan.Inject(&call); err != nil {
		return err
	}
	req.Args = entry.Schema.Cast(entry.Schema.Defaults(call.Request.Args))
	if err := entry.Schema.Validate(req.Args); err != nil {
		return plan.Blame(req.Args, err)
	}
	return nil
}

// RuleTests compiles tests of another configuration against the rules of this
// one, for what they decide: which effect and rule a call is expected to meet
// is forgotten. Those that do not fit its tools are left out. It is for an
// Assembly with a Generation.
func (a *Assembly) RuleTests(tests []policy.TestConfig) *policy.Tests {
	nowhere := diag.NewCursor(new(diag.Report), nil)
	engine := a.Generation.Policy
	if engine == nil {
		engine = policy.Compile(nowhere, &policy.Config{Default: string(policy.Allow)}, known(a.all)...)
	}
	tests = slices.Clone(tests)
	for i := range tests {
		if tests[i].Call != "" {
			tests[i].Expect, tests[i].Rule = string(policy.Allow), nil
		}
	}
	return engine.CompileTests(nowhere, tests, preparer(a.all, a.Generation.Hooks), a.profiles)
}
