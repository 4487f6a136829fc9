package policy

import (
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// lateNames are the variables that are known only once there is a call.
var lateNames = []string{"args", "call", "chat"}

// Environment declares what a rule, and everything else that judges a call, may
// see: tool, args, caller, chat and call, and the functions now, calls, glob,
// host, host_in, path_in and cidr. What belongs to one call is late: a list of
// tools is made before there is one, and for a client that has not said which
// chat it is for. More may be declared behind it.
func Environment(more ...expression.Var) *expression.Env {
	return expression.NewEnv(append([]expression.Var{
		{Name: "tool", Type: expression.Object(map[string]expression.Type{
			"name": expression.String, "namespace": expression.String, "method": expression.String,
			"source": expression.String, "tags": expression.Strings,
			"read_only": expression.Bool, "destructive": expression.Bool, "deferred": expression.Bool,
		})},
		{Name: "caller", Type: expression.Object(map[string]expression.Type{
			"id": expression.String, "name": expression.String, "kind": expression.String,
			"groups": expression.Strings, "claims": expression.JSON,
		})},
		{Name: "chat", Late: true, Type: expression.Object(map[string]expression.Type{
			"id": expression.String, "groups": expression.Strings, "context": expression.JSON,
		})},
		{Name: "call", Late: true, Type: expression.Object(map[string]expression.Type{
			"via": expression.String, "reason": expression.String, "depth": expression.Int,
		})},
		{Name: "args", Type: expression.JSON, Late: true},
	}, more...)...).With(functions()...)
}

// requestName is where the functions find the request among the values; no
// expression can write it.
const requestName = "the request"

// variables are those of [Environment].
var variables = []string{"tool", "caller", "chat", "call", "args"}

// Values gives the variables of [Environment] for one request.
func (r *Request) Values() map[string]any { return r.values(variables) }

// values gives some of the variables.
func (r *Request) values(names []string) map[string]any {
	values := make(map[string]any, len(variables)+1) // and room for one more
	for _, name := range names {
		values[name] = r.value(name)
	}
	values[requestName] = r
	return values
}

func (r *Request) value(name string) any {
	switch name {
	case "tool":
		return toolValue(r.Tool)
	case "caller":
		return callerValue(r.Caller)
	case "chat":
		return map[string]any{"id": r.Chat.ID, "groups": r.Chat.Groups, "context": r.Chat.Context}
	case "call":
		return map[string]any{"via": string(r.Via), "reason": r.Reason, "depth": r.Depth}
	}
	return r.Args
}

// requestOf is the request that an expression runs for; an empty one where it
// runs for none.
func requestOf(known expression.Known) *Request {
	if r, ok := known.Value(requestName).(*Request); ok {
		return r
	}
	return &Request{}
}

func toolValue(s *tool.Spec) map[string]any {
	return map[string]any{
		"name": s.Name, "namespace": s.Namespace, "method": s.Method, "source": s.Source,
		"tags": s.Tags, "read_only": s.ReadOnly(), "destructive": s.HasTag(tool.TagDestructive),
		"deferred": s.Deferred,
	}
}

func callerValue(c tool.Caller) map[string]any {
	return map[string]any{
		"id": c.ID, "name": c.Name, "kind": string(c.Kind), "groups": c.Groups, "claims": c.Claims,
	}
}
