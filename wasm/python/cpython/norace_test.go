//go:build !race

package cpython

const raced = false
