package assembly

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/activation"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/find"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/policy"
)

// What providers and clients take of one tool.
const (
	// longName is the most characters of a name: clients put the name of the server
	// before it, and some refuse or cut what has more than 60 then.
	longName = 48
	// longDescription is the most characters of a description that services which are
	// like OpenAI's take; Claude Code cuts what has more than 2,048.
	longDescription = 1024
	// largeSchema is how many characters of one schema are worth a warning: about 4,000
	// tokens, in every request.
	largeSchema = 16_000
	// deepSchema is how many levels of a schema OpenAI takes where it is strict.
	deepSchema = 10
)

// adviseUnusable warns of tools that the rules are about and keep everybody from. That
// a rule denies tools of a source by their names is as it is meant: sources bring them
// by the dozen.
func (b *builder) adviseUnusable(registered []*candidate, engine *policy.Engine) {
	bySource, byRule := map[*imported][]string{}, map[string][]*tool.Spec{}
	for _, c := range registered {
		rule, denied := engine.Denied(c.entry.Spec)
		switch {
		case !denied || !engine.Reaches(c.entry.Spec):
		case c.source == nil:
			byRule[rule] = append(byRule[rule], c.entry.Spec)
		case rule == "":
			bySource[c.source] = append(bySource[c.source], c.entry.Spec.Name)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(byRule)) {
		b.adviseDenied(rule, byRule[rule], engine)
	}
	for _, s := range b.imported {
		if names := bySource[s]; len(names) > 0 {
			s.at.As(diag.UnusableTool).Warnf("check the rules that are about them, or leave them out with include",
				"no rule lets a call of %s of this source through, so nobody can see or call them: %s", counted(len(names), "tool"), few(names))
		}
	}
}

// adviseDenied warns of declared tools that a rule keeps everybody from, or all rules
// together; of many at once.
func (b *builder) adviseDenied(rule string, specs []*tool.Spec, engine *policy.Engine) {
	if len(specs) > maxAlone {
		var names []string
		for _, s := range specs {
			names = append(names, s.Name)
		}
		text, at := fmt.Sprintf("rule %q denies every call of", rule), b.denial(engine, specs[0])
		if rule == "" {
			text, at = "no rule lets through a call of", b.at("policy")
		}
		at.As(diag.UnusableTool).WarnTools(names, "narrow the rules, or write enabled: false at the tools",
			"%s %s, so nobody can see or call them: %s", text, counted(len(names), "tool"), few(names))
		return
	}
	for _, s := range specs {
		if rule == "" {
			b.place(s).As(diag.UnusableTool).Warnf("check the rules that are about it", "no rule lets a call of this tool through, so nobody can see or call it")
			continue
		}
		b.place(s).As(diag.UnusableTool).Warnf("narrow the rule, or write enabled: false at the tool", "rule %q denies every call of this tool, so nobody can see or call it", rule)
	}
}

// flaw is something that a tool has too much of.
type flaw struct {
	class diag.Class
	key   string // of a declared tool, where it stands
	text  string // of one tool
	of    string // of several of a source: a format for how many, and their names
	hint  string
	has   func(s *tool.Spec) bool
}

// adviseSizes warns of names, descriptions and schemas that are too large for somebody.
func (b *builder) adviseSizes(registered []*candidate) {
	for _, f := range []flaw{
		{
			diag.LongName, "", "", fmt.Sprintf("the names of %%s of this source have more than %d characters, and some clients refuse or cut those: %%s", longName),
			"give them a name under tools of the source, or the source a shorter prefix",
			func(s *tool.Spec) bool { return len(s.Name) > longName && s.Namespace != "" }, // of others the file is told
		},
		{
			diag.LongDescription, "description", fmt.Sprintf("the description has more than %d characters, which some providers refuse or cut", longDescription),
			fmt.Sprintf("the descriptions of %%s of this source have more than %d characters, which some providers refuse or cut: %%s", longDescription),
			"say first what it is for, and leave the rest to the descriptions of its arguments",
			func(s *tool.Spec) bool { return utf8.RuneCountInString(s.Description) > longDescription },
		},
		{
			diag.LargeSchema, "parameters", fmt.Sprintf("the schema has more than %d characters, about %d tokens of every request", largeSchema, largeSchema/BytesPerToken),
			fmt.Sprintf("the schemas of %%s of this source have more than %d characters, each about %d tokens of every request: %%s", largeSchema, largeSchema/BytesPerToken),
			"hide or leave out arguments that models need not know, or write defer: true",
			func(s *tool.Spec) bool { return len(s.Parameters) > largeSchema && !s.Deferred },
		},
		{
			diag.LargeSchema, "parameters", fmt.Sprintf("the schema is nested more than %d levels deep, which OpenAI refuses where it is strict", deepSchema),
			fmt.Sprintf("the schemas of %%s of this source are nested more than %d levels deep, which OpenAI refuses where it is strict: %%s", deepSchema),
			"make it flatter",
			func(s *tool.Spec) bool { return deeper(s.Parameters, deepSchema) },
		},
	} {
		b.adviseFlaw(&f, registered)
	}
}

func (b *builder) adviseFlaw(f *flaw, registered []*candidate) {
	bySource := map[*imported][]string{}
	for _, c := range registered {
		switch {
		case !f.has(c.entry.Spec):
		case c.source != nil:
			bySource[c.source] = append(bySource[c.source], c.entry.Spec.Name)
		case c.entry.Spec.Source == tool.SourceDeclared:
			b.place(c.entry.Spec).Key(f.key).As(f.class).Warnf(f.hint, "%s", f.text)
		}
	}
	for _, s := range b.imported {
		if names := bySource[s]; len(names) > 0 {
			s.at.As(f.class).Warnf(f.hint, f.of, counted(len(names), "tool"), few(names))
		}
	}
}

// deeper reports whether the values that a schema describes are nested more levels
// than that.
func deeper(schema json.RawMessage, levels int) bool {
	if braces(schema) <= levels { // each level takes one or two, and the whole another
		return false
	}
	var root any
	return json.Unmarshal(schema, &root) == nil && nested(root) > levels
}

// braces is how deep the objects of a JSON text lie in each other.
func braces(text json.RawMessage) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++
			}
		case c == '{':
			depth++
			most = max(most, depth)
		case c == '}':
			depth--
		}
	}
	return most
}

