//go:build !race

package result_test

// large is the size of the largest results of the tests.
const large = 200 << 20 // bytes
