package config

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// PrintOptions says how [Config.Print] writes.
type PrintOptions struct {
	JSON    bool // as JSON and not as YAML
	Origins bool // with the origin of every scalar
}

// Print writes the configuration that all layers say together, with the
// defaults of the gateway where they say nothing. What it writes as YAML loads
// again; includes are left out, because what they name is in it. Origins are
// comments such as # tools.yaml:12:7, # env NAME and # default; in JSON they
// are a second map, by JSON Pointer (RFC 6901).
//
// Relative paths stay as they are written. No secret is resolved, and what
// stands under secrets and is neither a variable's nor a file's name is not
// shown, nor is what may be a credential that the file itself holds: a literal
// text under "auth", the user of an address, a header or a variable whose name
// says so.
func (c *Config) Print(w io.Writer, opts PrintOptions) error {
	root := c.withDefaults()
	if opts.JSON {
		return printJSON(w, root, opts.Origins)
	}
	out := bufio.NewWriter(w)
	p := yamlPrinter{out: out, origins: opts.Origins}
	p.value(root, 0, false)
	return out.Flush()
}

// defaultOrigin is the origin of a value that no layer wrote.
const defaultOrigin = "default"

// hiddenSecret stands for a text that may be a secret in the wrong place.
const hiddenSecret = "[secret]"

// withDefaults is the tree with the gateway's defaults below it and without
// what may be a secret.
func (c *Config) withDefaults() *node {
	m := newMerger(newFindings())
	root := &node{kind: mapping, place: position{}}
	if c.tree != nil {
		root = m.mine(c.tree)
	}
	at := (&source{file: defaultOrigin, origin: originSet}).position(1, 1)
	for _, d := range []struct {
		section, key, value string
		kind                kind
	}{
		{"server", "listen", DefaultListen, text},
		{"store", "url", DefaultStore, text},
		{"log", "level", DefaultLogLevel, text},
		{"log", "format", DefaultLogFormat, text},
		{"defaults", "timeout", tool.DefaultTimeout.String(), text},
		{"defaults", "max_output", fmt.Sprint(tool.DefaultMaxOutput), integer},
		{"defaults", "think_augment", "false", boolean},
	} {
		if section := root.find(d.section); section == nil {
			root.put(member{key: d.section, value: nested([]string{d.key}, &node{kind: d.kind, text: d.value, place: at})})
		} else if section.value.kind == mapping && section.value.find(d.key) == nil {
			section.value = m.mine(section.value)
			section.value.put(member{key: d.key, value: &node{kind: d.kind, text: d.value, place: at}})
		}
	}
	root = hideCredentials(root, shapeOf(reflect.TypeFor[Config](), nil), "")
	if secrets := root.find("secrets"); secrets != nil {
		secrets.value = hideSecrets(secrets.value, nil)
	}
	return root
}

// hideSecrets copies what stands under secrets, without texts that have no
// business there.
func hideSecrets(n *node, path []string) *node {
	named := len(path) == 2 && (path[1] == "env" || path[1] == "file")
	c := &node{kind: n.kind, text: n.text, quote: n.quote, place: n.place}
	if n.scalar() && n.kind != null && !named {
		c.kind, c.text = text, hiddenSecret
	}
	for i, item := range n.items {
		c.items = append(c.items, hideSecrets(item, further(path, fmt.Sprint(i))))
	}
	for i := range n.members {
		m := n.members[i]
		m.value = hideSecrets(m.value, further(path, m.key))
		c.put(m)
	}
	return c
}

// originOf is the origin of a value as it is printed, on one line.
func originOf(n *node) string {
	origin := n.place.place().String()
	if !printable(origin) {
		return strconv.Quote(origin)
	}
	return origin
}

// yamlPrinter writes a tree as YAML in block style.
type yamlPrinter struct {
	out     *bufio.Writer
	origins bool
}

func (p *yamlPrinter) write(s string) { _, _ = p.out.WriteString(s) } // Flush tells of errors

