//go:build race

package acceptance_test

// raced says that the race detector looks on: the gateway's side is then many times slower,
// and what takes ten thousand calls is done with fewer.
const raced = true
