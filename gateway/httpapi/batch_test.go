package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// fakeBatch answers calls as fake does, from the last to the first. An id that
// starts with "old" has been answered before. Some tools make it fail as a whole.
type fakeBatch struct {
	fake
	mu     sync.Mutex
	calls  []httpapi.BatchCall // the last ones
	stopOn string
}

func (f *fakeBatch) Batch(ctx context.Context, calls []httpapi.BatchCall, stopOn string, finished func(int, httpapi.BatchAnswer)) ([]httpapi.BatchAnswer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.stopOn = calls, stopOn
	answers := make([]httpapi.BatchAnswer, len(calls))
	for i := len(calls) - 1; i >= 0; i-- {
		switch calls[i].Call.Tool {
		case "busy":
			return nil, tool.Errorf(tool.Overloaded, "too many batches")
		case "broken":
			return nil, errors.New("a secret")
		case "short":
			return answers[:i], nil
		case "call_tool": // which is the call of another one
			answers[i].Result = f.Call(ctx, tool.Call{Tool: "echo", Arguments: calls[i].Call.Arguments})
		case "picture":
			answers[i].Result = tool.Result{CallID: "c2", Tool: "picture", Status: tool.StatusOK, Output: tool.Output{
				Content: []tool.Content{{Type: tool.ContentImage, Data: []byte("GIF89a\x00"), MIMEType: "image/gif"}},
			}}
		default:
			answers[i].Result = f.Call(ctx, calls[i].Call)
		}
		answers[i].Replayed = strings.HasPrefix(calls[i].ID, "old")
		finished(i, answers[i])
	}
	return answers, nil
}

// calling is a list of calls: pairs of an id and a tool.
func calling(pairs ...string) string {
	var calls []string
	for i := 0; i < len(pairs); i += 2 {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":"{\"n\": 1.10}"}}`, pairs[i], pairs[i+1]))
	}
	return "[" + strings.Join(calls, ",") + "]"
}

const (
	gotEcho     = `"call_id":"c1","tool":"echo","status":"ok","content":[{"type":"text","text":"<got> {\"n\": 1.10}"}],"duration_ms":1.5}`
	gotPicture  = `"call_id":"c2","tool":"picture","status":"ok","content":[{"type":"image","data":"R0lGODlhAA==","mimeType":"image/gif"}],"duration_ms":0}`
	echoMessage = `{"role":"tool","tool_call_id":"a","content":"<got> {\"n\": 1.10}"}`
	nothing     = `{"results":[],"messages":[]}`
	pictureMsg  = `{"role":"tool","tool_call_id":"old-p","content":"See <tool-content call-id=\"old-p\"> below."}`
	pictureSeen = `{"role":"user","content":[{"type":"text","text":"<tool-content call-id=\"old-p\">"},{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lGODlhAA=="}},{"type":"text","text":"</tool-content>"}]}`
)

func failedIn(id, code string) string { return `{"id":"` + id + `",` + failed(code)[1:] }

func failedMessage(id string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"Error: it failed"}`
}

func whole(results, messages string) string {
	return `{"results":[` + results + `],"messages":[` + messages + `]}`
}

const hintBody = `Send the assistant's message as the provider gave it, {\"role\": \"assistant\", \"tool_calls\": […]}, or {\"messages\": […]}.`

func TestBatchAnswers(t *testing.T) {
	const internal = "the gateway could not complete this call because of a fault of its own"
	const internalHint = "Do not repeat the call unchanged; tell the user that the tool gateway reported an internal error."
	tests := []struct {
		name, target, header, body string
		status                     int
		want                       string
		wantHeader                 string
	}{
		{"one call", "/v1/calls", "", calling("a", "echo"), 200, whole(`{"id":"a",`+gotEcho, echoMessage), ""},
		{"all kinds", "/v1/calls?format=openai-chat&stop_on=never&chat=c", "Content-Type: application/json", calling("a", "echo", "b", "fail-denied", "old-p", "picture"), 200, whole(
			`{"id":"a",`+gotEcho+`,`+failedIn("b", "denied")+`,{"id":"old-p","replayed":true,`+gotPicture,
			echoMessage+`,`+failedMessage("b")+`,`+pictureMsg+`,`+pictureSeen,
		), ""},
		{"a call inside of another", "/v1/calls", "", calling("a", "call_tool"), 200, whole(`{"id":"a",`+gotEcho, echoMessage), ""},
		{"a message", "/v1/calls", "", `{"role":"assistant","tool_calls":` + calling("a", "echo") + `}`, 200, whole(`{"id":"a",`+gotEcho, echoMessage), ""},
		{"a conversation", "/v1/calls", "", `{"messages":[{"role":"assistant","tool_calls":` + calling("a", "echo", "b", "echo") + `},{"role":"tool","tool_call_id":"b"}]}`, 200, whole(`{"id":"a",`+gotEcho, echoMessage), ""},
		{"no call", "/v1/calls", "", `{"role":"assistant","content":"done"}`, 200, nothing, ""},
		{"no call at all", "/v1/calls", "", "[]", 200, nothing, ""},

		{"no body", "/v1/calls", "", "{}", 400, problem("bad_request", `the body has none of \"tool_calls\", \"messages\" and \"choices\"`, hintBody), ""},
		{"a bad call", "/v1/calls", "", `[{"id":"a","type":"custom"}]`, 400, problem("bad_request", `[0].type is \"custom\", and only function calls are run here`, `Send calls of the type \"function\" only, and answer the others yourself.`), ""},
		{"other type", "/v1/calls", "Content-Type: text/plain", "[]", 415, problem("unsupported_media_type", `the content type \"text/plain\" is not supported`, "Send the calls as application/json."), ""},
		{"too long", "/v1/calls", "", strings.Repeat(" ", 4<<20+1), 413, problem("bad_request", "the request body is longer than 4194304 bytes", "Send the message that holds the calls, without the messages before it."), ""},
		{"misspelt parameter", "/v1/calls?stopon=error", "", "[]", 400, problem("bad_request", `unknown query parameter \"stopon\"`, "did you mean stop_on?"), ""},
		{"misspelt stop_on", "/v1/calls?stop_on=eror", "", "[]", 400, problem("bad_request", `unknown stop_on \"eror\"`, "did you mean error?"), ""},
		{"empty stop_on", "/v1/calls?stop_on=", "", "[]", 400, problem("bad_request", `unknown stop_on \"\"`, "known: never, fatal, error"), ""},
		{"format to come", "/v1/calls?format=anthropic", "", "[]", 400, problem("bad_request", `format \"anthropic\" is not built yet`, "built: openai-chat"), ""},
		{"format of lists only", "/v1/calls?format=mcp", "", "[]", 400, problem("bad_request", `unknown format \"mcp\"`, "known: openai-chat"), ""},
		{"bad chat", "/v1/calls?chat=a%20b", "", "[]", 400, problem("bad_request", `\"a b\" cannot name a chat`, "A chat is named by 1 to 128 printable ASCII characters without spaces."), ""},
		{"two chats", "/v1/calls?chat=a", "X-Chat-Id: b", "[]", 400, problem("bad_request", `the request names two chats, \"a\" and \"b\"`, "Name one chat, once."), ""},

		{"no batch", "/v1/calls", "", calling("a", "busy"), 503, problem("overloaded", "too many batches", ""), "Retry-After: 1"},
		{"a fault", "/v1/calls", "", calling("a", "broken"), 500, problem("internal", internal, internalHint), ""},
		{"a panic", "/v1/calls", "", calling("a", "fail-panic"), 500, problem("internal", internal, internalHint), ""},
		{"answers missing", "/v1/calls", "", calling("a", "short"), 500, problem("internal", internal, internalHint), ""},
	}
	batch := &fakeBatch{}
	handler := httpapi.New(&batch.fake, httpapi.Options{Batch: batch})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := send(handler, http.MethodPost, tt.target, tt.header, tt.body)
			if res.Code != tt.status || res.Header().Get("Content-Type") != "application/json" {
				t.Errorf("status %d, want %d; content type %q", res.Code, tt.status, res.Header().Get("Content-Type"))
			}
			if diff := cmp.Diff(tt.want+"\n", res.Body.String()); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if name, value, _ := strings.Cut(tt.wantHeader, ": "); res.Header().Get(name) != value {
				t.Errorf("%s is %q, want %q", name, res.Header().Get(name), value)
			}
		})
	}
}

