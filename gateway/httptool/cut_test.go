package httptool

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestNoPieceOfSecretAtCut: wherever the start of a failed answer that is looked
// at ends in a secret, an expression that shows only the end of it shows no
// piece of that.
func TestNoPieceOfSecretAtCut(t *testing.T) {
	const key = "hunter22-and-more"
	client, masker := newClient(t, loopback), secret.NewMasker(secret.NewValue(key))
	for inside := range len(key) + 1 {
		body := strings.Repeat("x", maxExplained+masker.Reach()-inside) + key + strings.Repeat("y", 1<<10)
		deps := testDeps(client)
		deps.Masker = masker
		cfg := Config{URL: serve(t, answers(404, "text/plain", body)).URL, Error: `"~" + replace(body, "xx", "")`}
		_, err := compile(t, cfg, deps).Run(t.Context(), input(t, `{"id": "7"}`))
		if said := tool.AsError(err).Message; said != "~" {
			t.Errorf("%d bytes of it inside: %s", inside, said)
		}
	}
	for _, inside := range []int{0, 4, 10, len(key)} { // of an answer without an expression
		body := strings.Repeat("x", maxFailure+masker.Reach()-inside) + key + strings.Repeat("y", 1<<10)
		a := &answer{body: []byte(body)}
		if said := a.excerpt(masker); strings.ContainsAny(said, "hn2y") {
			t.Errorf("%d bytes of it in the excerpt: %s", inside, said)
		}
	}
}
