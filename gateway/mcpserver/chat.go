package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// headerChat names the chat that the calls of a request belong to; so do the query
// parameter "chat" and the path /chats/NAME/mcp.
const headerChat = "X-Chat-Id"

// chatIn is the chat that a path names; empty when it names none.
func chatIn(path string) string {
	rest, ok := strings.CutPrefix(path, "/chats/")
	name, ok2 := strings.CutSuffix(rest, "/mcp")
	if !ok || !ok2 || strings.Contains(name, "/") {
		return ""
	}
	return name
}

// chatKey is the context key of the chat that a request names.
type chatKey struct{}

// inChat gives the request with the chat that it names in its context and, for
// the SDK, whose contexts are those of sessions, in its header. It fails when no
// chat can have the name, or there are two.
func inChat(r *http.Request) (*http.Request, error) {
	named := r.Header[headerChat]
	if name := chatIn(r.URL.Path); name != "" {
		named = append([]string{name}, named...)
	}
	if r.URL.RawQuery != "" {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return nil, fmt.Errorf("the query string is malformed")
		}
		named = append(named[:len(named):len(named)], values["chat"]...)
	}
	for _, name := range named {
		if err := tool.CheckChatID(name); err != nil {
			return nil, err
		}
		if name != named[0] {
			return nil, fmt.Errorf("the request names two chats, %q and %q", named[0], name)
		}
	}
	if len(named) == 0 {
		return r, nil
	}
	r.Header[headerChat] = named[:1]
	return r.WithContext(context.WithValue(r.Context(), chatKey{}, named[0])), nil
}

// chatOf is the chat of a request over HTTP: the one that it names, else that of its
// session, if it has one.
func chatOf(ctx context.Context, session *mcp.ServerSession) tool.Chat {
	if name := chatNamed(ctx); name != "" || session == nil {
		return tool.Chat{ID: name}
	}
	return ownChat(session)
}

// ownChat is the chat of a session that names none; that of a pipe is the caller's
// default one.
func ownChat(session *mcp.ServerSession) tool.Chat { return tool.Chat{ID: session.ID(), Session: true} }

// chatNamed is the chat that the request of the context names; empty where it names
// none.
func chatNamed(ctx context.Context) string {
	name, _ := ctx.Value(chatKey{}).(string)
	return name
}

// chatOfRequest is the chat of a request of the SDK, which came over a pipe where there
// is nothing extra.
func chatOfRequest(session *mcp.ServerSession, extra *mcp.RequestExtra) tool.Chat {
	if extra != nil {
		if name := extra.Header.Get(headerChat); name != "" || session.ID() == "" {
			return tool.Chat{ID: name}
		}
	}
	return ownChat(session)
}

// refuseChat answers that a request names no chat, or two.
func refuseChat(w http.ResponseWriter, err error) {
	refuse(w, http.StatusBadRequest, "bad_request", err.Error(),
		fmt.Sprintf("Name one chat, once: 1 to %d printable ASCII characters without spaces.", tool.MaxChatID))
}
