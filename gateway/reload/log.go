package reload

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/watch"
)

// logErrors writes every error of a version, once for the same files: whoever
// asks again is told how many there are.
func (r *Reloader) logErrors(bad *Version, cause string) {
	errs := bad.Problems.Errors()
	again := fingerprint(bad.seen) + errs.Error()
	r.logger.Error("configuration not reloaded: what was served is served still",
		"cause", cause, "errors", len(errs), "logged_before", again == r.told)
	if again == r.told {
		return
	}
	r.told = again
	for _, p := range errs {
		r.logger.Error("configuration", "problem", p.String())
	}
}

// fingerprint is a text that two states have in common only when they are equal.
func fingerprint(s watch.State) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s.Files)) {
		fmt.Fprintf(&b, "%q %x\n", path, s.Files[path])
	}
	for _, pattern := range slices.Sorted(maps.Keys(s.Patterns)) {
		fmt.Fprintf(&b, "%q %q\n", pattern, s.Patterns[pattern])
	}
	return b.String()
}

// warn writes the warnings that the version before had not.
func (r *Reloader) warn(problems diag.Problems) {
	now := known(problems)
	for _, p := range problems.Warnings() {
		if !r.logged[placeless(p)] {
			r.logger.Warn("configuration", "problem", p.String())
		}
	}
	r.logged = now
}

// known are the warnings among problems. A line that moved is no news.
func known(problems diag.Problems) map[diag.Problem]bool {
	out := map[diag.Problem]bool{}
	for _, p := range problems.Warnings() {
		out[placeless(p)] = true
	}
	return out
}

func placeless(p diag.Problem) diag.Problem {
	p.Place = diag.Place{}
	return p
}

// logChanges writes the one line of a reload.
func (r *Reloader) logChanges(res *Result, cause string, took time.Duration) {
	attrs := []any{"cause", cause, "generation", res.Generation, "took", took.Round(time.Millisecond)}
	for _, section := range slices.Sorted(maps.Keys(res.Changes)) {
		attrs = append(attrs, section, res.Changes[section].String())
	}
	if len(res.Restart) > 0 {
		attrs = append(attrs, "takes_effect_at_next_start", strings.Join(res.Restart, " "))
	}
	text := "configuration reloaded"
	if !res.Any() {
		text = "configuration read again: nothing that is served has changed"
	}
	r.logger.Info(text, attrs...)
}
