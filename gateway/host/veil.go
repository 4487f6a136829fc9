package host

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/toolgate/toolgate/gateway/secret"
)

// Veil is a log of which known secrets are taken out, for a program that gives its own
// logger: [Veil.Hide] says which.
type Veil struct {
	inner   slog.Handler
	maskers *atomic.Pointer[[]*secret.Masker] // with what was derived
}

// NewVeil puts a veil before a handler.
func NewVeil(inner slog.Handler) *Veil { return &Veil{inner, new(atomic.Pointer[[]*secret.Masker])} }

// Hide takes the secrets that the maskers know, and no others, out of the lines to come.
func (v *Veil) Hide(maskers ...*secret.Masker) { v.maskers.Store(&maskers) }

// Enabled reports whether lines of the level are written.
func (v *Veil) Enabled(ctx context.Context, level slog.Level) bool {
	return v.inner.Enabled(ctx, level)
}

// Handle writes one line.
func (v *Veil) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, v.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(v.attr(a))
		return true
	})
	return v.inner.Handle(ctx, out)
}

// WithAttrs gives a handler that adds the attributes to every line.
func (v *Veil) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Veil{v.inner.WithAttrs(v.attrs(attrs)), v.maskers}
}

// WithGroup gives a handler that puts what follows into a group.
func (v *Veil) WithGroup(name string) slog.Handler {
	return &Veil{v.inner.WithGroup(name), v.maskers}
}

func (v *Veil) text(s string) string {
	if maskers := v.maskers.Load(); maskers != nil {
		for _, m := range *maskers {
			s = m.Text(s)
		}
	}
	return s
}

func (v *Veil) attrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = v.attr(a)
	}
	return out
}

// attr is an attribute that becomes a text where a secret is in it, whatever it was.
func (v *Veil) attr(a slog.Attr) slog.Attr {
	a.Value = a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindGroup:
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(v.attrs(a.Value.Group())...)}
	case slog.KindString, slog.KindAny:
		text := fmt.Sprint(a.Value.Any())
		if shown := v.text(text); shown != text {
			a.Value = slog.StringValue(shown)
		}
	}
	return a
}
