package approval

import (
	"context"
	"errors"
)

// ErrLater is what a form says that has put its question: the answer comes with
// the same call, made again.
var ErrLater = errors.New("the answer comes with another request")

// Question is what the user of the calling program is asked.
type Question struct {
	ID        string // of the approval
	Tool      string // what is to be called
	Summary   string // one line that says what is asked
	Reason    string // why a person is asked; may be empty
	Said      string // why the model says it makes the call; may be empty
	Arguments []byte // as they are to run: a JSON object without secrets
	Binding   Binding
}

// Form is the way in which the program that calls asks its user.
type Form interface {
	// Ask gives what the user said, ErrLater, or why there is no answer.
	Ask(ctx context.Context, q *Question) (approve bool, err error)
}

// Answered is a form that may have the answer before anything was asked: the call
// was made again with it.
type Answered interface {
	// Answer gives what the user said to the question, and false where that is not
	// known or is no answer.
	Answer(q *Question) (approve, ok bool)
}

// formKey is the context key of a form.
type formKey struct{}

// WithForm returns a context of a call whose client can ask its user.
func WithForm(ctx context.Context, f Form) context.Context {
	return context.WithValue(ctx, formKey{}, f)
}

// FormOf is the form of the client that made the call of the context, or nil.
func FormOf(ctx context.Context) Form {
	f, _ := ctx.Value(formKey{}).(Form)
	return f
}

// missedKey is the context key of who wants to know that there is no form.
type missedKey struct{}

// WithoutForm returns a context of a call whose client cannot ask its user. Missed
// is called where nobody else may be asked either; it may be called more than once
// and at the same time.
func WithoutForm(ctx context.Context, missed func()) context.Context {
	return context.WithValue(ctx, missedKey{}, missed)
}

// Missed says that the call needs a form that its client does not have.
func Missed(ctx context.Context) {
	if f, ok := ctx.Value(missedKey{}).(func()); ok {
		f()
	}
}
