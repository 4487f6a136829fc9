package host

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

// TestVeil holds that no form of an attribute lets a secret through, and that what
// holds none stays what it was.
func TestVeil(t *testing.T) {
	t.Parallel()
	const hidden = "hunter22hunter22"
	var out lines
	veil := NewVeil(slog.NewJSONHandler(&out, nil))
	masker := secret.NewMasker(secret.NewValue(hidden))
	veil.Hide(masker)
	logger := slog.New(veil)
	logger.With("token", hidden).WithGroup("g").Info("it is "+hidden, "text", hidden, "err", errors.New("no "+hidden),
		slog.Group("h", "list", []string{hidden}), "n", 7, "plain", []int{1})
	got := out.String()
	if strings.Contains(got, hidden) || strings.Count(got, "[") < 5 {
		t.Error(got)
	}
	for _, want := range []string{`"n":7`, `"plain":[1]`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
