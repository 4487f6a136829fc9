package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/tool"
)

// offering has three groups, of which it offers those that are not active.
type offering struct{ desk *chat.Desk }

func (offering) Names() []string { return []string{"code", "money", "web"} }

func (offering) Callers() []string { return []string{"agent", "user"} }

func (o offering) Offered(_ context.Context, _ tool.Caller, key chat.Key) (out []httpapi.OfferedGroup) {
	found, _ := o.desk.Show(key)
	for _, name := range o.Names() {
		if !slices.Contains(found.Groups, name) {
			out = append(out, httpapi.OfferedGroup{Name: name, Tools: 2})
		}
	}
	return out
}

// TestGroupsOfChats holds what each request about groups is answered, by whom it is
// sent; the requests follow each other.
func TestGroupsOfChats(t *testing.T) {
	desk := chat.Open(t.Context(), nil, chat.Options{Limits: chat.Config{MostPerCaller: 2}})
	defer func() { _ = desk.Close() }()
	if _, err := desk.Ask(t.Context(), chat.Key{Caller: "agent", ID: "c"}, "web", "to <read>"); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Set(t.Context(), chat.Key{Caller: "agent", ID: "c"}, []byte(`{"tier":2}`)); err != nil {
		t.Fatal(err)
	}
	h := httpapi.New(&fake{}, httpapi.Options{Chats: desk, Groups: offering{desk}})
	agent := tool.Caller{ID: "agent", Name: "agent", May: []tool.Right{tool.MayCall}}
	user := tool.Caller{ID: "user", Name: "user", May: []tool.Right{tool.MayActivate}}
	root := tool.Caller{ID: "admin", Name: "admin", May: []tool.Right{tool.MayAdmin}}
	const put, get, drop = http.MethodPut, http.MethodGet, http.MethodDelete
	const groups, others = "/v1/chats/c/groups", "/v1/chats/c/groups?caller=agent"
	rest := `"inactive":[{"name":"code","tools":2},{"name":"money","tools":2},{"name":"web","tools":2}],`
	for _, tt := range []struct {
		who                tool.Caller
		method, path, body string
		status             int
		want               string // of the body
	}{
		{agent, get, groups, "", 200, `{"id":"c","caller":"agent","active":[],` + rest + `"requests":[{"group":"web","reason":"to <read>","created_at":"`},
		{agent, get, "/v1/chats/new/groups", "", 200, `{"id":"new","caller":"agent","active":[],` + rest + `"requests":[]}`},
		{agent, put, groups, `{"groups": ["web"]}`, 403, `{"error":{"error_type":"forbidden","message":"this needs the right activate, and the caller agent has call"`},
		{agent, drop, "/v1/chats/c/requests/web", "", 403, `{"error":{"error_type":"forbidden","message":"this needs the right activate`},
		{agent, get, "/v1/chats/c/groups?caller=user", "", 403, `{"error":{"error_type":"forbidden","message":"the chats of another caller`},
		{agent, put, "/v1/chats/c/groups?caller=user", `{"groups": []}`, 403, `{"error":{"error_type":"forbidden"`},
		{agent, get, "/v1/chats?caller=user", "", 403, `{"error":{"error_type":"forbidden"`},
		{user, get, groups, "", 200, `{"id":"c","caller":"user","active":[],`},
		{user, get, others, "", 200, `{"id":"c","caller":"agent","active":[],`},
		{user, put, others, `{"groups": ["wbe"]}`, 400, `{"error":{"error_type":"bad_request","message":"there is no group \"wbe\"","hint":"did you mean web?"`},
		{user, put, others, `{"groups": ["nothing like it"]}`, 400, `{"error":{"error_type":"bad_request","message":"there is no group`},
		{user, put, "/v1/chats/c/groups?caller=agnet", `{"groups": ["web"]}`, 400, `{"error":{"error_type":"bad_request","message":"there is no caller \"agnet\"","hint":"did you mean agent?"`},
		{user, put, others, `{}`, 400, `{"error":{"error_type":"bad_request","message":"the body does not say which groups are to be active"`},
		{user, put, others, `{"groups": "web"}`, 400, `{"error":{"error_type":"bad_request"`},
		{user, put, others, `{"groups": []} {}`, 400, `{"error":{"error_type":"bad_request"`},
		{user, put, others, `{"groups": [], "context": {}}`, 400, `{"error":{"error_type":"bad_request"`},
		{user, put, "/v1/chats/a%20b/groups?caller=agent", `{"groups": []}`, 400, `{"error":{"error_type":"bad_request","message":"\"a b\" cannot name a chat"`},
		{user, put, others, `{"groups": ["web", "code", "web"]}`, 200, `{"id":"c","caller":"agent","active":["code","web"],"inactive":[{"name":"money","tools":2}],"requests":[]}`},
		{user, get, "/v1/chats/c?caller=agent", "", 200, `{"id":"c","created_at":"`}, // no context
		{root, get, "/v1/chats/c?caller=agent", "", 200, `{"id":"c","context":{"tier":2},`},
		{agent, get, "/v1/chats/c", "", 200, `{"id":"c","context":{"tier":2},`},
		{user, put, "/v1/chats/c?caller=agent", `{"context": {}}`, 403, `{"error":{"error_type":"forbidden"`},
		{user, drop, "/v1/chats/c?caller=agent", "", 403, `{"error":{"error_type":"forbidden"`},
		{user, put, "/v1/chats/c", `{"context": {}}`, 403, `{"error":{"error_type":"forbidden","message":"this needs the right call`},
		{user, drop, "/v1/chats/c", "", 403, `{"error":{"error_type":"forbidden"`},
		{user, drop, "/v1/chats/c/requests/web?caller=agent", "", 404, `{"error":{"error_type":"not_found","message":"this group was not asked for`},
		{user, put, "/v1/chats/d/groups?caller=agent", `{"groups": ["web"]}`, 200, `{"id":"d",`},
		{user, put, "/v1/chats/e/groups?caller=agent", `{"groups": ["web"]}`, 403, `{"error":{"error_type":"denied","message":"this caller has 2 chats`},
		{root, put, others, `{"groups": []}`, 200, `{"id":"c","caller":"agent","active":[],`},
		{agent, get, "/v1/chats", "", 200, `{"chats":[{"caller":"agent","id":"c","context":{"tier":2},`},
		{user, get, "/v1/chats?limit=1", "", 200, `{"chats":[{"caller":"agent","id":"c","created_at":"`},
		{user, get, "/v1/chats?asking=true", "", 200, `{"chats":[],"more":false}`},
		{user, get, "/v1/chats?asking=yes", "", 400, `{"error":{"error_type":"bad_request"`},
		{user, get, "/v1/chats?limit=1001", "", 400, `{"error":{"error_type":"bad_request"`},
		{user, get, "/v1/chats?id=d", "", 200, `{"chats":[{"caller":"agent","id":"d",`},
		{user, http.MethodPost, groups, "", 405, `{"error":{"error_type":"method_not_allowed","message":"this path takes GET, HEAD, PUT only"`},
	} {
		req := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		res := httptest.NewRecorder()
		h.ServeHTTP(res, req.WithContext(tool.WithCaller(req.Context(), tt.who)))
		if res.Code != tt.status || !strings.HasPrefix(res.Body.String(), tt.want) {
			t.Errorf("%s: %s %.60s %.60q: %d %.300s, want %d %s", tt.who.ID, tt.method, tt.path, tt.body, res.Code, res.Body, tt.status, tt.want)
		}
	}
	if _, err := desk.Ask(t.Context(), chat.Key{Caller: "agent", ID: "c"}, "web", "r"); err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(drop, "/v1/chats/c/requests/web?caller=agent", nil)
	res := httptest.NewRecorder()
	h.ServeHTTP(res, req.WithContext(tool.WithCaller(req.Context(), user)))
	if got, _ := desk.Show(chat.Key{Caller: "agent", ID: "c"}); res.Code != 200 || len(got.Requests)+len(got.Groups) != 0 {
		t.Errorf("%d, %+v", res.Code, got)
	}
}

