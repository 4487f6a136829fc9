package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/tool"
)

const groupsFile = `version: 1
secrets: {agent: {file: agent}, user: {file: user}, other: {file: other}, admin: {file: admin}}
server:
  admin_token: ${secret.admin}
  callers:
    agent: {token: "${secret.agent}"}
    other: {token: "${secret.other}"}
    user: {token: "${secret.user}", may: [activate]}
tools:
  find: {description: Find., tags: [read_only], expr: '"found"'}
  pay: {description: Pay., core: false, expr: '"paid"'}
groups: {money: {description: Payments., tools: [pay]}}
policy: {default: allow}
`

// serveGroups serves both doors as gateway serve does, from a folder in which the
// store is too.
func serveGroups(t *testing.T, dir string) (s *guardedServer, stop func()) {
	t.Helper()
	lines := new(safeBuffer)
	logger := slog.New(slog.NewTextHandler(lines, nil))
	h, err := open(config.Options{Files: []string{filepath.Join(dir, "tools.yaml")}}, logger)
	if err != nil {
		t.Fatal(err)
	}
	server := host.NewServer(h, host.ServerOptions{})
	end := server.Begin(t.Context())
	web := httptest.NewServer(server.Handler())
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			end()
			_ = server.Close()
			web.Close()
			_ = h.Close()
		}
	}
	t.Cleanup(stop)
	return &guardedServer{Server: server, url: web.URL, dir: dir, lines: lines}, stop
}

func groupsFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"tools.yaml": text}
	for _, caller := range []string{"agent", "user", "other", "admin"} {
		files[caller] = tokenOf(caller) + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wayIn is one way to call the tool pay, by its name.
type wayIn func(t *testing.T, s *guardedServer, caller, chat string) string

// waysIn are all ways that an agent has.
func waysIn() map[string]wayIn {
	const step = `[{"id": "%s", "type": "function", "function": {"name": "pay", "arguments": "{}"}}]`
	once := tool.NewCallID // what is called again under its name is answered as before
	post := func(path, body string, header ...string) wayIn {
		return func(t *testing.T, s *guardedServer, caller, chat string) string {
			_, answer := s.ask(t, caller, http.MethodPost, strings.ReplaceAll(path, "CHAT", chat), body, append(header, "X-Chat-Id", chat)...)
			return answer
		}
	}
	modern := func(name, sent string) wayIn {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + sent + `","arguments":{},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`
		return post("/chats/CHAT/mcp", body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
	}
	legacy := func(sent string) wayIn {
		return func(t *testing.T, s *guardedServer, caller, chat string) string {
			path := "/mcp?chat=" + chat
			session := s.session(t, caller, path)
			_, answer := s.ask(t, caller, http.MethodPost, path, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+sent+`","arguments":{}}}`, "Mcp-Session-Id", session)
			return answer
		}
	}
	return map[string]wayIn{
		"http":       post("/v1/tools/pay/call", `{}`),
		"http query": post("/v1/tools/pay/call?chat=CHAT", `{}`),
		"http once": func(t *testing.T, s *guardedServer, caller, chat string) string {
			return post("/v1/tools/pay/call", `{}`, "Idempotency-Key", once())(t, s, caller, chat)
		},
		"handle": func(t *testing.T, s *guardedServer, caller, chat string) string {
			var started struct {
				CallID string `json:"call_id"`
			}
			answer := post("/v1/tools/pay/call?wait=0", `{}`)(t, s, caller, chat)
			if err := json.Unmarshal([]byte(answer), &started); err != nil || started.CallID == "" {
				return answer
			}
			_, end := s.ask(t, caller, http.MethodGet, "/v1/calls/"+started.CallID+"?wait=30", "")
			return end
		},
		"batch": func(t *testing.T, s *guardedServer, caller, chat string) string {
			return post("/v1/calls", fmt.Sprintf(step, once()))(t, s, caller, chat)
		},
		"mcp 2026-07-28":         modern("pay", "pay"),
		"mcp 2026-07-28, by SDK": modern("pay", `p\u0061y`),
		"mcp 2025-11-25":         legacy("pay"),
		"mcp 2025-11-25, by SDK": legacy(`p\u0061y`),
		"batch, query": func(t *testing.T, s *guardedServer, caller, chat string) string {
			return post("/v1/calls?chat=CHAT", fmt.Sprintf(step, once()))(t, s, caller, chat)
		},
	}
}

// session opens a session of the older revisions.
func (s *guardedServer) session(t *testing.T, caller, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(initialize))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + tokenOf(caller), "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	id := res.Header.Get("Mcp-Session-Id")
	s.ask(t, caller, http.MethodPost, path, initialized, "Mcp-Session-Id", id)
	return id
}

// TestChatsSetAtEveryDoor holds that a tool outside of a chat's set is called
// through no door, not even by its name, before its group is activated there; that
// the agent cannot do so itself; and that another chat, and another caller's chat of
// that name, do not change.
func TestChatsSetAtEveryDoor(t *testing.T) {
	t.Parallel()
	s, _ := serveGroups(t, groupsFolder(t, groupsFile))
	check := func(when, caller, chat string, paid bool) {
		t.Helper()
		for name, call := range waysIn() {
			answer := call(t, s, caller, chat)
			if strings.Contains(answer, `"paid"`) != paid || strings.Contains(answer, "pay is not active in this chat") == paid {
				t.Errorf("%s, %s/%s by %s: %s", when, caller, chat, name, answer)
			}
		}
		_, list := s.ask(t, caller, http.MethodGet, "/v1/tools?chat="+chat, "")
		if strings.Contains(list, `"pay"`) != paid || strings.Contains(list, "request_tool_activation") == paid {
			t.Errorf("%s, %s/%s: %s", when, caller, chat, list)
		}
	}
	check("before", "agent", "c", false)
	put := func(caller, query, groups string) int {
		status, _ := s.ask(t, caller, http.MethodPut, "/v1/chats/c/groups"+query, `{"groups": [`+groups+`]}`)
		return status
	}
	if got := put("agent", "", `"money"`); got != http.StatusForbidden {
		t.Errorf("an agent activates for itself: %d", got)
	}
	if answer := s.call(t, "agent", "request_tool_activation", `{"group": "money", "reason": "to pay"}`, "X-Chat-Id", "c"); !strings.HasPrefix(answer, "The user is asked to activate money.") {
		t.Error(answer)
	}
	check("asked for", "agent", "c", false)
	once := func() string { return s.call(t, "agent", "pay", `{}`, "X-Chat-Id", "c", "Idempotency-Key", "k1") }
	if answer := once(); !strings.Contains(answer, "not active") {
		t.Error(answer)
	}
	if got := put("user", "?caller=agent", `"money"`); got != http.StatusOK {
		t.Fatalf("a user activates: %d", got)
	}
	check("activated", "agent", "c", true)
	if answer := once(); answer != "paid" { // it did not run when it was sent first
		t.Error(answer)
	}
	check("activated elsewhere", "agent", "d", false)
	check("activated for another", "other", "c", false)
	if got := put("user", "?caller=agent", ""); got != http.StatusOK {
		t.Fatalf("a user deactivates: %d", got)
	}
	check("deactivated", "agent", "c", false)
	for _, want := range []string{
		`msg="a model asks for a group of tools" caller=agent chat=c group=money reason="to pay"`,
		`msg="the groups of a chat changed" caller=agent chat=c active=money by=user`, `active="" by=user`,
	} {
		if !strings.Contains(s.lines.String(), want) {
			t.Errorf("no line with %s in\n%s", want, s.lines)
		}
	}
}

// TestListTags holds that the ETag of a list follows the chat.
func TestListTags(t *testing.T) {
	t.Parallel()
	s, _ := serveGroups(t, groupsFolder(t, groupsFile))
	tag := func(chat string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/tools?chat="+chat, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+tokenOf("agent"))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.Header.Get("ETag")
	}
	before := tag("c")
	s.ask(t, "admin", http.MethodPut, "/v1/chats/c/groups?caller=agent", `{"groups": ["money"]}`)
	if tag("c") == before || tag("d") != before {
		t.Errorf("%s before, then %s and elsewhere %s", before, tag("c"), tag("d"))
	}
}

// TestGroupsByCommand holds that what the command writes to the store reaches a
// server that runs on it, without a token, and outlives the server.
func TestGroupsByCommand(t *testing.T) {
	t.Parallel()
	dir := groupsFolder(t, "version: 1\n"+groupsFile[strings.Index(groupsFile, "tools:"):]) // without tokens
	s, stop := serveGroups(t, dir)
	if status, body := s.ask(t, "", http.MethodPut, "/v1/chats/c/groups", `{"groups": ["money"]}`); status != http.StatusForbidden || !strings.Contains(body, "the right activate") {
		t.Errorf("who is not told apart activates over HTTP: %d %s", status, body)
	}
	command := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if err := run(t.Context(), append(append([]string{"gateway", "chats"}, args...), "--config", filepath.Join(dir, "tools.yaml")), streams{http.NoBody, &out, &out}); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, &out)
		}
		return out.String()
	}
	pays := func(chat string) bool {
		return strings.Contains(s.call(t, "", "pay", `{}`, "X-Chat-Id", chat), "paid")
	}
	until := func(want bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); pays("c") != want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the server goes on with paying %v", !want)
			}
		}
	}
	s.call(t, "", "request_tool_activation", `{"group": "money", "reason": "to pay"}`, "X-Chat-Id", "c")
	if got := command("list", "--asking"); !strings.Contains(got, "anonymous") || !strings.Contains(got, "money") {
		t.Error(got)
	}
	if got := command("show", "c"); !strings.Contains(got, "asks for  money since") || !strings.Contains(got, "inactive  money (1 tool) Payments.") {
		t.Error(got)
	}
	command("activate", "c", "money")
	until(true)
	if pays("d") {
		t.Error("another chat pays")
	}
	command("deactivate", "c", "money")
	until(false)
	command("activate", "c", "money")
	until(true)
	stop()
	s, _ = serveGroups(t, dir)
	if !pays("c") || pays("d") {
		t.Error("a restart changed what is active")
	}
}