// nested is how many levels of objects and lists the values of a schema have.
func nested(v any) int {
	most := 0
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			n := nested(inner)
			if key == "properties" || key == "items" {
				n++
			}
			most = max(most, n)
		}
	case []any:
		for _, inner := range v {
			most = max(most, nested(inner))
		}
	}
	return most
}

// adviseConfusable warns of tools of several sources that models cannot tell apart but
// by a prefix: the same words as name, and the same description.
func (b *builder) adviseConfusable(registered []*candidate, engine *policy.Engine) {
	if len(b.imported) == 0 {
		return
	}
	first := map[string]*tool.Spec{}
	pairs := map[*imported][]string{}
	for _, c := range registered { // declared tools stand first
		s := c.entry.Spec
		if !engine.ListsToSome(s) {
			continue
		}
		key := wordsOf(s.Method) + "\n" + wordsOf(s.Description)
		other := first[key]
		switch {
		case other == nil:
			first[key] = s
		case c.source != nil && other.Namespace != s.Namespace:
			pairs[c.source] = append(pairs[c.source], s.Name+" and "+other.Name)
		}
	}
	for _, s := range b.imported {
		if list := pairs[s]; len(list) > 0 {
			s.at.As(diag.ConfusableNames).Warnf("describe them under tools of the source, with what tells them apart",
				"nothing but a prefix tells %s of this source from others, the words of the name and the description being the same: %s", counted(len(list), "tool"), few(list))
		}
	}
}

