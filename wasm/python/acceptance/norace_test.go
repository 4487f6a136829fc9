//go:build !race

package acceptance_test

const raced = false
