package httpapi

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// chatHeader names the chat that a call belongs to; the query parameter
	// "chat" does too.
	chatHeader = "X-Chat-Id"
)

// chatOf reads which chat the calls of a request belong to. One that names none
// is left to the gateway.
func chatOf(r *http.Request, values url.Values) (tool.Chat, *problem) {
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
	if err := tool.CheckChatID(id); err != nil {
		return badQuery(err.Error(), fmt.Sprintf("A chat is named by 1 to %d printable ASCII characters without spaces.", tool.MaxChatID))
	}
	return nil
}
