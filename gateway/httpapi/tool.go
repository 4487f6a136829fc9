package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// filter says which tools a list is about.
type filter struct {
	tags      []string // one of them is enough; all tools when empty
	without   []string // none of them
	namespace string   // of this source; all tools when empty
	deferred  string   // deferredLeftOut, deferredToo or deferredOnly
}

// filtering reads the filters of a list: tags and exclude_tags, each several tags
// with commas between them, namespace and deferred.
func filtering(values url.Values) (filter, *problem) {
	var f filter
	for key, to := range map[string]*[]string{"tags": &f.tags, "exclude_tags": &f.without} {
		if !values.Has(key) {
			continue
		}
		*to = strings.Split(values.Get(key), ",")
		if slices.Contains(*to, "") {
			return filter{}, badQuery(fmt.Sprintf("%s is %q, which names an empty tag", key, values.Get(key)), "Write tags with commas between them, such as "+key+"=read_only,network.")
		}
	}
	if f.namespace = values.Get("namespace"); values.Has("namespace") && f.namespace == "" {
		return filter{}, badQuery("namespace is empty", "Name an entry of sources, or leave the parameter out to have all tools.")
	}
	known := []string{deferredLeftOut, deferredToo, deferredOnly}
	if f.deferred = known[0]; values.Has("deferred") {
		f.deferred = values.Get("deferred")
	}
	if !slices.Contains(known, f.deferred) {
		return filter{}, badQuery(fmt.Sprintf("unknown deferred %q", shown(f.deferred)), knownHint(f.deferred, known))
	}
	return f, nil
}

// keeps reports whether a tool is in the list.
func (f filter) keeps(s *tool.Spec) bool {
	return (len(f.tags) == 0 || slices.ContainsFunc(f.tags, s.HasTag)) && !slices.ContainsFunc(f.without, s.HasTag) &&
		(f.namespace == "" || s.Namespace == f.namespace) && (f.deferred != deferredOnly || s.Deferred)
}

// of are the tools of a list that are kept. The list is shared and not changed.
func (f filter) of(specs []*tool.Spec) []*tool.Spec {
	kept := make([]*tool.Spec, 0, len(specs))
	for _, s := range specs {
		if f.keeps(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// showTool answers one tool in the format asked for, as it stands in the list once
// it is there: a deferred one too.
func (a *api) showTool(w http.ResponseWriter, r *http.Request) {
	values, p := query(r, "format", "chat", "profile")
	if p != nil {
		p.write(w)
		return
	}
	write, p := chosen(values, shapes())
	if p != nil {
		p.write(w)
		return
	}
	view, p := a.view(r, values)
	if p != nil {
		p.write(w)
		return
	}
	name := r.PathValue("name")
	specs := a.gateway.AllTools(r.Context(), view)
	at := slices.IndexFunc(specs, func(s *tool.Spec) bool { return s.Name == name })
	if at < 0 {
		p := &problem{status: http.StatusNotFound, Type: string(tool.NotFound), Message: fmt.Sprintf("no tool is named %q", shown(name)), Hint: "GET /v1/tools lists those that there are."}
		p.write(w)
		return
	}
	sendTagged(w, r, write.one(specs[at]))
}

// maxShown is the most characters of what a client sent that an answer repeats.
const maxShown = 100

func shown(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}
