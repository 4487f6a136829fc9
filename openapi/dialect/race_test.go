//go:build race

package dialect

// raced says that the race detector is on, which makes everything slower.
const raced = true