// TestBatchReachesGateway holds what the gateway is given of a step.
func TestBatchReachesGateway(t *testing.T) {
	batch := &fakeBatch{}
	handler := httpapi.New(batch, httpapi.Options{Batch: batch})
	send(handler, http.MethodPost, "/v1/calls?stop_on=fatal", "X-Chat-Id: ~chat-1", calling("a", "echo", "b", "x y"))
	call := func(id, name string) httpapi.BatchCall {
		return httpapi.BatchCall{ID: id, Call: tool.Call{
			Tool: name, Arguments: json.RawMessage(`{"n": 1.10}`), Caller: fakeCaller(), Via: tool.ViaBatch, Chat: tool.Chat{ID: "~chat-1"},
		}}
	}
	if diff := cmp.Diff([]httpapi.BatchCall{call("a", "echo"), call("b", "x y")}, batch.calls); diff != "" || batch.stopOn != "fatal" {
		t.Errorf("stop on %q (-want +got):\n%s", batch.stopOn, diff)
	}
	send(handler, http.MethodPost, "/v1/calls", "", calling("c", "echo"))
	if chat := batch.calls[0].Call.Chat.ID; chat != "" || batch.stopOn != "never" {
		t.Errorf("chat %q, stop on %q, want none and never", chat, batch.stopOn)
	}
}

func TestChat(t *testing.T) {
	tests := []struct {
		query, header string
		want          string
		status        int
	}{
		{"", "", "", 200},
		{"?chat=a", "", "a", 200},
		{"", "a/b:c%20", "a/b:c%20", 200},
		{"?chat=a", "a", "a", 200},
		{"", strings.Repeat("x", 128), strings.Repeat("x", 128), 200},
		{"?chat=a", "b", "", 400},
		{"?chat=", "", "", 400},
		{"?chat=a&chat=a", "", "", 400},
		{"?chat=%00", "", "", 400},
		{"?chat=%C3%A9", "", "", 400},
		{"?chat=a%20b", "", "", 400},
		{"", "a b", "", 400},
		{"", strings.Repeat("x", 129), "", 400},
	}
	for _, tt := range tests {
		gw, header := &fake{}, ""
		if tt.header != "" {
			header = "X-Chat-Id: " + tt.header
		}
		res := send(httpapi.New(gw, httpapi.Options{}), http.MethodPost, "/v1/tools/echo/call"+tt.query, header, "")
		if res.Code != tt.status || gw.call.Chat.ID != tt.want {
			t.Errorf("%q, %q: %d in chat %q, want %d in %q", tt.query, tt.header, res.Code, gw.call.Chat.ID, tt.status, tt.want)
		}
	}
}
