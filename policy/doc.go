// Package policy decides whether a call may run: the first rule that matches
// allows it, denies it or asks a person. It says which rule decided and why.
package policy
