package assembly

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/policy"
)

const (
	// maxTried is for how many deferred tools it is tried whether they are found by
	// what is said of them. Of more, as many are taken from all over the list.
	maxTried = 500
	// maxAlone is how many declared tools that are not found get a warning each; of
	// more, there is one for all.
	maxAlone = 5
	// maxPhrases is how many phrases of one search_hint are tried, and maxSearched about
	// how many of all: of very many tools leastPhrases of each are.
	maxPhrases   = 50
	leastPhrases = 3
	maxSearched  = 5000
)

// trial is what searches are tried with: an index of all tools that somebody may find.
type trial struct {
	scope *discovery.Scope
	in    map[string]bool // names of what may be found
	first int             // how many of an answer count
}

// trySearches tries the golden searches and, for each deferred tool, those for what is
// said of it.
func (b *builder) trySearches(all []*candidate, tools *registry.Registry, engine *policy.Engine) {
	golden := b.cfg.Discovery.Golden
	deferred := slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return !c.entry.Spec.Deferred })
	if len(golden) == 0 && len(deferred) == 0 {
		return
	}
	docs := gateway.Documents(tools)
	index, err := discovery.Build(context.Background(), docs)
	if err != nil {
		b.at("discovery").Errorf("the tools cannot be indexed: %v", err)
		return
	}
	defer func() { _ = index.Close() }() // what it holds is in memory
	t := &trial{in: map[string]bool{}, first: b.cfg.Discovery.Most()}
	t.scope = index.Scope(func(i int) bool {
		e, _ := tools.Lookup(docs[i].Name)
		t.in[docs[i].Name] = engine.ListsToSome(e.Spec)
		return t.in[docs[i].Name]
	})
	b.tryGolden(t, tools)
	b.tryDeferred(t, slices.DeleteFunc(deferred, func(c *candidate) bool { return !t.in[c.entry.Spec.Name] }))
}

// tryGolden reports tools that golden searches do not find.
func (b *builder) tryGolden(t *trial, tools *registry.Registry) {
	golden := b.cfg.Discovery.Golden
	each(len(golden), func(i int) {
		found := t.search(golden[i].Query)
		for j, name := range golden[i].Expect {
			at := b.expectation(i, j)
			_, registered := tools.Lookup(name)
			switch {
			case !registered:
				at.Hintf("enable and admit it, or expect another", "%s is not registered, so no search finds it", name)
			case !t.in[name]:
				at.Hintf("allow it to somebody, or expect another", "the rules keep everybody from %s, so no search finds it", name)
			case found.place(name) > t.first || found.place(name) == 0:
				at.Hintf(fmt.Sprintf("give %s a search_hint with words of the query, or expect another", name), "%s", found.instead(name, t.first))
			}
		}
	})
}

// found are the names in an answer, the best first.
type found []string

// search gives as much of an answer as there may be.
func (t *trial) search(query string) found {
	results, err := t.scope.Search(context.Background(), discovery.Query{Text: query, Limit: discovery.MaxLimit})
	if err != nil {
		return nil // of an index that is open, without an end of time
	}
	names := make(found, len(results.Hits))
	for i, h := range results.Hits {
		names[i] = h.Name
	}
	return names
}

// place is that of a tool, from 1; 0 for none.
func (f found) place(name string) int { return slices.Index(f, name) + 1 }

// instead says what came in place of a tool.
func (f found) instead(name string, first int) string {
	others := few(f[:min(first, len(f))])
	switch place := f.place(name); {
	case len(f) == 0:
		return "the search finds nothing"
	case place == 0 && len(f) < discovery.MaxLimit:
		return fmt.Sprintf("the search does not find %s; it finds %s", name, others)
	case place == 0:
		return fmt.Sprintf("%s is not among the first %d that the search finds, which begin with %s", name, discovery.MaxLimit, others)
	default:
		return fmt.Sprintf("%s is number %d that the search finds and not among the first %d: %s", name, place, first, others)
	}
}

// lost is a deferred tool that a search for what is said of it does not find.
type lost struct {
	tool   *candidate
	key    string // keyDescription or keyHint
	phrase string // of several of a search_hint; else empty
	text   string // what came in its place
}

// The keys of what is said of a tool.
const (
	keyDescription = "description"
	keyHint        = "search_hint"
)

// tryDeferred warns of deferred tools that their own texts do not find.
func (b *builder) tryDeferred(t *trial, deferred []*candidate) {
	tried := sample(deferred, maxTried)
	phrases := min(max(maxSearched/max(1, len(tried)), leastPhrases), maxPhrases)
	lists := make([][]lost, len(tried))
	each(len(tried), func(i int) { lists[i] = t.try(tried[i], phrases) })
	groups := map[string][]lost{} // by source and key
	var order []string
	for _, l := range slices.Concat(lists...) {
		name := l.tool.entry.Spec.Namespace + " " + l.key
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], l)
	}
	of := ""
	if len(tried) < len(deferred) {
		of = fmt.Sprintf(" (%d of %d were tried)", len(tried), len(deferred))
	}
	for _, name := range order {
		b.adviseLost(groups[name], t.first, of)
	}
	b.adviseSilent(deferred)
	b.adviseWordless(deferred)
}

