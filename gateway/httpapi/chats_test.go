package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// failingStore keeps nothing.
type failingStore struct{}

func (failingStore) ChangedChats(context.Context, int64) ([]chat.Saved, int64, error) {
	return nil, 0, nil
}

func (failingStore) EditChat(context.Context, chat.Key, func(*chat.Saved) (chat.Saved, error)) error {
	return errors.New("disk full")
}

func (failingStore) UseChats(context.Context, []chat.Saved) error { return errors.New("disk full") }

func (failingStore) DropChats(context.Context, []chat.Key) error { return errors.New("disk full") }

// TestChats holds what each request about a chat is answered; the requests
// follow each other.
func TestChats(t *testing.T) {
	desk := chat.Open(t.Context(), nil, chat.Options{Limits: chat.Config{MostPerCaller: 1}})
	defer func() { _ = desk.Close() }()
	broken := chat.Open(t.Context(), failingStore{}, chat.Options{})
	defer func() { _ = broken.Close() }()
	const put, get, drop = http.MethodPut, http.MethodGet, http.MethodDelete
	long := strings.Repeat("c", tool.MaxChatID+1)
	tests := []struct {
		desk               *chat.Desk
		method, path, body string
		status             int
		want               string // of the body
	}{
		{desk, get, "/v1/chats/c", "", 404, `{"error":{"error_type":"not_found","message":"no chat of this name holds anything"`},
		{desk, drop, "/v1/chats/c", "", 404, `{"error":{"error_type":"not_found"`},
		{desk, put, "/v1/chats/c", `{"context": {"z": 9007199254740993, "a": "<"}}`, 200, `{"id":"c","context":{"z":9007199254740993,"a":"<"},"created_at":"`},
		{desk, get, "/v1/chats/c", "", 200, `{"id":"c","context":{"z":9007199254740993,"a":"<"},"created_at":"`},
		{desk, http.MethodHead, "/v1/chats/c", "", 200, ""},
		{desk, put, "/v1/chats/c", `{"context": {}}`, 200, `{"id":"c","context":{},`},
		{desk, put, "/v1/chats/d", `{"context": {}}`, 403, `{"error":{"error_type":"denied","message":"this caller has 1 chats that hold something, and may have no more"`},
		{desk, put, "/v1/chats/c", `{}`, 400, `{"error":{"error_type":"bad_request","message":"the body is not a chat"`},
		{desk, put, "/v1/chats/c", ``, 400, `{"error":{"error_type":"bad_request","message":"the body is not a chat"`},
		{desk, put, "/v1/chats/c", `{"context": {}, "groups": ["x"]}`, 400, `{"error":{"error_type":"bad_request","message":"the body is not a chat"`},
		{desk, put, "/v1/chats/c", `{"context": {}, "context": {"a": 1}}`, 400, `{"error":{"error_type":"bad_request","message":"the body is not a chat"`},
		{desk, put, "/v1/chats/c", `["context", {}]`, 400, `{"error":{"error_type":"bad_request","message":"the body is not a chat"`},
		{desk, put, "/v1/chats/c", `{"context": {}} {}`, 400, `{"error":{"error_type":"bad_request","message":"the body is not a chat"`},
		{desk, put, "/v1/chats/c", `{"context": {}}]`, 400, `{"error":{"error_type":"bad_request","message":"the body is not a chat"`},
		{desk, put, "/v1/chats/c", `{"context": null}`, 422, `{"error":{"error_type":"invalid_args","message":"the context is not a JSON object"`},
		{desk, put, "/v1/chats/c", `{"context": {"a": 1, "a": 2}}`, 422, `{"error":{"error_type":"invalid_args","message":"the context cannot be read`},
		{desk, put, "/v1/chats/c", `{"context": {"a": "` + strings.Repeat("x", chat.MaxContext) + `"}}`, 422, `{"error":{"error_type":"invalid_args","message":"the context has 65545 bytes, and at most 65536 are kept"`},
		{desk, put, "/v1/chats/c", strings.Repeat(" ", 4<<20+1), 413, `{"error":{"error_type":"bad_request"`},
		{desk, get, "/v1/chats/" + long, "", 400, `{"error":{"error_type":"bad_request","message":"the name of the chat has 129 bytes"`},
		{desk, get, "/v1/chats/a%20b", "", 400, `{"error":{"error_type":"bad_request","message":"\"a b\" cannot name a chat"`},
		{desk, get, "/v1/chats/a%0Ab", "", 400, `{"error":{"error_type":"bad_request"`},
		{desk, get, "/v1/chats/c?chat=d", "", 400, `{"error":{"error_type":"bad_request","message":"unknown query parameter \"chat\""`},
		{desk, get, "/v1/chats/c?caller=bob", "", 403, `{"error":{"error_type":"forbidden","message":"the chats of another caller are for administrators"`},
		{desk, get, "/v1/chats/c?caller=anonymous", "", 200, `{"id":"c",`},
		{desk, http.MethodPost, "/v1/chats/c", "", 405, `{"error":{"error_type":"method_not_allowed","message":"this path takes DELETE, GET, HEAD, PUT only"`},
		{desk, drop, "/v1/chats/c", "", 200, `{"id":"c","status":"deleted"}`},
		{desk, get, "/v1/chats/c", "", 404, `{"error":{"error_type":"not_found"`},
		{broken, put, "/v1/chats/c", `{"context": {}}`, 500, `{"error":{"error_type":"internal","message":"the chat could not be written to the store, and nothing was changed"`},
	}
	for _, tt := range tests {
		h := httpapi.New(&fake{}, httpapi.Options{Chats: tt.desk})
		req := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		res := httptest.NewRecorder()
		h.ServeHTTP(res, req)
		if res.Code != tt.status || !strings.HasPrefix(res.Body.String(), tt.want) || strings.Contains(res.Body.String(), "disk") {
			t.Errorf("%s %.40s %.60q: %d %.200s, want %d %s", tt.method, tt.path, tt.body, res.Code, res.Body, tt.status, tt.want)
		}
		if body := res.Body.Bytes(); len(body) > 0 && !json.Valid(body) {
			t.Errorf("%s %.40s: not JSON: %s", tt.method, tt.path, body)
		}
	}
}

