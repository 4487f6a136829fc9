//go:build race

package assembly_test

// mostRead is less under the race detector, where the same takes ten times as
// long.
const mostRead = 20_000_000
