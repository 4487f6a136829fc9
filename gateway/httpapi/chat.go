package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// chatHeader names the chat that a call belongs to; the query parameter
	// "chat" does too.
	chatHeader = "X-Chat-Id"
	// maxChatID is the most characters of a chat's name.
	maxChatID = 128
)

// chat reads which chat the calls of a request belong to. One that names none
// is left to the gateway.
func chat(r *http.Request, values url.Values) (tool.Chat, *problem) {
	named := r.Header.Values(chatHeader)
	if values.Has("chat") {
		named = append([]string{values.Get("chat")}, named...)
	}
	for _, id := range named {
		if p := checkChat(id); p != nil {
			return tool.Chat{}, p
		}
		if id != named[0] {
			return tool.Chat{}, badQuery(fmt.Sprintf("the request names two chats, %q and %q", named[0], id), "Name one chat, once.")
		}
	}
	if len(named) == 0 {
		return tool.Chat{}, nil
	}
	return tool.Chat{ID: named[0]}, nil
}

// checkChat refuses names that logs and URLs could not carry as they are.
func checkChat(id string) *problem {
	hint := fmt.Sprintf("A chat is named by 1 to %d printable ASCII characters without spaces.", maxChatID)
	switch {
	case id == "":
		return badQuery("the name of the chat is empty", hint)
	case len(id) > maxChatID:
		return badQuery(fmt.Sprintf("the name of the chat has %d bytes", len(id)), hint)
	case strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }):
		return badQuery(fmt.Sprintf("%q cannot name a chat", id), hint)
	}
	return nil
}
