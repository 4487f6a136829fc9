package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/rehearsal"
	toolsource "github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
)

// Source is one entry of the "sources" section: where further tools come from.
// Exactly one block says of what kind it is; this version has OpenAPI.
type Source struct {
	Enabled  *bool                `koanf:"enabled"` // true when absent
	Prefix   *string              `koanf:"prefix"`  // of the names of its tools; the namespace when absent, none when empty
	Core     *bool                `koanf:"core"`    // of its tools; true when absent
	Defer    bool                 `koanf:"defer"`   // its tools that neither Include nor Tools say otherwise of
	Tags     []string             `koanf:"tags"`    // of all its tools, beside what their methods say
	Include  []toolsource.Include `koanf:"include"` // all that it has when absent
	Tools    map[string]Override  `koanf:"tools"`   // by the name that the source itself has for the tool
	Defaults SourceDefaults       `koanf:"defaults"`

	OpenAPI *openapi.Config `koanf:"openapi"`
}

// On reports whether the source is enabled.
func (s *Source) On() bool { return s.Enabled == nil || *s.Enabled }

// IsCore reports whether the source's tools are active in every chat.
func (s *Source) IsCore() bool { return s.Core == nil || *s.Core }

// SourceDefaults is what holds for the tools of a source that do not say
// otherwise.
type SourceDefaults struct {
	Timeout       time.Duration `koanf:"timeout"`         // that of Defaults when absent
	MaxOutput     tool.Size     `koanf:"max_output"`      // that of Defaults when absent
	MaxResultSize int           `koanf:"max_result_size"` // characters; that of Defaults when absent
	Retries       *int          `koanf:"retries"`         // of read-only tools; that of the upstream, else of Defaults, when absent
	ThinkAugment  *bool         `koanf:"think_augment"`   // that of Defaults when absent
}

// Override is what a source's "tools" say of one of its tools.
type Override struct {
	Name        string                     `koanf:"name"` // without the prefix
	Enabled     *bool                      `koanf:"enabled"`
	Description string                     `koanf:"description"`
	SearchHint  string                     `koanf:"search_hint"` // further words that searches find it by
	Defer       *bool                      `koanf:"defer"`       // left out of lists; what Include, else the source, says when absent
	Tags        []string                   `koanf:"tags"`        // in place of all that it would have
	Hide        map[string]json.RawMessage `koanf:"hide"`        // arguments that models do not see, with the values that are sent
	Defaults    map[string]json.RawMessage `koanf:"defaults"`    // values of arguments that a model leaves out
	OK          string                     `koanf:"ok"`          // this and the next are as in httptool.Config
	Error       string                     `koanf:"error"`
	Result      string                     `koanf:"result"`
	Pages       *httptool.Pages            `koanf:"pages"`
	Poll        *httptool.Poll             `koanf:"poll"`
	Timeout     time.Duration              `koanf:"timeout"` // that of the source when absent
	Retries     *int                       `koanf:"retries"` // that of the source when absent; of read-only tools
	Tests       []rehearsal.ToolConfig     `koanf:"tests"`   // paths of files are absolute
}

// Choosing is what a source says of which of its tools there are, and of their
// names.
func (s *Source) Choosing(namespace string) toolsource.Config {
	out := toolsource.Config{
		Namespace: namespace, Prefix: s.Prefix, Tags: s.Tags, Defer: s.Defer, Include: s.Include,
		Tools: make(map[string]toolsource.Override, len(s.Tools)), Reserved: reservedNames,
	}
	for key, o := range s.Tools {
		out.Tools[key] = toolsource.Override{Name: o.Name, Enabled: o.Enabled, Tags: o.Tags, Hide: o.Hide, Defer: o.Defer}
	}
	return out
}

var (
	// prefixName is what may stand before the names of a source's tools.
	prefixName = regexp.MustCompile(fmt.Sprintf(`^[a-zA-Z_][a-zA-Z0-9_-]{0,%d}$`, toolsource.MaxPrefix-1))
	// sourceBlocks are the kinds of sources; a source has exactly one of them.
	sourceBlocks = []string{"openapi", "mcp"}
	// includeKeys are those of an entry of "include" that say what it is about.
	includeKeys = []string{"tag", "operation", "method", "path", "name"}
	// schemeKinds are the keys by which the kinds of a scheme's credential are
	// known; it has exactly one of them.
	schemeKinds = []string{"value", "username", "client_id"}
)

// completeSources makes paths absolute and fills in what sources take from the
// defaults.
func (c *Config) completeSources() {
	for name, s := range c.Sources {
		d := &s.Defaults
		d.Timeout = cmp.Or(d.Timeout, c.Defaults.Timeout)
		d.MaxOutput = cmp.Or(d.MaxOutput, c.Defaults.MaxOutput)
		d.MaxResultSize = cmp.Or(d.MaxResultSize, c.Defaults.MaxResultSize)
		if d.ThinkAugment == nil {
			d.ThinkAugment = &c.Defaults.ThinkAugment
		}
		for key, o := range s.Tools {
			o.Timeout = cmp.Or(o.Timeout, d.Timeout)
			s.Tools[key] = o
		}
		if s.OpenAPI != nil && s.OpenAPI.Spec != "" && !isAddress(s.OpenAPI.Spec) {
			s.OpenAPI.Spec = absolute(c.dirOf("sources", name, "openapi", "spec"), s.OpenAPI.Spec)
		}
		c.Sources[name] = s
	}
}

// isAddress tells an address from the path of a file.
func isAddress(text string) bool { return strings.Contains(text, "://") }

