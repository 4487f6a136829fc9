package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
)

// maxEntries is how many entries of "include" flags may make together.
const maxEntries = 256

// specFlags are the flags of the commands that read a document, and others.
func specFlags(others ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "namespace", Usage: "the `NAME` of the source, which stands before the names of its tools; made of the name of the document when absent"},
		&cli.StringSliceFlag{Name: "tag", Usage: "only operations with a tag that fits `GLOB`; this and the next three may be repeated, and an operation must fit one of each kind"},
		&cli.StringSliceFlag{Name: "operation", Usage: "only operations whose operationId fits `GLOB`"},
		&cli.StringSliceFlag{Name: "path", Usage: "only operations whose path fits `PATTERN`, such as /repos/**"},
		&cli.StringSliceFlag{Name: "method", Usage: "only operations with this `METHOD`"},
		&cli.StringSliceFlag{Name: "network", Usage: "a private network, as `CIDR`, that the document may be fetched from; may be repeated"},
		&cli.StringSliceFlag{Name: "config", Aliases: []string{"c"}, Usage: "a configuration `FILE`, whose networks may be reached"},
	}, others...)
}

// specRequest is which document is read, and what is chosen of it.
type specRequest struct {
	path     string        // of a file, or an address
	shown    string        // what was typed
	source   config.Source // what it says of choosing
	name     string        // of the source; empty where it is made of the document's
	networks []netip.Prefix
	at       diag.Cursor      // of a source of a configuration
	problems *config.Config   // whose problems those of choosing are; nil for flags
	include  []source.Include // of flags
}

// offer is what a document offers: its operations, and what becomes of each.
type offer struct {
	doc     *openapi.Document
	request *specRequest
	name    string          // of the source
	choices []source.Choice // of doc.Operations, in their order
}

// newSpecRequest reads the arguments of a command that has specFlags.
func newSpecRequest(cmd *cli.Command) (*specRequest, error) {
	req := &specRequest{name: cmd.String("namespace")}
	if problem := checkNamespace(req.name); problem != "" {
		return nil, usagef("--namespace: %s", problem)
	}
	for _, text := range cmd.StringSlice("network") {
		network, err := parseNetwork(text)
		if err != nil {
			return nil, usagef("--network: %q is no network; write 10.0.0.0/8 for example", text)
		}
		req.networks = append(req.networks, network)
	}
	if name := cmd.String("source"); name != "" {
		return req, req.ofSource(cmd, name)
	}
	if cmd.Args().Len() != 1 {
		return nil, usagef("%s takes one argument, the path or the address of the document", cmd.FullName())
	}
	req.shown = cmd.Args().First()
	req.path = req.shown
	if err := checkAddress(req.path); err != nil {
		return nil, err
	}
	if short := bare(req.path); short != req.path {
		req.shown = short + "?…"
	}
	if cmd.IsSet("config") {
		cfg, err := readConfig(cmd)
		if err != nil {
			return nil, err
		}
		req.networks = append(req.networks, cfg.Networks.Allow...)
	}
	var err error
	req.include, err = includeOf(cmd)
	return req, err
}

// checkAddress refuses an address with a user, as a configuration does, and what
// cannot be read; it is nil for the path of a file. The error does not repeat what
// may hold a password.
func checkAddress(path string) error {
	if !strings.Contains(path, "://") {
		return nil
	}
	u, err := url.Parse(path)
	switch {
	case err != nil:
		return usagef("the address of the document cannot be read")
	case u.User != nil:
		return usagef("an address with a user would show a password wherever it is shown: remove what stands before @; documents are asked for without credentials, so save one that needs them to a file")
	}
	return nil
}

// bare is an address without its query, which may hold a token, and its fragment. The
// path of a file stays as it is.
func bare(place string) string {
	if !strings.Contains(place, "://") {
		return place
	}
	short, _, _ := strings.Cut(place, "#")
	short, _, _ = strings.Cut(short, "?")
	return short
}

func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// readConfig loads the configuration that --config names; tools.yaml where a source
// of one is wanted and none is named.
func readConfig(cmd *cli.Command) (*config.Config, error) {
	opts := layers(cmd)
	if len(opts.Files) == 0 {
		opts.Files = []string{"tools.yaml"}
	}
	cfg, problems := config.Load(opts)
	if err := problems.Err(); err != nil || cfg == nil {
		return nil, &exitError{exitUsage, problems}
	}
	return cfg, nil
}

// ofSource takes the document of a source of a configuration, and what that says of
// choosing.
func (r *specRequest) ofSource(cmd *cli.Command, name string) error {
	if cmd.Args().Present() {
		return usagef("give either --source or the document, not both")
	}
	for _, flag := range []string{"namespace", "tag", "operation", "path", "method"} {
		if cmd.IsSet(flag) {
			return usagef("--%s does not go with --source: the configuration says that", flag)
		}
	}
	cfg, err := readConfig(cmd)
	if err != nil {
		return err
	}
	s, ok := cfg.Sources[name]
	if !ok || s.OpenAPI == nil {
		var names []string
		for known, s := range cfg.Sources {
			if s.OpenAPI != nil {
				names = append(names, known)
			}
		}
		return usagef("the configuration has no source %q with an OpenAPI document%s", name, hinted(diag.DidYouMean(name, names)))
	}
	r.name, r.source, r.path, r.shown = name, s, s.OpenAPI.Spec, s.OpenAPI.Spec
	if short := bare(r.path); short != r.path {
		r.shown = short + "?…"
	}
	r.networks = append(r.networks, cfg.Networks.Allow...)
	r.problems, r.at = cfg, cfg.At().Key("sources").Key(name)
	return nil
}

