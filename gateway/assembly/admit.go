package assembly

import (
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// tagPrefix starts an entry of "admit" that is about a tag.
const tagPrefix = "tag:"

// entry is one compiled entry of "admit" or of a group: a tag, or a glob.
type entry struct {
	at   diag.Cursor
	text string
	tag  string
	glob tool.Glob
}

func (e *entry) fits(s *tool.Spec) bool {
	if e.tag != "" {
		return s.HasTag(e.tag)
	}
	return e.glob.Match(s.Name)
}

// admission says which tools are registered.
type admission struct {
	all         bool // no list of what to allow
	allow, deny []entry
}

// compileAdmit compiles the "admit" section.
func (b *builder) compileAdmit() admission {
	at := b.at("admit")
	allow := at.Key("allow")
	if allow.Present() && len(b.cfg.Admit.Allow) == 0 && !b.cfg.Broken("admit", "allow") {
		allow.Hintf("give it an entry, or remove the key to admit every tool", "must not be empty")
	}
	return admission{
		all:   !allow.Present(),
		allow: entries(allow, b.cfg.Admit.Allow, true),
		deny:  entries(at.Key("deny"), b.cfg.Admit.Deny, true),
	}
}

// admits reports whether a tool is to be registered. What is denied is not,
// whatever is allowed.
func (a *admission) admits(s *tool.Spec) bool {
	fits := func(e entry) bool { return e.fits(s) }
	return (a.all || slices.ContainsFunc(a.allow, fits)) && !a.denies(s)
}

// denies reports whether an entry of what to deny fits a tool. One of the gateway's
// own needs no entry of what to allow.
func (a *admission) denies(s *tool.Spec) bool {
	return slices.ContainsFunc(a.deny, func(e entry) bool { return e.fits(s) })
}

// refusal is the place of the first entry of what to deny that fits a tool, or that of
// the list.
func (a *admission) refusal(list diag.Cursor, s *tool.Spec) diag.Cursor {
	if i := slices.IndexFunc(a.deny, func(e entry) bool { return e.fits(s) }); i >= 0 {
		return a.deny[i].at
	}
	return list
}

// advise warns of entries that are about none of the tools there are. A pattern
// of what to deny may be about tools still to come.
func (a *admission) advise(specs []*tool.Spec) {
	adviseEntries(a.allow, specs)
	for _, e := range a.deny {
		if e.tag != "" || !strings.ContainsAny(e.text, "*?") {
			adviseEntries([]entry{e}, specs)
		}
	}
}

// entries compiles a list of globs and, where the list may hold them, tags. A
// mistake is reported, and its entry left out.
func entries(at diag.Cursor, texts []string, tags bool) []entry {
	var out []entry
	for i, text := range texts {
		e := entry{at: at.Index(i), text: text}
		tag, isTag := strings.CutPrefix(text, tagPrefix)
		if isTag && tags {
			if e.tag = strings.TrimSpace(tag); e.tag == "" {
				continue // reported by the check of the file
			}
		} else {
			glob, err := tool.ParseGlob(text)
			if err != nil {
				e.at.Errorf("%v", err)
				continue
			}
			e.glob = glob
		}
		out = append(out, e)
	}
	return out
}

// adviseEntries warns of entries that fit none of the tools, with the name or
// tag that was probably meant. A lone * is about tools still to come.
func adviseEntries(list []entry, specs []*tool.Spec) {
	for _, e := range list {
		if e.text == "*" || slices.ContainsFunc(specs, e.fits) {
			continue
		}
		if e.tag != "" {
			e.at.As(diag.UnknownTag).Warnf(diag.DidYouMean(e.tag, tagsOf(specs)), "no tool has the tag %s", e.tag)
			continue
		}
		e.at.As(diag.UnmatchedPattern).Warnf(diag.DidYouMean(e.text, namesOf(specs)), "%q fits none of the tools", e.text)
	}
}

func tagsOf(specs []*tool.Spec) []string {
	var out []string
	for _, s := range specs {
		out = append(out, s.Tags...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func namesOf(specs []*tool.Spec) []string {
	var out []string
	for _, s := range specs {
		out = append(out, s.Name)
	}
	return out
}
