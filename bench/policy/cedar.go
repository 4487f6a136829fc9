package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// byCedar is Cedar's authorizer. A tool is in its tags and a caller in its groups, which
// is how Cedar wants hierarchies; arguments are the context. Requests and entities are
// made beforehand and cost a decision nothing.
func byCedar(m *material) (*side, error) {
	text := cedarRules(m.rules)
	var set *cedar.PolicySet
	s := &side{name: "cedar", compile: func() (err error) {
		set, err = cedar.NewPolicySetFromBytes("rules.cedar", []byte(text))
		return err
	}}
	entities := cedarEntities(m)
	requests := make([]cedar.Request, len(m.requests))
	for i, r := range m.requests {
		requests[i] = cedar.Request{
			Principal: cedar.NewEntityUID("User", cedar.String(r.caller.name)),
			Action:    cedar.NewEntityUID("Action", "call"),
			Resource:  cedar.NewEntityUID("Tool", cedar.String(r.tool.name)),
			Context: cedar.NewRecord(cedar.RecordMap{
				"amount": cedar.Long(r.args.amount), "env": cedar.String(r.args.env), "path": cedar.String(r.args.path),
			}),
		}
	}
	s.decide = func(i int) (bool, error) {
		decision, why := cedar.Authorize(set, entities, requests[i])
		if len(why.Errors) > 0 {
			return false, errors.New(why.Errors[0].Message)
		}
		return decision == cedar.Allow, nil
	}
	return s, s.compile()
}

func cedarEntities(m *material) cedar.EntityMap {
	all := cedar.EntityMap{}
	add := func(kind, name, parent string, parents []string) {
		id := cedar.NewEntityUID(cedar.EntityType(kind), cedar.String(name))
		var in []cedar.EntityUID
		for _, p := range parents {
			in = append(in, cedar.NewEntityUID(cedar.EntityType(parent), cedar.String(p)))
		}
		all[id] = cedar.Entity{UID: id, Parents: cedar.NewEntityUIDSet(in...), Attributes: cedar.NewRecord(cedar.RecordMap{"name": cedar.String(name)})}
	}
	for _, t := range m.tools {
		add("Tool", t.name, "Tag", t.tags)
	}
	for _, c := range callers() {
		add("User", c.name, "Group", c.groups)
	}
	return all
}

// cedarRules writes the rules in Cedar's language.
func cedarRules(rules []rule) string {
	var out strings.Builder
	for _, r := range rules {
		effect := "forbid"
		if r.allow {
			effect = "permit"
		}
		scope, conditions := cedarScope(&r)
		fmt.Fprintf(&out, "%s (principal, action, %s)", effect, scope)
		if len(conditions) > 0 {
			fmt.Fprintf(&out, " when { %s }", strings.Join(conditions, " && "))
		}
		out.WriteString(";\n")
	}
	return out.String()
}

// cedarScope puts a single tool or tag where Cedar looks first, and all else into
// conditions.
func cedarScope(r *rule) (scope string, conditions []string) {
	scope = "resource"
	if len(r.tools) == 1 && !strings.ContainsAny(r.tools[0], "*?") {
		scope = fmt.Sprintf("resource == Tool::%q", r.tools[0])
	} else if len(r.tools) > 0 {
		conditions = append(conditions, cedarGlobs("resource", r.tools))
	}
	switch {
	case len(r.tags) == 1 && scope == "resource":
		scope = fmt.Sprintf("resource in Tag::%q", r.tags[0])
	case len(r.tags) > 0:
		var tags []string
		for _, t := range r.tags {
			tags = append(tags, fmt.Sprintf("Tag::%q", t))
		}
		conditions = append(conditions, "resource in ["+strings.Join(tags, ", ")+"]")
	}
	if len(r.callers) > 0 {
		conditions = append(conditions, cedarGlobs("principal", r.callers))
	}
	if r.when.cedar != "" {
		conditions = append(conditions, r.when.cedar)
	}
	return scope, conditions
}

func cedarGlobs(who string, globs []string) string {
	var likes []string
	for _, g := range globs {
		likes = append(likes, fmt.Sprintf("%s.name like %q", who, g))
	}
	return "(" + strings.Join(likes, " || ") + ")"
}