// TestFoundInChats holds who is shown which tools were found in a chat.
func TestFoundInChats(t *testing.T) {
	desk := chat.Open(t.Context(), nil, chat.Options{})
	defer func() { _ = desk.Close() }()
	if _, err := desk.Find(t.Context(), "agent", tool.Chat{ID: "c"}, []string{"pay", "add"}, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	h := httpapi.New(&fake{}, httpapi.Options{Chats: desk, Groups: offering{desk}})
	for _, tt := range []struct {
		id    string
		may   tool.Right
		shown bool
	}{{"agent", tool.MayCall, true}, {"user", tool.MayActivate, false}, {"root", tool.MayAdmin, true}} {
		for _, path := range []string{"/v1/chats/c?caller=agent", "/v1/chats?caller=agent"} {
			req := httptest.NewRequest(http.MethodGet, path, nil)
			res := httptest.NewRecorder()
			h.ServeHTTP(res, req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: tt.id, Name: tt.id, May: []tool.Right{tt.may}})))
			if got := strings.Contains(res.Body.String(), `"requests":[],"found":["pay","add"]`); res.Code != http.StatusOK || got != tt.shown || strings.Contains(res.Body.String(), "pay") != tt.shown {
				t.Errorf("%s at %s: %d %s", tt.id, path, res.Code, res.Body)
			}
		}
	}
}

