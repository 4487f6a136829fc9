package access

import (
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// need is what a path needs of who asks for it.
type need string

// Needs that are no right.
const (
	open  need = "open"   // nothing, not even a token
	letIn need = "let in" // any token
)

// either is the need of one of several rights.
func either(rights ...tool.Right) need {
	words := make([]string, 0, len(rights))
	for _, r := range rights {
		words = append(words, string(r))
	}
	return need(strings.Join(words, " "))
}

// needs are the paths that need something else than the right to call. One that
// ends in a slash stands for all paths below it. Handlers ask for further rights
// themselves where these depend on more than the path.
var needs = []struct {
	path string
	need need
}{
	{"/healthz", open},
	{"/readyz", open},
	{"/.well-known/", open}, // clients look here for OAuth before they have a token, and must be told that there is none
	{"/metrics", letIn},
	{"/v1/openapi.json", letIn},
	{"/v1/approvals", need(tool.MayApprove)},
	{"/v1/approvals/", need(tool.MayApprove)},
	{"/v1/chats", either(tool.MayCall, tool.MayActivate)},
	{"/v1/chats/", either(tool.MayCall, tool.MayActivate)},
	{"/v1/events", either(tool.MayCall, tool.MayApprove, tool.MayActivate)},
	{"/v1/reload", need(tool.MayAdmin)},
	{"/v1/policy/", need(tool.MayAdmin)},
}

// needOf is what a path needs: the right to call, unless the table has it.
func needOf(path string) need {
	for _, n := range needs {
		if path == n.path || strings.HasSuffix(n.path, "/") && strings.HasPrefix(path, n.path) {
			return n.need
		}
	}
	return need(tool.MayCall)
}

// probe reports a path that machines ask by address: whether the gateway lives,
// and how it is.
func (n need) probe() bool { return n == open || n == letIn }

// missing says which right the caller lacks, or is nil.
func (n need) missing(who *tool.Caller) *refusal {
	if n == letIn {
		return nil
	}
	rights := strings.Fields(string(n))
	for _, right := range rights {
		if who.Can(tool.Right(right)) {
			return nil
		}
	}
	no := forbidden(who.Lacks(tool.Right(rights[0])))
	no.challenge = `Bearer error="insufficient_scope", scope="` + rights[0] + `"`
	return no
}
