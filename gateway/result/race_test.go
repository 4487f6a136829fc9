//go:build race

package result_test

// large is smaller under the race detector, which looks at every byte on its
// way.
const large = 64 << 20 // bytes
