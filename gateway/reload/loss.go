package reload

import (
	"context"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
)

const (
	// calm is how long files from which something is gone must stay as they are
	// before that is believed: half a file may be a valid one.
	calm = 2 * time.Second
	// calmRounds is how often that is tried while they go on changing.
	calmRounds = 5
)

// believed is the next version once its files are whole, as far as one can tell: of
// a version that was found, not asked for, and that takes something away, the files
// must be the same some time later. It is nil when the context is over before that.
func (r *Reloader) believed(ctx context.Context, next *Version, cause string) *Version {
	for range calmRounds {
		if cause != causeFile || next.Assembly == nil || !takesAway(Between(r.started, r.served, next)) {
			return next
		}
		select {
		case <-time.After(calm):
		case <-ctx.Done():
			_ = next.Assembly.Close() // it closes connections, which cannot fail
			return nil
		}
		again := r.source.Read(r.served.Assembly)
		same := again.seen.Equal(next.seen)
		_ = next.Assembly.Close() // it closes connections, which cannot fail
		if next = again; same {
			return next
		}
	}
	return next
}

// takesAway reports whether something that is served is gone, or something that
// decides about calls is another one: what a file may lack that was cut.
func takesAway(d Difference) bool {
	for section, c := range d.Changes {
		if len(c.Removed) > 0 || (len(c.Changed) > 0 || c.Reordered) && !slices.Contains(ofUpstreams, section) {
			return true
		}
	}
	return false
}

// ofUpstreams are the sections whose entries are often changed, and decide nothing
// about calls.
var ofUpstreams = []string{"tools", "sources", "upstreams", "secrets"}

// closes makes an error of a version that would let in everybody, or let everybody
// do everything, where the one that is served does not: whoever means that can
// start the gateway anew, and whoever does not has lost half a file.
func (r *Reloader) closes(next *Version) {
	if next.Assembly == nil {
		return
	}
	was, is := r.served.Config, next.Config
	if was.Policy != nil && is.Policy == nil {
		next.refuse("policy", "the policy is gone, and without one every call would be allowed")
	}
	before, after := was.Server.Access(), is.Server.Access()
	if before.HasTokens() && !after.HasTokens() {
		next.refuse("server", "all tokens are gone, and without one everybody on this machine would be let in")
	}
}

// refuse makes an error of the version.
func (v *Version) refuse(key, text string) {
	v.wrong(diag.Problem{
		Key: key, Text: text, Hint: "a reload does not open what was closed: put it back, or start the gateway anew if that is meant",
	})
}

func (v *Version) wrong(p diag.Problem) {
	v.Problems = append(slices.Clone(v.Problems), p)
	if v.Assembly != nil {
		_ = v.Assembly.Close() // it closes connections, which cannot fail
		v.Assembly = nil
	}
}
