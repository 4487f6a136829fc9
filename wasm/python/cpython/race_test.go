//go:build race

package cpython

// raced says that the race detector looks on, under which the engine takes minutes to
// compile an interpreter.
const raced = true
