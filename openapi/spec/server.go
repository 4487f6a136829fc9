package spec

import (
	"strings"

	"github.com/toolgate/toolgate/openapi/dialect"
)

// readServers reads where the API is.
func (r *reader) readServers() {
	if r.version == dialect.V20 {
		r.doc.Servers = r.hosts(r.root, r.root)
	} else {
		r.doc.Servers = r.servers(r.root)
	}
	if len(r.doc.Servers) == 0 {
		r.doc.Servers = []Server{{URL: "/"}} // as the specification says
	}
}

// servers reads the list of a document, path or operation. An entry without a
// readable address is left out.
func (r *reader) servers(of spot) []Server {
	var all []Server
	list := of.get("servers")
	entries := list.items()
	if list.isObject() { // an author's slip: one server without its list
		entries = []spot{list}
	}
	for _, s := range entries {
		if !s.isObject() || s.node.Get("url") == nil {
			r.warn(s, "server-without-url", "a server without a url is left out")
			continue
		}
		server := Server{URL: s.text("url")}
		for _, v := range s.get("variables").entries() {
			if server.Variables == nil {
				server.Variables = map[string]Variable{}
			}
			server.Variables[strings.Clone(v.name)] = Variable{Default: v.words("default"), Enum: r.values(v.get("enum"))}
		}
		all = append(all, server)
	}
	return all
}

// values are the texts of a list, numbers and flags included.
func (r *reader) values(list spot) []string {
	var all []string
	for _, v := range list.items() {
		all = append(all, strings.Clone(v.node.Text))
	}
	return all
}

// hosts makes servers of Swagger 2.0's schemes, host and basePath, https first.
func (r *reader) hosts(root, of spot) []Server {
	host, base := root.text("host"), root.text("basePath")
	if _, after, found := strings.Cut(host, "://"); found { // an author's slip: schemes has that
		host = after
	}
	host = strings.TrimRight(host, "/")
	if base != "" && !strings.HasPrefix(base, "/") {
		base = "/" + base
	}
	if host == "" {
		if base == "" {
			return nil
		}
		return []Server{{URL: base}}
	}
	var schemes []string
	for _, s := range of.texts("schemes") {
		if s = strings.ToLower(s); s == "http" || s == "https" {
			schemes = append(schemes, s)
		}
	}
	switch {
	case len(schemes) == 0:
		schemes = []string{"https"}
	case contains(schemes, "https"):
		schemes = []string{"https"}
	}
	return []Server{{URL: schemes[0] + "://" + host + base}}
}
