package confine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTakeAll goes on after what a system does not have, and ends after what it could
// not take.
func TestTakeAll(t *testing.T) {
	var taken []string
	say := func(name, detail string, err error) step {
		return step{name, func(t *taking) error {
			taken, t.detail = append(taken, name), detail
			return err
		}}
	}
	report, err := takeAll(&taking{}, []step{
		say("files", "(ABI 7)", nil),
		say("keys", "", absentf("there are none on %s", "this system")),
		say("chairs", "", absent("nobody has them")),
		say("network", "", nil),
		say("memory", "", errors.New("it is stuck")),
		say("never", "", nil),
	})
	if err == nil || err.Error() != "confining this process: memory: it is stuck" {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"files", "keys", "chairs", "network", "memory"}, taken); diff != "" {
		t.Error(diff)
	}
	const want = "held: files (ABI 7), network; missing: keys (there are none on this system), chairs (nobody has them)"
	if got := report.String(); got != want {
		t.Errorf("got %s", got)
	}
}
