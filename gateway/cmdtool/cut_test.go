package cmdtool

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

// TestNoPieceOfSecretAtCut: wherever the kept end of an output begins in a
// secret, no piece of it is shown, and as much is shown as without one.
func TestNoPieceOfSecretAtCut(t *testing.T) {
	t.Parallel()
	const key = "hunter22-and-more"
	m := secret.NewMasker(secret.NewValue(key))
	most := maxSaid + m.Reach()
	for inside := range len(key) + 1 {
		said := &tail{most: most}
		_, _ = said.Write([]byte(strings.Repeat("y", 100) + key + strings.Repeat("x", most-inside))) // never fails
		if got := said.text(m); got != "[…] "+strings.Repeat("x", maxSaid) {
			t.Errorf("%d bytes of it inside: %.60q of %d bytes", inside, got, len(got))
		}
	}
}
