package main

import (
	"context"
	"maps"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

func openapiCommand(io streams) *cli.Command {
	return &cli.Command{
		Name:   "openapi",
		Usage:  "show what an OpenAPI document offers, and write the configuration of a source of it",
		Action: noCommand,
		Commands: []*cli.Command{
			{
				Name: "preview", Usage: "show which tools a document, a file or an address, would give, what is left out and why, and how to be let in", ArgsUsage: "SPEC",
				Flags: specFlags(
					jsonFlag(),
					&cli.StringFlag{Name: "source", Usage: "in place of SPEC: the document of the source `NAME` of the configuration, as that chooses and names"},
					&cli.BoolFlag{Name: "all", Usage: "show every warning, not the first of each kind"},
					&cli.BoolFlag{Name: "validate", Usage: "also warn of all that the specification does not allow; takes seconds for a large document"},
				),
				Action: func(ctx context.Context, cmd *cli.Command) error { return previewDocument(ctx, io, cmd) },
			},
			importCommand(io),
		},
	}
}

func previewDocument(ctx context.Context, io streams, cmd *cli.Command) error {
	req, err := newSpecRequest(cmd)
	if err != nil {
		return err
	}
	o, err := req.open(ctx, newProgress(io.err), cmd.Bool("validate"))
	if err != nil {
		return err
	}
	p := newPreview(o)
	if cmd.Bool("json") {
		return printJSON(io.out, p)
	}
	return p.print(io.out, cmd.Bool("all"))
}

// previewJSON is what a document offers as preview --json prints it. Its tools,
// what is skipped and what is left out are together all operations.
type previewJSON struct {
	Title    string        `json:"title"`
	Version  string        `json:"version"` // of the API
	OpenAPI  string        `json:"openapi"`
	Source   string        `json:"source"` // the name that it would have
	Servers  []serverJSON  `json:"servers"`
	Origins  []originJSON  `json:"origins"` // that requests of tools go to; none with an upstream
	Tools    []toolJSON    `json:"tools"`
	Skipped  []findingJSON `json:"skipped"`  // operations that cannot become tools
	LeftOut  []leftJSON    `json:"left_out"` // operations that were not chosen
	Warnings []findingJSON `json:"warnings"`
	Schemes  []schemeJSON  `json:"schemes"`
	Groups   []groupJSON   `json:"groups"`

	shown    string // what was typed
	upstream string // which takes all requests; empty for none
	whole    int    // operations of the document that are read
}

// originJSON is where requests go: a scheme, a host and a port.
type originJSON struct {
	Origin      string `json:"origin"`
	Operations  int    `json:"operations"`
	Credentials int    `json:"credentials"` // how many of them are sent with those that they ask for
}

type serverJSON struct {
	URL       string         `json:"url"`
	Variables []variableJSON `json:"variables,omitempty"`
}

type variableJSON struct {
	Name    string   `json:"name"`
	Default string   `json:"default"`
	Enum    []string `json:"enum,omitempty"`
}

type toolJSON struct {
	Name         string   `json:"name"`
	Original     string   `json:"original"` // the document's own name, under which "tools" has it
	Method       string   `json:"method"`
	Path         string   `json:"path"`
	Title        string   `json:"title"`
	Description  string   `json:"description"`
	Tags         []string `json:"tags"`
	DocumentTags []string `json:"document_tags"`
	Arguments    []string `json:"arguments"`
	Required     []string `json:"required"`
	Tokens       int      `json:"tokens"` // about
	Bytes        int      `json:"bytes"`  // of the description and the schema
}

type findingJSON struct {
	Operation string `json:"operation,omitempty"`
	Place     string `json:"place"`
	Code      string `json:"code"`
	Text      string `json:"text"`
}

type leftJSON struct {
	Operation string `json:"operation"`
	Text      string `json:"text"`
}

type schemeJSON struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	In         string `json:"in,omitempty"`
	Parameter  string `json:"parameter,omitempty"` // of an API key: its name there
	TokenURL   string `json:"token_url,omitempty"`
	Operations int    `json:"operations"` // chosen ones that name it
	Configure  string `json:"configure"`  // what to write; empty where nothing under auth helps
}

// groupJSON is a tag of the document; the one without a name has the operations
// without tags.
type groupJSON struct {
	Tag         string `json:"tag"`
	Description string `json:"description,omitempty"`
	Tools       int    `json:"tools"`
	Tokens      int    `json:"tokens"`
}

func newPreview(o *offer) *previewJSON {
	d := o.doc
	p := &previewJSON{
		Title: d.Title, Version: d.Version, OpenAPI: d.OpenAPI, Source: o.name,
		Servers: serversOf(d.Servers), Tools: []toolJSON{}, LeftOut: []leftJSON{},
		Skipped: findingsOf(d.Skipped), Warnings: findingsOf(d.Warnings),
		shown: o.request.shown, upstream: o.block().Upstream, whole: len(d.Operations) + len(d.Skipped),
	}
	for _, c := range o.choices {
		op := d.Operations[c.Index]
		if c.Left != "" {
			p.LeftOut = append(p.LeftOut, leftJSON{op.Method + " " + op.Path, c.Left})
			continue
		}
		p.Tools = append(p.Tools, newToolJSON(d, op, c.Name, c.Tags))
	}
	p.Origins = originsOf(o)
	p.Schemes, p.Groups = schemesOf(o), groupsOf(d.Tags, p.Tools)
	return p
}