// TestGroupsOverServer is the command that asks a server.
func TestGroupsOverServer(t *testing.T) {
	s, _ := serveGroups(t, groupsFolder(t, groupsFile))
	t.Setenv(config.EnvToken, tokenOf("user"))
	command := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append(append([]string{"gateway", "chats"}, args...), "--server", s.url), streams{http.NoBody, &out, &out})
		return out.String(), err
	}
	s.call(t, "agent", "request_tool_activation", `{"group": "money", "reason": "to pay"}`, "X-Chat-Id", "c")
	for _, step := range []struct {
		args       string
		want, fail string
	}{
		{"list --asking", "money", ""},
		{"show c", "asks for  money", ""},
		{"activate c mony", "", `the gateway refuses: there is no group "mony". did you mean money?`},
		{"activate c money", "active  money", ""},
		{"decline c money", "", "the gateway refuses: this group was not asked for in this chat, or the request was answered"},
		{"show c --json", `"requests": []`, ""},
		{"deactivate c web", "", `the group "web" is not active in this chat (active: money)`},
		{"deactivate c money", "active    -", ""},
		{"show nothing", "", `no chat named "nothing" holds anything yet, so --caller NAME has to say whose it is`},
		{"show nothing --caller other", "inactive  money (1 tool)", ""},
		{"activate c money --caller other", "active  money", ""},
		{"show c", "", `several callers have a chat named "c" (agent, other)`},
	} {
		out, err := command(strings.Fields(step.args)...)
		if step.fail == "" && (err != nil || !strings.Contains(out, step.want)) || step.fail != "" && (err == nil || !strings.Contains(err.Error(), step.fail)) {
			t.Errorf("%s: %v\n%s", step.args, err, out)
		}
	}
	t.Setenv(config.EnvToken, tokenOf("agent"))
	if _, err := command("activate", "c", "money", "--caller", "agent"); err == nil || !strings.Contains(err.Error(), "this needs the right activate") {
		t.Errorf("%v", err)
	}
}
