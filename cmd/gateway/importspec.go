package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
)

func importCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "import", Usage: "write a configuration that makes tools of a document, a file or an address", ArgsUsage: "SPEC",
		Flags: specFlags(
			&cli.StringFlag{Name: "out", Usage: "a new `FILE` to write; standard output when absent"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error { return importDocument(ctx, io, cmd) },
	}
}

func importDocument(ctx context.Context, io streams, cmd *cli.Command) error {
	req, err := newSpecRequest(cmd)
	if err != nil {
		return err
	}
	o, err := req.open(ctx, newProgress(io.err), false)
	if err != nil {
		return err
	}
	file := cmd.String("out")
	place, err := specFrom(filepath.Dir(cmp.Or(file, "x")), bare(req.path))
	if err != nil {
		return err
	}
	d := &draft{offer: o, preview: newPreview(o), place: place}
	d.write()
	if file == "" {
		_, err := io.out.Write(d.text.Bytes())
		return err
	}
	if err := writeNew(file, d.text.Bytes()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(io.err, "%s: %s of %s\n", file, count(len(d.preview.Tools), "tool"), req.shown)
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s is there already; nothing is overwritten", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// specFrom is the path of a document as a configuration in the folder has it; an
// address stays as it is.
func specFrom(folder, place string) (string, error) {
	if strings.Contains(place, "://") || filepath.IsAbs(place) {
		return place, nil
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(place)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return to, nil // on another volume
	}
	rel = filepath.ToSlash(rel)
	if !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return rel, nil
}

// draft is a configuration that is written for a person to go on with. A # with a
// space behind it starts a remark, and one without switches a setting off.
type draft struct {
	*offer
	preview *previewJSON
	place   string
	text    bytes.Buffer

	secretOf map[string]string // by scheme: the name of its secret, or the start of several
}

func (d *draft) write() {
	p := d.preview
	d.line("# %s, OpenAPI %s: %s, about %s.", strings.TrimSpace(cmp.Or(p.Title, "A document without a title")+" "+p.Version), p.OpenAPI, count(len(p.Tools), "tool"), count(p.tokens(), "token"))
	if len(p.Skipped) > 0 {
		d.line("# %s cannot become tools; gateway openapi preview says why.", count(len(p.Skipped), "operation"))
	}
	d.line("# A # without a space behind it switches a setting off: take it away to switch it on.")
	d.line("version: 1")
	needed, others := d.schemes()
	d.nameSecrets(slices.Concat(needed, others))
	d.secrets(needed, others)
	d.line("")
	d.line("sources:")
	d.line("  %s:", yamlText(d.name))
	d.line("    openapi:")
	if d.request.path != bare(d.request.path) {
		d.line("      # The address had more behind ?, which may be a secret and is not written here.")
	}
	d.line("      spec: %s", yamlText(d.place))
	d.address()
	d.elsewhere()
	d.auth(needed, others)
	d.includes()
	d.policy()
}

// line writes one line: what a document says cannot start another.
func (d *draft) line(format string, args ...any) {
	d.text.WriteString(strings.TrimRight(plain(fmt.Sprintf(format, args...)), " ") + "\n")
}

// address writes where the operations are, where the document does not say that
// itself, or says it only to those who read it where it came from: what is written
// is what a person has seen.
func (d *draft) address() {
	variables, missing := d.variables()
	address, err := d.doc.Address(missing)
	switch {
	case err != nil && d.doc.NeedsAddress():
		d.line("      # The document does not say where the API is; write its address here.")
		d.line("      base_url: https://api.example.com")
		return
	case err == nil && d.doc.Base != "":
		d.line("      # All requests go to this address, and so do credentials; the document names it.")
		d.line("      base_url: %s", yamlText(address))
		return
	case len(missing) > 0:
		d.line("      # The document has no value for these.")
		d.line("      server_variables:")
		for _, name := range slices.Sorted(maps.Keys(missing)) {
			d.line("        %s: %s", yamlText(name), yamlText(missing[name]))
		}
		return
	}
	if len(variables) > 0 {
		d.line("      #server_variables:")
		for _, v := range variables {
			text := fmt.Sprintf("        #%s: %s", yamlText(v.Name), yamlText(v.Default))
			if len(v.Enum) > 0 {
				text += "  # one of " + strings.Join(v.Enum, ", ")
			}
			d.line("%s", text)
		}
	}
}

// elsewhere names the further origins that the document has for operations.
func (d *draft) elsewhere() {
	address, err := d.doc.Address(nil)
	written := err == nil && d.doc.Base != "" || err != nil && d.doc.NeedsAddress() // a base_url
	var further []originJSON
	for _, o := range d.preview.Origins {
		if err != nil || address != o.Origin && !strings.HasPrefix(address, o.Origin+"/") {
			further = append(further, o)
		}
	}
	switch {
	case len(further) == 0:
		return
	case written:
		d.line("      # The document has operations at other servers, which base_url takes the place of; make a source of its own for each:")
	default:
		d.line("      # Operations that the document has at other servers go there:")
	}
	for _, o := range further {
		text := count(o.Operations, "operation")
		if !written {
			text += ", " + o.words()
		}
		d.line("      #   %s: %s", o.Origin, text)
	}
}

// placeholder stands for a value that only a person knows.
const placeholder = "change-me"

// variables are those of the document's first server, and values that stand for
// those it has none of.
func (d *draft) variables() (all []variableJSON, missing map[string]string) {
	missing = map[string]string{}
	if len(d.doc.Servers) == 0 {
		return nil, missing
	}
	first := d.doc.Servers[0]
	for _, part := range strings.Split(first.URL, "{")[1:] {
		name, _, closed := strings.Cut(part, "}")
		v, known := first.Variables[name]
		switch {
		case !closed || name == "" || slices.ContainsFunc(all, func(o variableJSON) bool { return o.Name == name }):
			continue
		case len(v.Enum) == 0 && v.Default == "":
			missing[name] = placeholder
		case v.Default == "" && known && !slices.Contains(v.Enum, ""):
			v.Default = v.Enum[0]
		}
		all = append(all, variableJSON{name, v.Default, v.Enum})
	}
	return all, missing
}

// schemes are the security schemes that let all operations in, by the first way of
// each, and the further ones that operations name.
func (d *draft) schemes() (needed, others []string) {
	first, uses := map[string]bool{}, d.uses()
	for _, c := range d.choices {
		if c.Left != "" {
			continue
		}
		for _, u := range d.firstWay(d.doc.Operations[c.Index].Security) {
			first[u.Scheme] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		s, declared := d.doc.Schemes[name]
		switch {
		case !declared || s.Kind == spec.SchemeMutual:
		case first[name]:
			needed = append(needed, name)
		default:
			others = append(others, name)
		}
	}
	return needed, others
}

// firstWay is the first alternative whose schemes are all known and that asks for
// something.
func (d *draft) firstWay(ways [][]spec.Use) []spec.Use {
	for _, way := range ways {
		unknown := slices.ContainsFunc(way, func(u spec.Use) bool { _, ok := d.doc.Schemes[u.Scheme]; return !ok })
		if len(way) > 0 && !unknown {
			return way
		}
	}
	return nil
}

// nameSecrets gives every scheme the name of its secret, or the start of the names of
// its secrets.
func (d *draft) nameSecrets(schemes []string) {
	d.secretOf = map[string]string{}
	taken := map[string]bool{}
	for _, scheme := range schemes {
		name := strings.TrimRight(noName.ReplaceAllString(d.name+"_"+scheme, "_"), "_")
		unique := name
		for i := 2; taken[strings.ToLower(unique)]; i++ {
			unique = fmt.Sprintf("%s_%d", name, i)
		}
		taken[strings.ToLower(unique)] = true
		d.secretOf[scheme] = unique
	}
}

var (
	noName     = regexp.MustCompile(`[^a-zA-Z0-9]+`)
	secretName = regexp.MustCompile(`\$\{secret\.(\w+)\}`)
)

// secrets declares what auth names.
func (d *draft) secrets(needed, others []string) {
	if len(needed)+len(others) == 0 {
		return
	}
	d.line("")
	off := ""
	if len(needed) == 0 {
		off = "#"
	}
	d.line("%ssecrets:", off)
	for i, scheme := range slices.Concat(needed, others) {
		if off = ""; i >= len(needed) {
			off = "#"
		}
		for _, m := range secretName.FindAllStringSubmatch(credentialOf(d.doc.Schemes[scheme], d.secretOf[scheme], ""), -1) {
			d.line("  %s%s: {env: %s}", off, m[1], strings.ToUpper(m[1]))
		}
	}
}

func (d *draft) auth(needed, others []string) {
	if len(d.doc.Schemes) == 0 {
		address, err := d.doc.Address(nil)
		if err != nil {
			address = "https://api.example.com"
		}
		name := yamlText(d.name)
		d.line("      # The document declares no security schemes. Where a credential is needed, write")
		d.line("      #   upstreams: {%s: {url: %s, auth: {bearer: \"${secret.token}\"}}}", name, yamlText(address))
		d.line("      # at the top, and here, in place of base_url: upstream: %s", name)
	}
	if len(needed)+len(others) == 0 {
		return
	}
	off := ""
	if len(needed) == 0 {
		off = "#"
	}
	d.line("      %sauth:", off)
	for i, scheme := range slices.Concat(needed, others) {
		if i == len(needed) {
			d.line("        # Other ways to be let in:")
			off = "#"
		}
		token := d.tokenURL(scheme)
		if token != "" {
			d.line("        # The document says that token_url is where the client's secret is sent.")
		}
		d.line("        %s%s: %s", off, yamlText(scheme), credentialOf(d.doc.Schemes[scheme], d.secretOf[scheme], token))
	}
}

// includes writes what flags chose, or else what there is to choose from.
func (d *draft) includes() {
	if entries := d.request.source.Include; len(entries) > 0 {
		d.line("    include:")
		for _, e := range entries {
			d.line("      - {%s}", entryText(e))
		}
		return
	}
	groups := slices.DeleteFunc(slices.Clone(d.preview.Groups), func(g groupJSON) bool { return g.Tag == "" || !isLiteral(g.Tag) })
	if len(groups) == 0 {
		return
	}
	d.line("    # Everything is in. To choose, switch on what is wanted; entries may name method, path and operation, too.")
	d.line("    #include:")
	for _, g := range groups {
		d.line("      #- {tag: %s}  # %s, about %s", yamlText(g.Tag), count(g.Tools, "tool"), count(g.Tokens, "token"))
	}
}

// isLiteral reports whether a text is a pattern for itself alone.
func isLiteral(text string) bool {
	_, err := tool.ParseGlob(text)
	return err == nil && !strings.ContainsAny(text, "*?")
}

func entryText(e source.Include) string {
	var parts []string
	for _, p := range []struct{ key, value string }{{"tag", e.Tag}, {"operation", e.Operation}, {"method", e.Method}, {"path", e.Path}} {
		if p.value != "" {
			parts = append(parts, p.key+": "+yamlText(p.value))
		}
	}
	return strings.Join(parts, ", ")
}

// policy writes rules that let tools read and ask about all others.
func (d *draft) policy() {
	reads, others, removing := 0, 0, []string(nil)
	for i := range d.preview.Tools {
		switch t := &d.preview.Tools[i]; {
		case slices.Contains(t.Tags, tool.TagReadOnly):
			reads++
		case slices.Contains(t.Tags, tool.TagDestructive):
			removing = append(removing, t.Name)
		default:
			others++
		}
	}
	if reads+others+len(removing) == 0 {
		return
	}
	tools := "tools: [" + yamlText(d.name+"-*") + "]"
	d.line("")
	d.line("# What is read runs; a person is asked about the rest.")
	d.line("#policy:")
	d.line("  #default: deny")
	d.line("  #rules:")
	if reads > 0 {
		d.line("    #- {name: %s, %s, tags: [read_only], action: allow}  # %s", yamlText(d.name+" reads"), tools, count(reads, "tool"))
	}
	if len(removing) > 0 {
		d.line("    #- {name: %s, %s, tags: [destructive], action: ask}  # %s:", yamlText(d.name+" removes"), tools, count(len(removing), "tool"))
		for _, name := range removing {
			d.line("    #    %s", name)
		}
	}
	if others > 0 {
		d.line("    #- {name: %s, %s, action: ask}  # %s", yamlText(d.name+" writes"), tools, count(others, "tool"))
	}
}

// plainText is a text that YAML takes for itself, in a flow map too.
var plainText = regexp.MustCompile(`^(\.{0,2}/)?[A-Za-z_][A-Za-z0-9_./-]*$`)

// wordsOfYAML are plain texts that some readers of YAML take for something else.
var wordsOfYAML = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", ".nan", ".inf"}

// yamlText writes a text so that YAML reads it as that text: JSON's strings are
// YAML's, but for characters that YAML, or a terminal, wants escaped.
func yamlText(text string) string {
	if plainText.MatchString(text) && !slices.Contains(wordsOfYAML, strings.ToLower(text)) {
		return text
	}
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string, which cannot fail
	var b strings.Builder
	for _, r := range strings.TrimSuffix(quoted.String(), "\n") {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			_, _ = fmt.Fprintf(&b, `\U%08x`, r)
		default:
			_, _ = fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
