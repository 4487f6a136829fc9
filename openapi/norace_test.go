//go:build !race

package openapi_test

// raced says that the race detector looks on.
const raced = false
