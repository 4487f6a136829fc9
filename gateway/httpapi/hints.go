package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Hint is what a tool is found by: a past search that led to a call of it, or a sentence
// that somebody wrote.
type Hint struct {
	Tool   string  `json:"tool"` // full name
	Query  string  `json:"query"`
	Weight float64 `json:"weight,omitempty"` // in (0, 1]; 1 when it is 0
	Group  string  `json:"group,omitempty"`  // the callers that it serves; empty for all
	Used   string  `json:"used,omitempty"`   // when it last led to a call; empty for one that does not fade
}

// HintList is what GET answers.
type HintList struct {
	Hints []Hint `json:"hints"`
}

// HintImport is what PUT takes.
type HintImport struct {
	Hints   []Hint `json:"hints"`
	Replace bool   `json:"replace,omitempty"` // in place of all that there are, or of those of the group
	Force   bool   `json:"force,omitempty"`   // also for tools that there are not
}

// Hints keeps what tools are found by. A group that is nil stands for all.
type Hints interface {
	// List gives the hints of a group.
	List(group *string) []Hint
	// Import takes hints in. The error is a [*tool.Error], and then nothing has changed.
	Import(ctx context.Context, group *string, all HintImport) error
}

// hintGroup reads which group of callers is meant.
func hintGroup(r *http.Request) (*string, *problem) {
	if p := lacks(r, tool.MayAdmin); p != nil {
		return nil, p
	}
	values, p := query(r, "group")
	if p != nil || !values.Has("group") {
		return nil, p
	}
	group := values.Get("group")
	return &group, nil
}

func (a *api) listHints(w http.ResponseWriter, r *http.Request) {
	group, p := hintGroup(r)
	if p != nil {
		p.write(w)
		return
	}
	noStore(w)
	writeJSON(w, http.StatusOK, HintList{append([]Hint{}, a.hints.List(group)...)})
}

func (a *api) importHints(w http.ResponseWriter, r *http.Request) {
	group, p := hintGroup(r)
	var all HintImport
	if p == nil {
		all, p = readHints(w, r)
	}
	if p != nil {
		p.write(w)
		return
	}
	if err := a.hints.Import(r.Context(), group, all); err != nil {
		a.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]int{"imported": len(all.Hints)})
}

func readHints(w http.ResponseWriter, r *http.Request) (all HintImport, p *problem) {
	body, p := readBody(w, r, noun{plural: "hints", less: "Send them in parts, all but the first without replace."})
	if p != nil {
		return all, p
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	err := dec.Decode(&all)
	if _, end := dec.Token(); err != nil || !errors.Is(end, io.EOF) || all.Hints == nil {
		return all, &problem{
			status: http.StatusBadRequest, Type: typeBadRequest, Message: "the body is no list of hints",
			Hint: `Send {"hints": [{"tool": "its name", "query": "what somebody would search for"}]}; replace and force may stand beside hints.`,
		}
	}
	return all, nil
}