// TestChatEvents holds who is told of what happens to the groups of a chat.
func TestChatEvents(t *testing.T) {
	feed := httpapi.NewFeed()
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }
	asked := chat.Request{Group: "web", Reason: "to read", Made: time.Now()}
	feed.ChatChanged(chat.Change{Key: chat.Key{Caller: "agent", ID: "c-hunter2"}, Groups: []string{}, Requested: []chat.Request{asked}}, mask)
	feed.ChatChanged(chat.Change{Key: chat.Key{Caller: "agent", ID: "c"}, Groups: []string{"web"}, Activated: []string{"web"}, By: "user"}, mask)
	feed.ChatChanged(chat.Change{Key: chat.Key{Caller: "other", ID: "c"}, Groups: []string{}, Declined: []string{"web"}, By: "user"}, mask)
	feed.ChatChanged(chat.Change{Key: chat.Key{Caller: "agent", ID: "c"}, Groups: []string{"web"}, Found: []string{"pay"}}, mask)
	feed.ChatChanged(chat.Change{Key: chat.Key{Caller: "agent", ID: "c"}, Groups: []string{}, Deactivated: []string{"web"}, Forgotten: []string{"pay"}}, mask)
	feed.Close()
	h := httpapi.New(&fake{}, httpapi.Options{Feed: feed})
	const fourth, fifth, sixth = "found_changed agent [web] +[pay] -[]", "groups_changed agent [] +[] by ", "found_changed agent [] +[] -[pay]"
	const first, second, third = "activation_requested agent [secret] web to read", "groups_changed agent [web] +[web] by user", "activation_declined other web by user"
	for _, tt := range []struct {
		id   string
		may  tool.Right
		want []string
	}{
		{"agent", tool.MayCall, []string{first, second, fourth, fifth, sixth}},
		{"other", tool.MayCall, []string{third}},
		{"stranger", tool.MayCall, nil},
		{"user", tool.MayActivate, []string{first, second, third, fifth}},
		{"admin", tool.MayAdmin, []string{first, second, third, fourth, fifth, sixth}},
		{"desk", tool.MayApprove, nil},
	} {
		req := httptest.NewRequest(http.MethodGet, "/v1/events", nil)
		req.Header.Set("Last-Event-ID", "0-0")
		res := httptest.NewRecorder()
		h.ServeHTTP(res, req.WithContext(tool.WithCaller(req.Context(), tool.Caller{ID: tt.id, May: []tool.Right{tt.may}})))
		var got []string
		for line := range strings.SplitSeq(res.Body.String(), "\n") {
			data, ok := strings.CutPrefix(line, "data: ")
			var e struct {
				Type string
				Data struct {
					Caller, Chat, Group, Reason, By string
					Groups, Activated               []string
					Found, Forgotten                []string
				}
			}
			if !ok || json.Unmarshal([]byte(data), &e) != nil || e.Type == "lost" {
				continue
			}
			switch e.Type {
			case "activation_requested":
				got = append(got, fmt.Sprintf("%s %s %s %s %s", e.Type, e.Data.Caller, strings.TrimPrefix(e.Data.Chat, "c-"), e.Data.Group, e.Data.Reason))
			case "groups_changed":
				got = append(got, fmt.Sprintf("%s %s %v +%v by %s", e.Type, e.Data.Caller, e.Data.Groups, e.Data.Activated, e.Data.By))
			case "found_changed":
				got = append(got, fmt.Sprintf("%s %s %v +%v -%v", e.Type, e.Data.Caller, e.Data.Groups, e.Data.Found, e.Data.Forgotten))
			default:
				got = append(got, fmt.Sprintf("%s %s %s by %s", e.Type, e.Data.Caller, e.Data.Group, e.Data.By))
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s\n%s", tt.id, diff)
		}
	}
}
