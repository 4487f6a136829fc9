package assembly

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/source"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/argument"
	"github.com/toolgate/toolgate/openapi/spec"
	"github.com/toolgate/toolgate/policy"
)

// operations compiles the operations of a source that become tools.
func (b *builder) operations(s *imported) []*candidate {
	if s.document == nil {
		return nil
	}
	s.service = openapi.New(s.at.Key("openapi"), *s.config.OpenAPI, s.document, openapi.Deps{
		Client: b.client, Upstreams: b.upstreams, SecretNames: b.secretNames, Secrets: b.values, Masker: b.masker,
	})
	s.choices = source.Choose(s.at, s.config.Choosing(s.name), Items(s.document.Operations))
	s.print = b.sourcePrint(s)
	chosen := slices.DeleteFunc(slices.Clone(s.choices), func(c source.Choice) bool { return c.Left != "" })
	if s.service == nil {
		b.partial = true
		return nil
	}
	all, homeless := make([]*candidate, len(chosen)), make([]bool, len(chosen))
	each(len(chosen), func(i int) { all[i], homeless[i] = b.operation(s, &chosen[i]) })
	for i, c := range all {
		switch {
		case homeless[i]:
			s.homeless = append(s.homeless, s.document.Operations[chosen[i].Index])
		case c == nil:
			b.partial = true
		}
	}
	all = slices.DeleteFunc(all, func(c *candidate) bool { return c == nil })
	b.checkSourceCore(s, all)
	return all
}

// operation compiles one operation; nil after a mistake, and where its address is
// not known. It changes nothing that tools share: several are compiled at a time.
func (b *builder) operation(s *imported, choice *source.Choice) (c *candidate, homeless bool) {
	op, own, at := s.document.Operations[choice.Index], s.config.Tools[choice.Key], s.at
	if choice.Key != "" {
		at = s.at.Key("tools").Key(choice.Key)
	}
	outline := s.document.Outline(op)
	fixed, fills, ok := valuesOf(at, choice, own, outline)
	if !ok {
		return nil, false
	}
	spec := b.imports(s, choice, op, own)
	adviseRetries(at, spec, own)
	args := shape{names: outline.Names, closed: outline.Closed}
	if !outline.Closed {
		args.names = nil // of any name
	}
	runner, err := s.service.Runner(at, op, httptool.Answers{OK: own.OK, Error: own.Error, Result: own.Result, Pages: own.Pages, Poll: own.Poll}, httptool.Deps{
		Args: args.names, Closed: args.closed, SecretNames: b.secretNames, Secrets: b.values,
		Masker: b.masker, Client: b.client, Timeout: spec.Timeout,
	})
	if err != nil || runner == nil {
		return nil, err != nil
	}
	doc := s.document
	checked := schema.Later(outline.Names, outline.Required, outline.Closed, func() json.RawMessage { return doc.Arguments(op) })
	if len(fills) > 0 {
		checked = checked.Filling(fills)
		if shown, err := schema.WithDefaults(spec.Parameters, own.Defaults); err == nil {
			spec.Parameters = shown
		}
	}
	return &candidate{
		entry:  &registry.Entry{Spec: spec, Schema: checked, Runner: runner},
		config: s.common, args: args, at: at, source: s, op: op, fixed: fixed, tests: own.Tests,
		known:    b.knownNames(spec, outline, fixed, fills),
		admitted: b.admission.admits(spec),
	}, false
}

// imports is what a tool that an operation becomes is.
func (b *builder) imports(s *imported, choice *source.Choice, op *spec.Operation, own config.Override) *tool.Spec {
	d := &s.config.Defaults
	out := &tool.Spec{
		Name: choice.Name, Title: openapi.Legible(openapi.Title(op)), Description: own.Description, Tags: choice.Tags, Deferred: choice.Defer, SearchHint: own.SearchHint,
		Namespace: s.name, Method: Original(op), Source: tool.SourceOpenAPI, ByGroup: !s.config.IsCore(),
		Origin: op.Method + " " + op.Path + " at " + op.Place, Print: operationPrint(s, op, &own),
		Parameters: op.Shown, Timeout: cmp.Or(own.Timeout, d.Timeout), MaxOutput: int64(d.MaxOutput), MaxResultSize: d.MaxResultSize,
		ConcurrencySafe: concurrencySafe(&config.Tool{Tags: choice.Tags}),
	}
	if out.Description == "" {
		out.Description = openapi.Legible(openapi.Describe(op))
	}
	if out.ReadOnly() {
		out.Retries = b.sourceRetries(s, own)
	}
	out.Groups = b.groups.of(out)
	return out
}

// sourceRetries are those of the tool, else of its source, of the upstream, of all
// tools.
func (b *builder) sourceRetries(s *imported, own config.Override) int {
	for _, n := range []*int{own.Retries, s.config.Defaults.Retries, b.cfg.Upstreams[s.config.OpenAPI.Upstream].Retries} {
		if n != nil {
			return *n
		}
	}
	return b.cfg.Defaults.Retries
}

// adviseRetries warns of retries that a tool never makes.
func adviseRetries(at diag.Cursor, spec *tool.Spec, own config.Override) {
	if own.Retries != nil && *own.Retries > 0 && !spec.ReadOnly() {
		at.Key("retries").As(diag.UselessSetting).Warnf("give it the tag read_only if it changes nothing", "only tools with the tag read_only are run again, and this one has it not")
	}
}

// valuesOf are the values of arguments that models do not see, and of those that
// they may leave out. An argument that the operation does not have is a mistake
// where the configuration names the operation, and passed over where an entry of
// "include" reaches it.
func valuesOf(at diag.Cursor, choice *source.Choice, own config.Override, outline argument.Outline) (fixed, fills map[string]any, ok bool) {
	ok = true
	for key, values := range map[string]map[string]json.RawMessage{"hide": own.Hide, "defaults": own.Defaults} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if !slices.Contains(outline.Names, name) {
				at.Key(key).Key(name).Hintf(cmp.Or(diag.DidYouMean(name, outline.Names), "see gateway tools show "+choice.Name), "%s has no argument %s", choice.Name, name)
				ok = false
			}
		}
	}
	return decoded(choice.Hide, outline.Names), decoded(own.Defaults, outline.Names), ok
}

// decoded are the values of those that are known, with every digit of their numbers;
// nil for none.
func decoded(values map[string]json.RawMessage, known []string) map[string]any {
	var out map[string]any
	for name, raw := range values {
		if !slices.Contains(known, name) {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			continue // what came out of a file is JSON
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = v
	}
	return out
}

// knownNames is the tool as rules are checked against it: what models do not see is
// among it.
func (b *builder) knownNames(spec *tool.Spec, outline argument.Outline, fixed, fills map[string]any) policy.Known {
	if b.cfg.Policy == nil {
		return policy.Known{Spec: spec}
	}
	always := slices.AppendSeq(slices.Clone(outline.Required), maps.Keys(fixed))
	return policy.KnowNames(spec, outline.Names, slices.AppendSeq(always, maps.Keys(fills)), outline.Closed)
}