// sample takes at most that many of all, from all over the list.
func sample(all []*candidate, most int) []*candidate {
	if len(all) <= most {
		return all
	}
	out := make([]*candidate, most)
	for i := range out {
		out[i] = all[i*len(all)/most]
	}
	return out
}

// try searches for what is said of a tool: the first sentence of its description, and
// each of the first phrases of its hint.
func (t *trial) try(c *candidate, most int) []lost {
	var out []lost
	look := func(key, phrase, text string) {
		name := c.entry.Spec.Name
		if found := t.search(text); found.place(name) == 0 || found.place(name) > t.first {
			out = append(out, lost{c, key, phrase, found.instead(name, t.first)})
		}
	}
	if said := saidOf(c); said != "" {
		look(keyDescription, "", said)
	}
	switch phrases := phrasesOf(c.entry.Spec.SearchHint); len(phrases) {
	case 0:
	case 1:
		look(keyHint, "", phrases[0])
	default:
		for _, p := range phrases[:min(most, len(phrases))] {
			look(keyHint, p, p)
		}
	}
	return out
}

// phrasesOf are the parts of a hint between commas, semicolons and ends of lines that
// have words which tell tools apart.
func phrasesOf(hint string) []string {
	parts := strings.FieldsFunc(hint, func(r rune) bool { return strings.ContainsRune(",;\n，；、", r) })
	out := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); len(discovery.Terms(p)) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// saidOf is the first sentence of the description; empty where nothing is said but
// what is sent.
func saidOf(c *candidate) string {
	text := c.entry.Spec.Description
	if c.op != nil && text == c.op.Method+" "+c.op.Path {
		return ""
	}
	return firstSentence(text)
}

// searchedFor is how warnings name what was searched for, of one tool or of several,
// and what to do.
func searchedFor(key string, several bool) (what, hint string) {
	whose := map[bool]string{false: "its", true: "their"}[several]
	if key == keyHint {
		return whose + " own search_hint", "write words that are for no other tool"
	}
	return "the first sentence of " + whose + " own description", "say there what no other tool does, or add a search_hint"
}

// adviseLost warns of tools of one source, or of those that are declared.
func (b *builder) adviseLost(list []lost, first int, of string) {
	if source := list[0].tool.source; source == nil && len(list) <= maxAlone {
		for _, l := range list {
			what, hint := searchedFor(l.key, false)
			if l.phrase != "" {
				what = fmt.Sprintf("%q of %s", l.phrase, what)
			}
			l.tool.at.Key(l.key).As(diag.UnfindableTool).Warnf(hint, "a search for %s fails: %s", what, l.text)
		}
		return
	}
	at := b.at("tools")
	if source := list[0].tool.source; source != nil {
		at = source.at
	}
	var names, shown []string
	for _, l := range list {
		name := l.tool.entry.Spec.Name
		if len(names) == 0 || names[len(names)-1] != name {
			names, shown = append(names, name), append(shown, l.named())
		}
	}
	what, hint := searchedFor(list[0].key, len(names) > 1)
	b.adviseMany(at, names, shown, hint, fmt.Sprintf("%s not among the first %d that a search for %s finds", areDeferred(len(names)), first, what), of)
}

// named is the tool and, of a hint that has several phrases, the one that fails.
func (l *lost) named() string {
	if l.phrase == "" {
		return l.tool.entry.Spec.Name
	}
	return fmt.Sprintf("%s (%q)", l.tool.entry.Spec.Name, l.phrase)
}

// adviseMany warns of tools of which the text shows a few and programs are told all.
func (b *builder) adviseMany(at diag.Cursor, names, shown []string, hint, text, of string) {
	if len(names) <= maxNamed {
		names = nil
	} else {
		hint += "; gateway lint --format json names all"
	}
	at.As(diag.UnfindableTool).WarnTools(names, hint, "%s: %s%s", text, few(shown), of)
}

func areDeferred(n int) string {
	if n == 1 {
		return "1 deferred tool is"
	}
	return fmt.Sprintf("%d deferred tools are", n)
}

// adviseSilent warns of deferred tools of sources of which nothing is said. Of those
// that are declared adviseTool does.
func (b *builder) adviseSilent(deferred []*candidate) {
	for _, s := range b.imported {
		var names []string
		for _, c := range deferred {
			if c.source == s && saidOf(c) == "" && c.entry.Spec.SearchHint == "" {
				names = append(names, c.entry.Spec.Name)
			}
		}
		if len(names) > 0 {
			b.adviseMany(s.at, names, names, "write tools: {name: {search_hint: …}}",
				fmt.Sprintf("nothing is said of %s, which searches find by name, path and arguments alone", counted(len(names), "deferred tool")), "")
		}
	}
}

// adviseWordless warns of hints that help no search.
func (b *builder) adviseWordless(deferred []*candidate) {
	for _, c := range deferred {
		hint := c.entry.Spec.SearchHint
		if strings.TrimSpace(hint) == "" || len(phrasesOf(hint)) > 0 {
			continue
		}
		at := c.at.Key(keyHint)
		if c.source != nil {
			at = c.source.at.Key("tools")
		}
		at.As(diag.UnfindableTool).Warnf("write what somebody would search for", "the search_hint %.100q of %s has no word that tells tools apart", hint, c.entry.Spec.Name)
	}
}