// TestChatsOfOthers holds that an administrator, and nobody else, reaches the
// chats of a caller who is named.
func TestChatsOfOthers(t *testing.T) {
	desk := chat.Open(t.Context(), nil, chat.Options{})
	defer func() { _ = desk.Close() }()
	h := httpapi.New(&fake{}, httpapi.Options{Chats: desk})
	ask := func(who tool.Caller, method, path, body string) int {
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		res := httptest.NewRecorder()
		h.ServeHTTP(res, req.WithContext(tool.WithCaller(req.Context(), who)))
		return res.Code
	}
	ann := tool.Caller{ID: "ann", May: []tool.Right{tool.MayCall, tool.MayApprove, tool.MayActivate}}
	root := tool.Caller{ID: "admin", May: []tool.Right{tool.MayAdmin}}
	for _, step := range []struct {
		who          tool.Caller
		method, path string
		status       int
	}{
		{root, http.MethodPut, "/v1/chats/c?caller=ann", 200},
		{ann, http.MethodGet, "/v1/chats/c", 200},
		{root, http.MethodGet, "/v1/chats/c", 404},
		{ann, http.MethodPut, "/v1/chats/c?caller=bob", 403},
		{ann, http.MethodDelete, "/v1/chats/c?caller=admin", 403},
		{root, http.MethodDelete, "/v1/chats/c?caller=ann", 200},
		{ann, http.MethodGet, "/v1/chats/c", 404},
	} {
		if got := ask(step.who, step.method, step.path, `{"context": {}}`); got != step.status {
			t.Errorf("%s: %s %s: %d, want %d", step.who.ID, step.method, step.path, got, step.status)
		}
	}
}
