// Package policy decides whether a call may run: the first rule that matches
// allows it, denies it or asks a person; where none matches, the default does.
// It says which rule decided and why. A tool that is built in is allowed unless a
// rule that names it decides.
//
// A rule matches when all of its matchers hold and its condition, if it has
// one, is true. A condition that fails to evaluate denies: a rule nobody can
// read must never open a door.
package policy