func newToolJSON(d *openapi.Document, op *spec.Operation, name string, tags []string) toolJSON {
	outline := d.Outline(op)
	t := toolJSON{
		Name: name, Original: assembly.Original(op), Method: op.Method, Path: op.Path,
		Title: openapi.Legible(openapi.Title(op)), Description: openapi.Legible(openapi.Describe(op)),
		Tags: listOf(tags), DocumentTags: listOf(op.Tags), Arguments: listOf(outline.Names), Required: listOf(outline.Required),
	}
	t.Bytes = len(t.Description) + len(op.Shown)
	t.Tokens = (t.Bytes + assembly.BytesPerToken - 1) / assembly.BytesPerToken
	return t
}

// listOf is a list that JSON writes as one where it is empty, too.
func listOf(all []string) []string { return append([]string{}, all...) }

func serversOf(servers []spec.Server) []serverJSON {
	out := make([]serverJSON, len(servers))
	for i, s := range servers {
		out[i].URL = s.URL
		for _, name := range slices.Sorted(maps.Keys(s.Variables)) {
			out[i].Variables = append(out[i].Variables, variableJSON{name, s.Variables[name].Default, s.Variables[name].Enum})
		}
	}
	return out
}

// originsOf are the origins that the chosen operations are at.
func originsOf(o *offer) []originJSON {
	var chosen []*spec.Operation
	for _, c := range o.choices {
		if c.Left == "" {
			chosen = append(chosen, o.doc.Operations[c.Index])
		}
	}
	out := []originJSON{}
	for _, r := range o.doc.Recipients(o.block(), chosen) {
		out = append(out, originJSON{r.Origin, r.Operations, r.Credentials})
	}
	return out
}

// block is what the configuration says of the document, where it is one of its
// sources.
func (o *offer) block() openapi.Config {
	if b := o.request.source.OpenAPI; b != nil {
		return *b
	}
	return openapi.Config{}
}

func findingsOf(findings []spec.Finding) []findingJSON {
	out := make([]findingJSON, len(findings))
	for i, f := range findings {
		out[i] = findingJSON{f.Operation, f.Place, f.Code, f.Text}
	}
	return out
}

// schemesOf are the ways to be let in, by name.
func schemesOf(o *offer) []schemeJSON {
	uses := o.uses()
	out := []schemeJSON{}
	for _, name := range slices.Sorted(maps.Keys(o.doc.Schemes)) {
		s := o.doc.Schemes[name]
		j := schemeJSON{Name: name, Kind: s.Kind, In: s.In, Parameter: s.Name, TokenURL: s.TokenURL, Operations: uses[name]}
		if auth := credentialOf(s, "name", o.tokenURL(name)); auth != "" {
			j.Configure = "auth: {" + yamlText(name) + ": " + auth + "}"
		}
		out = append(out, j)
	}
	return out
}

// uses counts the chosen operations that name a scheme.
func (o *offer) uses() map[string]int {
	uses := map[string]int{}
	for _, c := range o.choices {
		if c.Left != "" {
			continue
		}
		seen := map[string]bool{}
		for _, alternative := range o.doc.Operations[c.Index].Security {
			for _, u := range alternative {
				if !seen[u.Scheme] {
					seen[u.Scheme] = true
					uses[u.Scheme]++
				}
			}
		}
	}
	return uses
}

// credentialOf is what stands under auth for a scheme, with secrets whose names
// start so, and a token endpoint that is not left to the document, unless empty. It
// is empty for a scheme that is no business of auth's.
func credentialOf(s spec.Scheme, secret, token string) string {
	switch {
	case s.Kind == spec.SchemeMutual:
		return ""
	case s.Kind == spec.SchemeBasic:
		return `{username: "${secret.` + secret + `_username}", password: "${secret.` + secret + `_password}"}`
	case s.Kind == spec.SchemeOAuth2 && s.TokenURL != "":
		if token != "" {
			token = ", token_url: " + yamlText(token)
		}
		return `{client_id: "${secret.` + secret + `_client_id}", client_secret: "${secret.` + secret + `_client_secret}"` + token + `}`
	}
	return `"${secret.` + secret + `}"`
}

// tokenURL is the token endpoint of a scheme as the document names it, where the
// configuration has to say it: a document at an address may be another tomorrow.
// It is empty elsewhere.
func (o *offer) tokenURL(scheme string) string {
	if o.doc.Base == "" {
		return ""
	}
	operations, err := o.doc.Address(nil)
	if err != nil {
		operations = ""
	}
	return o.doc.TokenAddress(scheme, operations)
}

// groupsOf counts tools by the tags of the document: those that it declares in its
// order, then others as they come, then tools without tags.
func groupsOf(declared []spec.Tag, tools []toolJSON) []groupJSON {
	all, at := []groupJSON{}, map[string]int{}
	find := func(tag string) int {
		i, ok := at[tag]
		if !ok {
			i = len(all)
			at[tag], all = i, append(all, groupJSON{Tag: tag})
		}
		return i
	}
	for _, t := range declared {
		all[find(t.Name)].Description = t.Description
	}
	bare := groupJSON{}
	for _, t := range tools {
		if len(t.DocumentTags) == 0 {
			bare.Tools++
			bare.Tokens += t.Tokens
		}
		for i, tag := range t.DocumentTags {
			if slices.Contains(t.DocumentTags[:i], tag) {
				continue
			}
			g := find(tag)
			all[g].Tools++
			all[g].Tokens += t.Tokens
		}
	}
	if bare.Tools > 0 {
		all = append(all, bare)
	}
	return slices.DeleteFunc(all, func(g groupJSON) bool { return g.Tools == 0 })
}
