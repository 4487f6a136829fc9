//go:build race

package store_test

// manyCallers have 1000 chats each.
const manyCallers = 5
