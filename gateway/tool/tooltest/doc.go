// Package tooltest is the suite that every kind of runner passes: what
// [tool.Runner] promises, tried out on a runner with a backend that answers,
// one that never ends, one that never stops writing, one that is broken, and
// whatever else the kind can have.
package tooltest