// value writes a value behind its key or dash, and the end of its line.
func (p *yamlPrinter) value(n *node, depth int, behindKey bool) {
	switch {
	case n.kind == mapping && len(n.members) > 0:
		if behindKey {
			p.write("\n")
		}
		p.members(n, depth)
	case n.kind == list && len(n.items) > 0:
		p.write("\n")
		p.list(n, depth)
	default:
		if behindKey {
			p.write(" ")
		}
		p.write(yamlScalar(n))
		if origin := originOf(n); p.origins && origin != "" {
			p.write(" # " + origin)
		}
		p.write("\n")
	}
}

const indentUnit = "  "

// maxSimpleKey is the length in bytes beyond which a key is marked with "?".
// YAML 1.2.2 (7.4.2) lets others have 1,024 characters.
const maxSimpleKey = 1000

// members writes the members of a map; the first one continues its line where
// that is begun.
func (p *yamlPrinter) members(n *node, depth int) {
	for i := range n.members {
		p.write(strings.Repeat(indentUnit, depth))
		p.member(&n.members[i], depth)
	}
}

func (p *yamlPrinter) member(m *member, depth int) {
	key := yamlText(m.key)
	if len(key) > maxSimpleKey {
		key = "? " + key + "\n" + strings.Repeat(indentUnit, depth)
	}
	p.write(key + ":")
	p.value(m.value, depth+1, true)
}

func (p *yamlPrinter) list(n *node, depth int) {
	for _, item := range n.items {
		p.write(strings.Repeat(indentUnit, depth) + "-")
		if item.kind != mapping || len(item.members) == 0 {
			p.value(item, depth+1, true)
			continue
		}
		p.write(" ")
		for i := range item.members {
			if i > 0 {
				p.write(strings.Repeat(indentUnit, depth+1))
			}
			p.member(&item.members[i], depth+1)
		}
	}
}

// yamlScalar writes a scalar, or an empty collection.
func yamlScalar(n *node) string {
	switch n.kind {
	case mapping:
		return "{}"
	case list:
		return "[]"
	case broken, null:
		return "null"
	case text:
		return yamlText(n.text)
	}
	return n.text
}

// plainText is a text that no YAML reader takes for anything else.
var plainText = regexp.MustCompile(`^[A-Za-z_/$][A-Za-z0-9_/$.@+(){}=<>*?-]*( [A-Za-z0-9_/$.@+(){}=<>*?-]+)*$`)

// oldBooleans are the words that readers of YAML 1.1 take for booleans.
var oldBooleans = []string{"y", "n", "yes", "no", "on", "off"}

func yamlText(s string) string {
	if plainText.MatchString(s) && plainKind(s) == text && !slices.Contains(oldBooleans, strings.ToLower(s)) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case printable(string(r)):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// printJSON writes a tree as JSON.
func printJSON(w io.Writer, root *node, origins bool) error {
	var out any = treeJSON{root}
	if origins {
		found := map[string]string{}
		collectOrigins(root, "", found)
		out = struct {
			Config  treeJSON          `json:"config"`
			Origins map[string]string `json:"origins"`
		}{treeJSON{root}, found}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// treeJSON marshals a tree with the order of its keys and the digits of its
// numbers; a number that JSON cannot write becomes text.
type treeJSON struct{ *node }

// MarshalJSON writes the tree.
func (t treeJSON) MarshalJSON() ([]byte, error) {
	w := newJSONWriter(&checker{findings: newFindings()})
	w.lenient = true
	w.value(&trail{}, t.node)
	return bytes.Clone(w.buf.Bytes()), nil
}

// pointerEscapes are those of RFC 6901, section 3.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func collectOrigins(n *node, at string, into map[string]string) {
	for i, item := range n.items {
		collectOrigins(item, fmt.Sprintf("%s/%d", at, i), into)
	}
	for i := range n.members {
		collectOrigins(n.members[i].value, at+"/"+pointerEscapes.Replace(n.members[i].key), into)
	}
	if len(n.items)+len(n.members) == 0 {
		into[at] = originOf(n)
	}
}