// includeOf makes entries of "include" of the flags: one for every way to take one
// value of each flag.
func includeOf(cmd *cli.Command) ([]source.Include, error) {
	entries := []source.Include{{}}
	for _, f := range []struct {
		name string
		set  func(*source.Include, string)
	}{
		{"tag", func(e *source.Include, v string) { e.Tag = v }},
		{"operation", func(e *source.Include, v string) { e.Operation = v }},
		{"path", func(e *source.Include, v string) { e.Path = v }},
		{"method", func(e *source.Include, v string) { e.Method = v }},
	} {
		values := cmd.StringSlice(f.name)
		if len(values) == 0 {
			continue
		}
		var further []source.Include
		for _, e := range entries {
			for _, value := range values {
				own := e
				f.set(&own, value)
				further = append(further, own)
			}
		}
		if entries = further; len(entries) > maxEntries {
			return nil, usagef("these flags make more than %d combinations; use fewer, or globs", maxEntries)
		}
	}
	if entries[0] == (source.Include{}) {
		return nil, nil
	}
	return entries, nil
}

// open reads the document and chooses.
func (r *specRequest) open(ctx context.Context, bar *progress, validate bool) (*offer, error) {
	client := httptool.NewClient(r.networks)
	doc, err := openapi.Load(ctx, openapi.LoadOptions{Path: r.path, Fetch: client, Validate: validate, Progress: bar.show})
	bar.clear()
	if err = errors.Join(err, client.Close()); err != nil {
		if e, ok := errors.AsType[*tool.Error](err); ok && e.Code == tool.BlockedTarget {
			err = fmt.Errorf("%w (or give --network CIDR)", err)
		}
		return nil, &exitError{exitUsage, err}
	}
	o := &offer{doc: doc, request: r, name: r.name}
	if o.name == "" {
		o.name = namespaceOf(r.path, doc.Title)
	}
	return o, o.choose()
}

// choose decides which operations become tools.
func (o *offer) choose() error {
	items, r := assembly.Items(o.doc.Operations), o.request
	if r.problems != nil {
		o.choices = source.Choose(r.at, r.source.Choosing(o.name), items)
		if err := r.problems.Problems().Err(); err != nil {
			return &exitError{exitUsage, err}
		}
		return nil
	}
	for _, e := range r.include { // each value by itself, so that a message names it
		for _, single := range []source.Include{{Tag: e.Tag}, {Operation: e.Operation}, {Path: e.Path}, {Method: e.Method}} {
			if single == (source.Include{}) {
				continue
			}
			if _, err := o.chooseBy(items, single); err != nil {
				return err
			}
		}
	}
	var fitting []source.Include
	for _, e := range r.include {
		if choices, err := o.chooseBy(items, e); err == nil && slices.ContainsFunc(choices, isChosen) {
			fitting = append(fitting, e)
		}
	}
	if len(r.include) > 0 && len(fitting) == 0 {
		return usagef("no operation fits all of these flags together")
	}
	r.source.Include = fitting
	var err error
	o.choices, err = o.chooseBy(items, fitting...)
	return err
}

// chooseBy chooses with some entries. The error is about flags.
func (o *offer) chooseBy(items []source.Item, entries ...source.Include) ([]source.Choice, error) {
	var report diag.Report
	s := config.Source{Include: entries}
	choices := source.Choose(diag.NewCursor(&report, nil), s.Choosing(o.name), items)
	for _, p := range report.Problems().Errors() {
		_, flag, _ := strings.Cut(p.Key, ".") // include.0.tag
		_, flag, _ = strings.Cut(flag, ".")
		return nil, usagef("--%s: %s%s", flag, strings.Replace(p.Text, "the source", "the document", 1), hinted(p.Hint))
	}
	return choices, nil
}

func isChosen(c source.Choice) bool { return c.Left == "" }

// legalNamespace is what a source may be called.
var legalNamespace = regexp.MustCompile(fmt.Sprintf(`^[a-zA-Z_][a-zA-Z0-9_-]{0,%d}$`, source.MaxPrefix-1))

func checkNamespace(name string) (problem string) {
	if name == "" || legalNamespace.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("%q has to be at most %d letters, digits, _ and -, without a digit or - at the start", name, source.MaxPrefix)
}

// general are names of files that say nothing about what is in them.
var general = []string{"openapi", "swagger", "api", "spec", "index", "schema", "api-docs", "docs", "openapi3", "v1", "v2", "v3"}

// namespaceOf makes the name of a source of the name of its document, or of the
// title where that says nothing.
func namespaceOf(place, title string) string {
	if _, rest, ok := strings.Cut(place, "://"); ok {
		place, _, _ = strings.Cut(rest, "?")
		_, place, _ = strings.Cut(place, "/")
		place = path.Base(place)
	} else {
		place = filepath.Base(place)
	}
	stem := strings.TrimSuffix(place, path.Ext(place))
	for _, text := range []string{stem, title} {
		name := legalNamespaceOf(text)
		if name != "" && (!slices.Contains(general, name) || text == title) {
			return name
		}
	}
	return "api"
}

var noWord = regexp.MustCompile(`[^a-z0-9-]+`)

// legalNamespaceOf is the legal name that is most like a text; empty where nothing
// of it is legal.
func legalNamespaceOf(text string) string {
	name := strings.Trim(noWord.ReplaceAllString(strings.ToLower(text), "_"), "_-")
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return strings.TrimRight(name[:min(len(name), source.MaxPrefix)], "_-")
}
