package tool

import "context"

// ActivationForm asks the user of the client that a call came from whether a group
// of tools may be active in the call's chat. The answer must come from the client's
// user interface and never from its model. It waits for the user as long as the
// context lasts; the error says why there is no answer, and then nothing is taken
// for granted.
type ActivationForm func(ctx context.Context, group, reason string) (accepted bool, err error)

// activationKey is the context key of an ActivationForm.
type activationKey struct{}

// WithActivationForm returns a context of calls whose client can show the form. A
// door adds it where its client has declared that it can.
func WithActivationForm(ctx context.Context, form ActivationForm) context.Context {
	return context.WithValue(ctx, activationKey{}, form)
}

// ActivationFormOf is the form of the call under the context; nil where its client
// has none.
func ActivationFormOf(ctx context.Context) ActivationForm {
	form, _ := ctx.Value(activationKey{}).(ActivationForm)
	return form
}
