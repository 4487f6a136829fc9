//go:build !race

package assembly_test

// mostRead is the largest answer that is read whole.
const mostRead = 200_000_000
