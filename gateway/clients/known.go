package clients

import (
	"cmp"
	"strings"
)

// entry is what stands for a server in a client's file, with the members of all
// clients in the order in which they are written.
type entry struct {
	Type     string            `json:"type,omitempty" toml:"-"`
	URL      string            `json:"url,omitempty" toml:"url,omitempty"`
	HTTPURL  string            `json:"httpUrl,omitempty" toml:"-"`
	TokenEnv string            `json:"-" toml:"bearer_token_env_var,omitempty"`
	Command  any               `json:"command,omitempty" toml:"command,omitempty"`
	Args     []string          `json:"args,omitempty" toml:"args,omitempty"`
	Enabled  *bool             `json:"enabled,omitempty" toml:"-"`
	OAuth    *bool             `json:"oauth,omitempty" toml:"-"`
	Headers  map[string]string `json:"headers,omitempty" toml:"-"`
}

// started is the entry of a server that the client starts, as most write it.
func started(s *Server, kind string) entry {
	return entry{Type: kind, Command: s.Command[0], Args: s.Command[1:]}
}

// known is the table of clients. Each of them is from its own documentation, at the
// address under docs.
func known() map[string]client {
	return map[string]client{
		"claude-code":    claudeCode(),
		"claude-desktop": claudeDesktop(),
		"codex":          codex(),
		"cursor":         cursor(),
		"gemini":         gemini(),
		"opencode":       opencode(),
		"vscode":         vscode(),
	}
}

// claudeCode is told in the project scope: in this file, variables are expanded in
// url and headers.
func claudeCode() client {
	return client{
		title: "Claude Code", docs: "https://code.claude.com/docs/en/mcp",
		file: func(p *Place) string { return under(p.Dir, ".mcp.json") }, section: "mcpServers",
		entry: func(s *Server) entry {
			if s.URL == "" {
				return started(s, "stdio")
			}
			return entry{Type: "http", URL: s.URL, Headers: s.header("${%s}")}
		},
		command: claudeCommand,
	}
}

func claudeDesktop() client {
	return client{
		title: "Claude Desktop", docs: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
		file: claudeDesktopFile, section: "mcpServers",
		entry: func(s *Server) entry { return started(s, "") },
		noURL: "Claude Desktop's file takes servers that it starts itself; those with an address are added under Settings > Connectors and must be " +
			"reachable from the internet (use --stdio --config FILE)",
	}
}

func codex() client {
	return client{
		title: "Codex", docs: "https://developers.openai.com/codex/mcp",
		file: func(p *Place) string {
			return cmp.Or(under(p.Getenv("CODEX_HOME"), "config.toml"), under(p.Home, ".codex", "config.toml"))
		},
		section: "mcp_servers", toml: true,
		entry: func(s *Server) entry {
			if s.URL == "" {
				return started(s, "")
			}
			return entry{URL: s.URL, TokenEnv: s.TokenEnv}
		},
		command: codexCommand,
	}
}

func cursor() client {
	return client{
		title: "Cursor", docs: "https://cursor.com/docs/mcp",
		file: func(p *Place) string { return under(p.Home, ".cursor", "mcp.json") }, section: "mcpServers",
		entry: func(s *Server) entry {
			if s.URL == "" {
				return started(s, "stdio")
			}
			return entry{URL: s.URL, Headers: s.header("${env:%s}")}
		},
	}
}

// gemini takes streamable HTTP under httpUrl; url would be the older transport with
// events only.
func gemini() client {
	return client{
		title: "Gemini CLI", docs: "https://geminicli.com/docs/tools/mcp-server",
		file: func(p *Place) string { return under(p.Home, ".gemini", "settings.json") }, section: "mcpServers",
		entry: func(s *Server) entry {
			if s.URL == "" {
				return started(s, "")
			}
			return entry{HTTPURL: s.URL, Headers: s.header("${%s}")}
		},
	}
}

func opencode() client {
	return client{
		title: "opencode", docs: "https://opencode.ai/docs/mcp-servers/",
		file: opencodeFile, section: "mcp",
		entry: func(s *Server) entry {
			on := true
			if s.URL == "" {
				return entry{Type: "local", Command: s.Command, Enabled: &on}
			}
			e := entry{Type: "remote", URL: s.URL, Enabled: &on, Headers: s.header("{env:%s}")}
			if s.TokenEnv != "" {
				e.OAuth = new(bool) // it would look for an authorization server otherwise
			}
			return e
		},
	}
}

func vscode() client {
	return client{
		title: "VS Code", docs: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
		file: func(p *Place) string { return under(p.Dir, ".vscode", "mcp.json") }, section: "servers",
		entry: func(s *Server) entry {
			if s.URL == "" {
				return started(s, "stdio")
			}
			return entry{Type: "http", URL: s.URL, Headers: s.header("${env:%s}")}
		},
	}
}

// claudeDesktopFile is documented for macOS and Windows only.
func claudeDesktopFile(p *Place) string {
	const name = "claude_desktop_config.json"
	switch p.OS {
	case "darwin":
		return under(p.Home, "Library", "Application Support", "Claude", name)
	case "windows":
		return under(p.Getenv("APPDATA"), "Claude", name)
	}
	return ""
}

// opencodeFile is the global configuration, which may have comments in a file of
// another name.
func opencodeFile(p *Place) string {
	folder := cmp.Or(under(p.Getenv("XDG_CONFIG_HOME"), "opencode"), under(p.Home, ".config", "opencode"))
	plain, commented := under(folder, "opencode.json"), under(folder, "opencode.jsonc")
	if commented != "" && !p.Exists(plain) && p.Exists(commented) {
		return commented
	}
	return plain
}

// claudeCommand writes to the same file. The header goes last, because the flag
// takes every word that follows it.
func claudeCommand(s *Server) string {
	if s.URL == "" {
		return "claude mcp add --transport stdio --scope project " + s.Name + " -- " + quoted(s.Command...)
	}
	text := "claude mcp add --transport http --scope project " + s.Name + " " + quoted(s.URL)
	for name, value := range s.header("${%s}") {
		text += " --header " + quoted(name+": "+value)
	}
	return text
}

func codexCommand(s *Server) string {
	if s.URL == "" {
		return "codex mcp add " + s.Name + " -- " + quoted(s.Command...)
	}
	text := "codex mcp add " + s.Name + " --url " + quoted(s.URL)
	if s.TokenEnv != "" {
		text += " --bearer-token-env-var " + s.TokenEnv
	}
	return text
}

// quoted writes words for a POSIX shell.
func quoted(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") != "" {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
