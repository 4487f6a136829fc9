package config

// authBlocks are the places where credentials are declared.
var authBlocks = []string{"upstreams.*.auth", "tools.*.http.auth"}

// authKinds are the kinds of credentials; a block has exactly one of them.
var authKinds = []string{"bearer", "basic", "header", "query", "cookie", "oauth2"}

// authNotes are the notes on what stands inside a block of credentials.
var authNotes = map[string]note{
	"":                      {private: true, instead: "write {bearer: \"${secret.name}\"}, or one of basic, header, oauth2, query and cookie"},
	".bearer":               {filled: true},
	".basic":                {instead: "write {username: name, password: \"${secret.name}\"}"},
	".basic.username":       {required: "write username: with the name of the user", filled: true},
	".header":               {instead: "write {name: X-Key, value: \"${secret.name}\"}"},
	".header.name":          {required: "write name: with the name of the header", filled: true},
	".header.value":         {required: writeCredential, filled: true},
	".query":                {instead: "write {name: key, value: \"${secret.name}\"}"},
	".query.name":           {required: "write name: with the name of the parameter", filled: true},
	".query.value":          {required: writeCredential, filled: true},
	".cookie":               {instead: "write {name: session, value: \"${secret.name}\"}"},
	".cookie.name":          {required: "write name: with the name of the cookie", filled: true},
	".cookie.value":         {required: writeCredential, filled: true},
	".oauth2.token_url":     {required: writeURL, filled: true},
	".oauth2.client_id":     {required: "write the name that the token endpoint knows the gateway by", filled: true},
	".oauth2.client_secret": {required: writeCredential, filled: true},
	".oauth2.scopes":        {instead: "write a list with one scope an item, such as [read, write]"},
	".oauth2.scopes.*":      {filled: true},
}

// withAuth adds the notes on every block of credentials.
func withAuth(notes map[string]note) map[string]note {
	for _, block := range authBlocks {
		for key, n := range authNotes {
			notes[block+key] = n
		}
	}
	return notes
}

// checkAuth holds every block of credentials to one kind.
func (c *Config) checkAuth() {
	say := oneOf{
		none: "this says nothing about credentials", choices: "bearer, basic, header, query, cookie and oauth2", several: "credentials are of one kind",
	}
	for _, m := range c.tree.sectionMembers("upstreams") {
		c.checkOneOf([]string{"upstreams", m.key, "auth"}, authKinds, say)
	}
	for _, m := range c.tree.sectionMembers("tools") {
		c.checkOneOf([]string{"tools", m.key, "http", "auth"}, authKinds, say)
	}
}