// checkSources looks at what concerns more than the form of one value.
func (c *Config) checkSources() {
	seen := map[string]*member{}
	for _, m := range c.tree.sectionMembers("sources") {
		path, s := []string{"sources", m.key}, c.Sources[m.key]
		if !prefixName.MatchString(m.key) {
			c.problemAt(path, "write "+legalPrefix(m.key)+" for example", "the name of a source has at most %d letters, digits, _ and -, no digit or - at the start", toolsource.MaxPrefix)
		} else {
			c.checkLookalike(seen, m, path)
		}
		c.checkOneOf(path, sourceBlocks, oneOf{none: "the source does not say of what kind it is", choices: "the kind blocks, such as openapi: {spec: …}", several: "a source is of one kind"})
		c.checkPrefix(further(path, "prefix"), s.Prefix)
		c.checkInclude(further(path, "include"), s.Include)
		c.checkSourceNumbers(path, &s)
		for _, o := range c.tree.get("sources", m.key).sectionMembers("tools") {
			c.checkOverride(further(further(path, "tools"), o.key), s.Tools[o.key])
		}
		if s.OpenAPI != nil {
			c.checkOpenAPI(further(path, "openapi"), s.OpenAPI)
		}
	}
}

// legalPrefix is the nearest legal prefix to one that is not.
func legalPrefix(name string) string {
	name = legalName(name)
	return name[:min(len(name), toolsource.MaxPrefix)]
}

func (c *Config) checkPrefix(path []string, prefix *string) {
	if prefix == nil || *prefix == "" || prefixName.MatchString(*prefix) || c.Broken(path...) {
		return
	}
	c.problemAt(path, "write "+legalPrefix(*prefix)+" for example, or '' for none; a - is put behind it",
		"a prefix has at most %d letters, digits, _ and -, no digit or - at the start", toolsource.MaxPrefix)
}

func (c *Config) checkInclude(path []string, entries []toolsource.Include) {
	if l := c.tree.get(path...); l == nil || len(l.items) != len(entries) {
		return // an entry that could not be read moves those behind it
	}
	for i := range entries {
		at := further(path, strconv.Itoa(i))
		if c.Broken(at...) {
			continue
		}
		entries[i].Check(func(key, hint, text string) {
			if key == "" {
				c.problemAt(at, hint, "%s", text)
				return
			}
			c.problemAt(further(at, key), hint, "%s", text)
		})
	}
}

func (c *Config) checkSourceNumbers(path []string, s *Source) {
	defaults := further(path, "defaults")
	c.checkNumber(further(defaults, "max_result_size"), s.Defaults.MaxResultSize, minResultSize, maxResultSize)
	if s.Defaults.Retries != nil {
		c.checkNumber(further(defaults, "retries"), *s.Defaults.Retries, 0, maxRetries)
	}
}

func (c *Config) checkOverride(path []string, o Override) {
	if o.Retries != nil {
		c.checkNumber(further(path, "retries"), *o.Retries, 0, maxRetries)
	}
	c.checkSearchHint(path, o.SearchHint)
	if o.Pages != nil {
		c.checkNumber(further(further(path, "pages"), "most"), o.Pages.Most, 1, httptool.MaxPages)
	}
	for _, m := range c.tree.get(path...).sectionMembers("defaults") {
		if _, hidden := o.Hide[m.key]; hidden {
			c.problemAt(further(further(path, "defaults"), m.key), "remove it here or under hide", "this argument is hidden, and its value there is always sent")
		}
	}
}

func (c *Config) checkOpenAPI(path []string, o *openapi.Config) {
	if c.wrote(path, "base_url") && c.wrote(path, "upstream") {
		c.problemAt(further(path, "upstream"), "remove one of them", "requests go to one address, and this has a base_url too")
	}
	if isAddress(o.Spec) {
		c.checkAddress(further(path, "spec"), o.Spec)
	}
	base := further(path, "base_url")
	c.checkAddress(base, o.BaseURL)
	if strings.Contains(o.BaseURL, "?") {
		c.problemAt(base, "remove what stands behind ?", "a base address has no query")
	}
	for _, m := range c.tree.get(path...).sectionMembers("auth") {
		c.checkScheme(further(further(path, "auth"), m.key), o.Auth[m.key])
	}
}

// checkAddress reports a text that is no literal http or https address. It does not
// repeat the text, which may hold a password.
func (c *Config) checkAddress(path []string, text string) {
	if text == "" || c.Broken(path...) {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		c.problemAt(path, writeURL, "this is not an http or https address")
	case u.User != nil:
		c.problemAt(path, "remove what stands before @, and write the credential under auth", "an address with a user would show a password wherever it is shown")
	case u.Fragment != "":
		c.problemAt(path, "remove what stands behind #", "an address with a fragment names a part of a document")
	}
}

// checkScheme holds a credential to one kind.
func (c *Config) checkScheme(path []string, a openapi.Auth) {
	c.checkOneOf(path, schemeKinds, oneOf{
		none: "this says nothing about credentials", choices: "value, username and client_id, or write the value alone", several: "credentials are of one kind",
	})
	if c.wrote(path, "password") && !c.wrote(path, "username") {
		c.problemAt(further(path, "password"), "write username: too", "a password goes with a user")
	}
	for _, key := range []string{"client_secret", "token_url", "scopes"} {
		if c.wrote(path, key) && !c.wrote(path, "client_id") {
			c.problemAt(further(path, key), "write client_id: too", "this goes with a client")
		}
	}
	if c.wrote(path, "client_id") && !c.wrote(path, "client_secret") {
		c.problemAt(further(path, "client_secret"), writeCredential, "is missing")
	}
	c.checkAddress(further(path, "token_url"), a.TokenURL)
}
