package tool

import "context"

// Step is how far a call has come.
type Step struct {
	Done    float64 // of Total, or of an unknown total; never less than before
	Total   float64 // 0 when unknown
	Message string  // what is being done, for a person; may be empty
}

// progressKey is the context key of whoever listens for steps.
type progressKey struct{}

// WithProgress returns a context whose calls of [Progress] go to listen, which
// is called by whatever runs the call, one step at a time, and must not wait.
func WithProgress(ctx context.Context, listen func(Step)) context.Context {
	return context.WithValue(ctx, progressKey{}, listen)
}

// WantsProgress reports whether somebody listens to calls of [Progress] with the
// context.
func WantsProgress(ctx context.Context) bool {
	_, ok := ctx.Value(progressKey{}).(func(Step))
	return ok
}

// Progress reports a step of the call that runs under the context. Where nobody
// listens it does nothing.
func Progress(ctx context.Context, step Step) {
	if listen, ok := ctx.Value(progressKey{}).(func(Step)); ok {
		listen(step)
	}
}
