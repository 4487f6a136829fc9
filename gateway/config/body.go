package config

import (
	"strconv"

	"github.com/toolgate/toolgate/gateway/httptool"
)

var (
	// bodyKinds are the kinds of a request's body; it has exactly one of them.
	bodyKinds = []string{"json", "form", "multipart", "text", "base64"}
	// partKinds are those of a part of a multipart body.
	partKinds = []string{"text", "base64"}
)

// checkRequests looks at the blocks inside those of HTTP tools.
func (c *Config) checkRequests() {
	for _, m := range c.tree.sectionMembers("tools") {
		path := []string{"tools", m.key, "http"}
		c.checkBody(further(path, "body"))
		if t := c.Tools[m.key]; t.HTTP != nil && t.HTTP.Pages != nil {
			c.checkNumber(further(further(path, "pages"), "most"), t.HTTP.Pages.Most, 1, httptool.MaxPages)
		}
	}
}

func (c *Config) checkBody(path []string) {
	c.checkOneOf(path, bodyKinds, oneOf{
		none: "the body has no content", choices: "json, form, multipart, text and base64", several: "a body is of one kind",
	})
	parts := further(path, "multipart")
	l := c.tree.get(parts...)
	if l == nil || l.kind != list {
		return
	}
	for i := range l.items {
		c.checkOneOf(further(parts, strconv.Itoa(i)), partKinds, oneOf{
			none: "the part has no content", choices: "text and base64", several: "a part is of one kind",
		})
	}
}
