// Package clients knows how MCP clients are told of a server: what each of them
// wants to read, in which file and form, and how to add it to a file that is there
// without losing anything in it. It is the only import of go-toml.
package clients

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Server is what a client is told of: either a URL, or a command that speaks MCP
// on standard input and output.
type Server struct {
	Name string // the client shows its tools under it
	URL  string // of the MCP endpoint; empty with Command
	// TokenEnv names the environment variable that holds the bearer token, which
	// the client reads itself; empty for none. Goes with URL.
	TokenEnv string
	Command  []string // program and arguments, absolute paths
}

// Place is the machine that the client runs on.
type Place struct {
	OS     string              // as runtime.GOOS
	Home   string              // the user's folder
	Dir    string              // the folder of the project
	Getenv func(string) string // the environment
	Exists func(string) bool   // whether there is a file
}

// client is what is known of one client.
type client struct {
	title   string
	docs    string              // where this is from
	file    func(*Place) string // where its servers are declared; empty where that is not documented
	section string              // the key of that file
	toml    bool                // its file is TOML, not JSON
	entry   func(*Server) entry // what stands there
	command func(*Server) string
	noURL   string // why it takes no URL there, and what to do
}

// Names are the names of the clients, sorted.
func Names() []string { return slices.Sorted(maps.Keys(known())) }

// Setup is how one client is told of one server.
type Setup struct {
	Client  string // its title
	Docs    string // the page of its documentation
	File    string // where the snippet belongs; empty where that is not documented
	Snippet string // the whole of a file that declares nothing else
	Command string // a command that does the same; empty where there is none
	Note    string // what is odd about the server's address; empty where nothing is

	usual  string // the file before anybody named another one
	server Server
	client *client
}

// Name is the name under which the client shows the tools.
func (s *Setup) Name() string { return s.server.Name }

var (
	serverName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// New words how a client is told of the server. The error is a sentence for the
// person who asked.
func New(name string, s Server, p Place) (*Setup, error) {
	c, ok := known()[name]
	if !ok {
		hint := diag.DidYouMean(name, Names())
		if hint == "" {
			hint = "known: " + strings.Join(Names(), ", ")
		}
		return nil, fmt.Errorf("no client is named %q (%s)", name, hint)
	}
	if err := s.check(&c); err != nil {
		return nil, err
	}
	setup := &Setup{Client: c.title, Docs: c.docs, File: c.file(&p), Note: s.note(), usual: c.file(&p), server: s, client: &c}
	if c.command != nil {
		setup.Command = c.command(&s)
	}
	snippet, _, err := setup.Merge(nil)
	setup.Snippet = string(snippet)
	return setup, err
}

func (s *Server) check(c *client) error {
	switch {
	case !serverName.MatchString(s.Name):
		return fmt.Errorf("%q cannot name a server (write a letter, then up to 63 letters, digits, _ and -)", s.Name)
	case (s.URL == "") == (len(s.Command) == 0):
		return fmt.Errorf("a server has either a URL or a command")
	case s.TokenEnv != "" && !envName.MatchString(s.TokenEnv):
		// What was given may be the token: it is not shown.
		return fmt.Errorf("the token's environment variable cannot be named so (write its name, not the token: letters, digits and _, " +
			"with no digit first, such as TOOLGATE_TOKEN)")
	case s.URL == "" && s.TokenEnv != "":
		return fmt.Errorf("a server that the client starts itself needs no token (leave out --token-env)")
	case s.URL == "":
		return nil
	case c.noURL != "":
		return fmt.Errorf("%s", c.noURL)
	}
	u, err := url.Parse(s.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Fragment != "" {
		return fmt.Errorf("%q is not the address of a server (write it as http://127.0.0.1:8080/mcp)", s.URL)
	}
	if u.User != nil {
		return fmt.Errorf("the address holds a credential, which would stand in the client's file (use --token-env)")
	}
	if u.Path == "" || u.Path == "/" {
		fixed := *u
		fixed.Path = "/mcp"
		return fmt.Errorf("nothing speaks MCP at %s (write %s; %s)", s.URL, fixed.String(), served)
	}
	return nil
}

// served are the paths of a gateway at which MCP is spoken.
const served = "a gateway serves /mcp, /p/NAME/mcp for a profile and /chats/NAME/mcp for a chat"

// note says what is odd about a URL that is taken as it is: a proxy may serve the
// gateway elsewhere.
func (s *Server) note() string {
	u, err := url.Parse(s.URL)
	if s.URL == "" || err != nil || strings.HasSuffix(u.Path, "/mcp") && path.Clean(u.Path) == u.Path {
		return ""
	}
	return fmt.Sprintf("the path %s is none of a gateway's, unless a proxy makes it one (%s)", u.Path, served)
}

// header is the header of a bearer token that the client takes from its
// environment; form has %s for the name of the variable.
func (s *Server) header(form string) map[string]string {
	if s.TokenEnv == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + fmt.Sprintf(form, s.TokenEnv)}
}

// under joins the parts of a path to a folder, and is empty without one.
func under(folder string, parts ...string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(append([]string{folder}, parts...)...)
}
