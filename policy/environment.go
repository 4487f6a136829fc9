package policy

import (
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// environment declares what a rule may see. The arguments are late: a list of
// tools is made before there are any.
func environment() *expression.Env {
	return expression.NewEnv(
		expression.Var{Name: "tool", Type: expression.Object(map[string]expression.Type{
			"name": expression.String, "namespace": expression.String, "method": expression.String,
			"source": expression.String, "tags": expression.Strings,
			"read_only": expression.Bool, "destructive": expression.Bool,
		})},
		expression.Var{Name: "caller", Type: expression.Object(map[string]expression.Type{
			"id": expression.String, "name": expression.String, "kind": expression.String,
			"groups": expression.Strings, "claims": expression.JSON,
		})},
		expression.Var{Name: "call", Type: expression.Object(map[string]expression.Type{
			"via": expression.String,
		})},
		expression.Var{Name: "args", Type: expression.JSON, Late: true},
	)
}

// values gives the variables for one request.
func (r *Request) values() map[string]any {
	return map[string]any{
		"tool":   toolValue(r.Tool),
		"caller": callerValue(r.Caller),
		"call":   map[string]any{"via": string(r.Via)},
		"args":   r.Args,
	}
}

func toolValue(s *tool.Spec) map[string]any {
	return map[string]any{
		"name": s.Name, "namespace": s.Namespace, "method": s.Method, "source": s.Source,
		"tags": s.Tags, "read_only": s.ReadOnly(), "destructive": s.HasTag(tool.TagDestructive),
	}
}

func callerValue(c tool.Caller) map[string]any {
	return map[string]any{
		"id": c.ID, "name": c.Name, "kind": string(c.Kind), "groups": c.Groups, "claims": c.Claims,
	}
}
