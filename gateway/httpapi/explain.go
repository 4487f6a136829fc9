package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Explainer says what policy would decide about a call. Nothing is run.
type Explainer interface {
	// Explain gives what encodes as one JSON object. The error is a *tool.Error:
	// NotFound, or InvalidArgs where the arguments do not fit, since no rule is
	// asked then.
	Explain(ctx context.Context, call tool.Call) (any, error)
}

// explainJSON is the body of POST /v1/policy/explain.
type explainJSON struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Via       tool.Via        `json:"via"`
	Chat      string          `json:"chat"`
	Caller    *struct {
		ID     string         `json:"id"`
		Name   string         `json:"name"`
		Kind   tool.Kind      `json:"kind"`
		Groups []string       `json:"groups"`
		Claims map[string]any `json:"claims"`
	} `json:"caller"`
}

// explainCall says what the rules decide about a call of anybody, and why. It is
// for administrators: it tells of rules and of tools that others do not know.
func (a *api) explainCall(w http.ResponseWriter, r *http.Request) {
	if p := lacks(r, tool.MayAdmin); p != nil {
		p.write(w)
		return
	}
	call, p := readExplain(w, r)
	if p != nil {
		p.write(w)
		return
	}
	answer, err := a.explainer.Explain(r.Context(), call)
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// lacks refuses a caller without a right, as access.Guard does, which knows the
// right of a path. Where no guard stands before the API, this one does.
func lacks(r *http.Request, right tool.Right) *problem {
	who := caller(r)
	if who.Can(right) {
		return nil
	}
	message, hint := who.Lacks(right)
	return &problem{status: http.StatusForbidden, Type: typeForbidden, Message: message, Hint: hint}
}

func readExplain(w http.ResponseWriter, r *http.Request) (tool.Call, *problem) {
	if _, p := query(r); p != nil {
		return tool.Call{}, p
	}
	body, p := readBody(w, r, noun{plural: "questions", less: "Send smaller arguments."})
	if p != nil {
		return tool.Call{}, p
	}
	var asked explainJSON
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	err := dec.Decode(&asked)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	const form = `Send {"tool": "…", "arguments": {…}, "caller": {"name": "…", "groups": []}, "via": "direct", "chat": "…"}; only the tool is needed.`
	if err != nil {
		return tool.Call{}, badQuery("the question cannot be read: "+shown(err.Error()), form)
	}
	if asked.Tool == "" {
		return tool.Call{}, badQuery("the question names no tool", form)
	}
	return asked.call(form)
}

func (e *explainJSON) call(form string) (tool.Call, *problem) {
	call := tool.Call{Tool: e.Tool, Arguments: e.Arguments, Via: tool.ViaDirect, Chat: tool.Chat{ID: tool.DefaultChat}}
	call.Caller = tool.Caller{ID: tool.Anonymous, Name: tool.Anonymous, Kind: tool.KindMCP}
	if e.Via != "" {
		call.Via = e.Via
	}
	if !slices.Contains([]tool.Via{tool.ViaDirect, tool.ViaBatch, "call_tool", "code"}, call.Via) {
		return tool.Call{}, badQuery("no call is made via "+shown(string(call.Via)), "Write direct, batch, call_tool or code.")
	}
	if e.Chat != "" {
		if p := checkChat(e.Chat); p != nil {
			return tool.Call{}, p
		}
		call.Chat.ID = e.Chat
	}
	c := e.Caller
	if c == nil {
		return call, nil
	}
	call.Caller = tool.Caller{ID: c.ID, Name: c.Name, Kind: tool.KindMCP, Groups: c.Groups, Claims: c.Claims}
	if call.Caller.ID == "" {
		call.Caller.ID = c.Name
	}
	if c.Kind != "" {
		call.Caller.Kind = c.Kind
	}
	if c.Name == "" || !slices.Contains([]tool.Kind{tool.KindMCP, tool.KindHTTP, tool.KindCLI, tool.KindGo}, call.Caller.Kind) {
		return tool.Call{}, badQuery("the caller has no name, or a kind other than mcp, http, cli and go", form)
	}
	return call, nil
}
