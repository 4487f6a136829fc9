//go:build race

package discovery

// raced says that the race detector looks on, under which everything takes five to
// ten times as long.
const raced = true
