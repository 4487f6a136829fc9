package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httpapi"
	"github.com/toolgate/toolgate/gateway/learn"
	"github.com/toolgate/toolgate/gateway/tool"
)

// servedHints are the hints of this server, for its HTTP API.
type servedHints struct {
	book  *learn.Book
	names func() []string // of all tools now
}

// List gives the hints of a group.
func (h servedHints) List(group *string) []httpapi.Hint {
	all := h.book.List(group)
	out := make([]httpapi.Hint, len(all))
	for i, one := range all {
		out[i] = httpapi.Hint(one)
	}
	return out
}

// Import takes hints in.
func (h servedHints) Import(ctx context.Context, group *string, all httpapi.HintImport) error {
	hints := make([]learn.Hint, len(all.Hints))
	for i, one := range all.Hints {
		hints[i] = learn.Hint(one)
	}
	var err error
	if !all.Force {
		err = KnowTools(hints, h.names())
	}
	if err == nil {
		err = h.book.Import(ctx, hints, group, all.Replace)
	}
	var wrong *learn.HintError
	var full *learn.FullError
	switch {
	case errors.As(err, &wrong):
		return tool.Errorf(tool.InvalidArgs, "hint %d: %s", wrong.Index+1, wrong.Text).WithHint("%s", wrong.Hint)
	case errors.As(err, &full):
		return tool.Errorf(tool.InvalidArgs, "%s", full.Text).WithHint("%s", full.Hint)
	}
	return err
}

// KnowTools finds the first hint for a tool that is not among the names: a
// [learn.HintError], or nil.
func KnowTools(hints []learn.Hint, names []string) error {
	known := make(map[string]bool, len(names))
	for _, n := range names {
		known[n] = true
	}
	at := slices.IndexFunc(hints, func(h learn.Hint) bool { return h.Tool != "" && !known[h.Tool] })
	if at < 0 {
		return nil
	}
	hint := "with force it is taken in"
	if near := diag.DidYouMean(hints[at].Tool, names); near != "" {
		hint = near + " " + hint
	}
	return &learn.HintError{Index: at, Text: fmt.Sprintf("there is no tool %.100q", hints[at].Tool), Hint: hint}
}
