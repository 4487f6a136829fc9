package httptool

import (
	"errors"
	"net/url"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// nextAddress is the address that an upstream named in its answer, which came
// from the address at. It has to be of the origin of home, which the call asked
// first: the credentials go there too.
func nextAddress(at, home *url.URL, text string) (*url.URL, error) {
	ref, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, astray().Because(errors.New("it cannot be read")) // the error would repeat it
	}
	u := at.ResolveReference(ref)
	switch {
	case u.Opaque != "", u.User != nil:
		return nil, astray().Because(errors.New("it is not a plain address"))
	case origin(u) != origin(home):
		return nil, tool.Errorf(tool.UpstreamError, "the upstream named %s://%s for what to ask next, and another scheme, host or port than the tool's own is not asked", u.Scheme, u.Host).
			WithHint(notYours)
	}
	u.Scheme, u.Host, u.Fragment, u.RawFragment = home.Scheme, home.Host, "", ""
	return u, nil
}

func astray() *tool.Error {
	return tool.Errorf(tool.UpstreamError, "the upstream named something that is not an address for what to ask next").WithHint(notYours)
}
