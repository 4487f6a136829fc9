//go:build !race

package discovery

// raced says that the race detector looks on.
const raced = false
