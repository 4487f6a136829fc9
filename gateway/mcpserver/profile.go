package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// ServesPath reports whether this door serves a path: /mcp, which has all tools,
// /p/NAME/mcp, which has those of one profile, and /chats/NAME/mcp, whose calls
// belong to one chat.
func ServesPath(path string) bool {
	return path == "/mcp" || profileIn(path) != "" || chatIn(path) != ""
}

// profileIn is the profile that a path names; empty when it names none.
func profileIn(path string) string {
	rest, ok := strings.CutPrefix(path, "/p/")
	name, ok2 := strings.CutSuffix(rest, "/mcp")
	if !ok || !ok2 || strings.Contains(name, "/") {
		return ""
	}
	return name
}

// profileAsked is the profile that a request names, by its path or with
// "?profile=", as at the HTTP door. Named without a name, and named twice with two
// names, it is one that there is not: a client that wants less must not be shown
// all.
func profileAsked(r *http.Request) (name string, named bool) {
	name = profileIn(r.URL.Path)
	if r.URL.RawQuery == "" {
		return name, name != ""
	}
	asked, ok := r.URL.Query()["profile"]
	if !ok {
		return name, name != ""
	}
	if name == "" {
		name = asked[0]
	}
	for _, other := range asked {
		if other != name {
			return name + " and " + other, true
		}
	}
	return name, true
}

// profileKey is the context key of the profile that a request came through.
type profileKey struct{}

func profileOf(ctx context.Context) string {
	name, _ := ctx.Value(profileKey{}).(string)
	return name
}

// through gives the request with its profile in its context.
func through(r *http.Request, profile string) *http.Request {
	if profile == "" {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), profileKey{}, profile))
}

// refuseProfile answers that there is no such profile.
func refuseProfile(w http.ResponseWriter, name string) {
	refuse(w, http.StatusNotFound, "no_such_profile", fmt.Sprintf("there is no profile %q", name),
		"Use /mcp, which has all tools, or name one entry under profiles, as /p/NAME/mcp.")
}

// refuse answers as the HTTP API does what is no matter of the protocol.
func refuse(w http.ResponseWriter, status int, kind, message, hint string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"error_type": kind, "message": message, "hint": hint}})
}
