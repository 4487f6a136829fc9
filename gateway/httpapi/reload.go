package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Reloader reads the configuration again.
type Reloader interface {
	// Reload serves what the configuration says now. What it did encodes as a JSON
	// object; the warnings are those of the configuration. The error is
	// [diag.Problems] when it has errors; nothing has changed then.
	Reload(ctx context.Context) (done any, warnings diag.Problems, err error)
}

// typeBadConfig is the kind of refusal of a configuration with errors.
const typeBadConfig = "bad_configuration"

// reloadConfig answers with what changed, or with all that is wrong.
func (a *api) reloadConfig(w http.ResponseWriter, r *http.Request) {
	p := lacks(r, tool.MayAdmin)
	if p == nil {
		p = readNothing(w, r)
	}
	if p != nil {
		p.write(w)
		return
	}
	done, warnings, err := a.reload.Reload(r.Context())
	var problems diag.Problems
	switch {
	case err == nil:
		writeJSON(w, http.StatusOK, map[string]any{"reloaded": done, "warnings": placed(warnings)})
	case errors.As(err, &problems):
		refuseConfig(w, problems)
	default: // the client hung up, or the server is stopping
		p := &problem{status: http.StatusServiceUnavailable, Type: typeInternal, Message: "the reload was given up before it began: " + err.Error()}
		p.write(w)
	}
}

// readNothing refuses parameters and a body: whoever sends them takes a reload for
// something else, such as a trial.
func readNothing(w http.ResponseWriter, r *http.Request) *problem {
	if _, p := query(r); p != nil {
		return p
	}
	switch n, err := io.ReadFull(http.MaxBytesReader(w, r.Body, maxBody), make([]byte, 1)); {
	case n > 0:
		return badQuery("a reload takes no body", "Send none; the configuration is read from the files of the gateway.")
	case err != nil && !errors.Is(err, io.EOF):
		return badQuery("the request body could not be read to its end", "")
	}
	return nil
}

func refuseConfig(w http.ResponseWriter, problems diag.Problems) {
	problems = problems.Errors()
	writeJSON(w, http.StatusUnprocessableEntity, map[string]any{"error": map[string]any{
		"error_type": typeBadConfig,
		"message":    fmt.Sprintf("the configuration has errors (%d); what was served is served still", len(problems)),
		"hint":       "Correct the files and reload again.",
		"problems":   placed(problems),
	}})
}

// placedProblem is one problem, as lint writes it in JSON.
type placedProblem struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Key    string `json:"key,omitempty"`
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"`
}

// placed is never nil, so that it encodes as an array.
func placed(problems diag.Problems) []placedProblem {
	out := make([]placedProblem, 0, len(problems))
	for _, p := range problems {
		out = append(out, placedProblem{p.Place.File, p.Place.Line, p.Place.Column, p.Key, p.Text, p.Hint})
	}
	return out
}