// wordsOf are the words of a text in lower case and in the order of the alphabet.
func wordsOf(text string) string {
	var spaced strings.Builder
	lower := false
	for _, r := range text {
		if lower && unicode.IsUpper(r) {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	words := strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	return strings.Join(words, " ")
}

// adviseViews warns of profiles and groups that give nobody anything.
func (b *builder) adviseViews(all []*tool.Spec, registered []*candidate, engine *policy.Engine) {
	specs := specsOf(registered)
	seen := slices.DeleteFunc(slices.Clone(specs), func(s *tool.Spec) bool { return !engine.ListsToSome(s) })
	for i := range b.profiles {
		p := &b.profiles[i]
		switch {
		case slices.ContainsFunc(seen, p.has):
		case slices.ContainsFunc(specs, p.has):
			p.at.As(diag.UnusableProfile).Warnf("let a rule allow one of them, or remove the profile", "the policy keeps everybody from each tool of this profile")
		case slices.ContainsFunc(all, p.has):
			p.at.As(diag.UnusableProfile).Warnf("admit one of them, or remove the profile", "none of the tools of this profile is admitted")
		}
	}
	access := b.cfg.Server.Access()
	for _, name := range b.groups.names {
		gives := func(s *tool.Spec) bool { return s.ByGroup && slices.Contains(s.Groups, name) }
		at := b.at("groups", name)
		switch {
		case !slices.ContainsFunc(specs, gives):
		case !slices.ContainsFunc(seen, gives):
			at.As(diag.InactiveGroup).Warnf("let a rule allow one of them", "the policy keeps everybody from each tool that this group makes active")
		case access.HasTokens() && !b.someoneMay(tool.MayActivate) && !b.canAsk(engine):
			at.As(diag.InactiveGroup).Warnf("give a caller may: [activate], or set server.admin_token", "no caller may activate groups and models cannot ask, so this one is activated with gateway chats on this machine only")
		}
	}
}

// canAsk reports whether models may ask for groups.
func (b *builder) canAsk(engine *policy.Engine) bool {
	own := asker().Spec
	return !b.admission.denies(own) && engine.ListsToSome(own)
}

// Shown is what an agent is shown of the tools, before its chat has found or activated
// any.
type Shown struct {
	Profile string // empty where none is asked for
	Tools   int    // in its list, the gateway's own included
	Tokens  int    // about, by four characters of the form openai-chat each
	// Deferred are those that it may find beside, and about the tokens that their
	// definitions would take in the list.
	Deferred, DeferredTokens int
}

// Limits of one list.
const (
	// manyGemini is how many tools Gemini takes in one request; OpenAI and VS Code take
	// manyTools.
	manyGemini = 512
	// largeList is how many tokens of a list are worth a warning: models choose worse
	// among many tools, and each request pays for them.
	largeList = 25_000
)

// outline is what an agent is shown, without a profile and with each. Where callers see
// different tools, it is what one sees who sees all that anybody does.
func (b *builder) outline(entries []*tool.Spec, engine *policy.Engine) []Shown {
	seen := slices.DeleteFunc(entries, func(s *tool.Spec) bool { return !find.Calls(s.Name) && !engine.ListsToSome(s) })
	sizes := make([]int, len(seen))
	each(len(seen), func(i int) { sizes[i] = find.Characters(seen[i]) })
	out := []Shown{shownOf("", seen, sizes, func(*tool.Spec) bool { return true })}
	for i := range b.profiles {
		out = append(out, shownOf(b.profiles[i].name, seen, sizes, b.profiles[i].has))
	}
	return out
}

// shownOf is what is shown of some tools that somebody sees, of these sizes in characters.
func shownOf(profile string, seen []*tool.Spec, sizes []int, has func(*tool.Spec) bool) Shown {
	out := Shown{Profile: profile}
	inactive, size, deferred := false, 0, 0
	for i, s := range seen {
		switch {
		case s.Source == tool.SourceBuiltin || !has(s):
		case s.ByGroup:
			inactive = true
		case s.Deferred:
			out.Deferred++
			deferred += sizes[i]
		default:
			out.Tools++
			size += sizes[i]
		}
	}
	for i, s := range seen {
		if s.Source != tool.SourceBuiltin || find.Is(s.Name) && out.Deferred == 0 || s.Name == activation.ToolName && !inactive {
			continue
		}
		out.Tools++
		size += sizes[i]
	}
	out.Tokens, out.DeferredTokens = size/BytesPerToken, deferred/BytesPerToken
	return out
}

// adviseLists warns of lists that are too long for somebody.
func (b *builder) adviseLists(lists []Shown) {
	for _, l := range lists {
		at := b.at("tools")
		if l.Profile != "" {
			at = b.at("profiles", l.Profile)
		}
		const hint = "write defer: true at those that are seldom needed, so that models search for them, or give each agent a profile"
		switch {
		case l.Profile == "" && l.Tools > manyTools && b.crowded: // told at the source
		case l.Tools > manyGemini:
			at.As(diag.TooManyTools).Warnf(hint, "an agent is shown %d tools at once, and Gemini takes at most %d, OpenAI and VS Code at most %d", l.Tools, manyGemini, manyTools)
		case l.Tools > manyTools:
			at.As(diag.TooManyTools).Warnf(hint, "an agent is shown %d tools at once, and OpenAI and VS Code take at most %d", l.Tools, manyTools)
		case l.Tokens > largeList:
			at.As(diag.LargeList).Warnf(hint, "the %d tools that an agent is shown take about %d tokens of every request", l.Tools, l.Tokens)
		}
	}
}
