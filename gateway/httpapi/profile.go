package httpapi

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/toolgate/toolgate/gateway/tool"
)

// typeNoProfile is the refusal of a request through a profile that there is not.
const typeNoProfile = "no_such_profile"

// profile reads the fixed subset of tools that a request is about, "profile" in
// its query; empty for all tools.
func (a *api) profile(values url.Values) (string, *problem) {
	name := values.Get("profile")
	if !values.Has("profile") {
		return "", nil
	}
	if name == "" || !a.gateway.HasProfile(name) {
		return "", &problem{
			status: http.StatusNotFound, Type: typeNoProfile,
			Message: fmt.Sprintf("there is no profile %q", name),
			Hint:    "Name an entry of profiles, or leave the parameter out to have all tools.",
		}
	}
	return name, nil
}

// view reads who asks for tools, and from where.
func (a *api) view(r *http.Request, values url.Values) (tool.View, *problem) {
	inChat, p := chatOf(r, values)
	if p != nil {
		return tool.View{}, p
	}
	profile, p := a.profile(values)
	return tool.View{Caller: caller(r), Chat: inChat, Profile: profile}, p
}
