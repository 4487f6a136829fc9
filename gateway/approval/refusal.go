package approval

import "fmt"

// Kind says what is wrong with an answer.
type Kind string

// The kinds.
const (
	Unknown   Kind = "not_found" // there is no such approval
	Forbidden Kind = "forbidden" // whoever answers may not answer this one
	Over      Kind = "conflict"  // it does not wait for an answer any more
	Invalid   Kind = "invalid"   // the answer itself is wrong
)

// Refusal is an answer that was not taken. It is for whoever gave it.
type Refusal struct {
	Kind    Kind
	Message string // one sentence
	Hint    string // what to do; may be empty
}

// Error gives the sentence.
func (r *Refusal) Error() string { return r.Message }

// Refuse makes a Refusal.
func Refuse(k Kind, hint, format string, args ...any) *Refusal {
	return &Refusal{Kind: k, Message: fmt.Sprintf(format, args...), Hint: hint}
}
