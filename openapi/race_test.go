//go:build race

package openapi_test

// raced says that the race detector looks on, under which everything takes five to
// ten times as long.
const raced = true
