package cmdtool

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolgate/toolgate/gateway/diag"
)

// maxStatus is the highest exit status of a process (POSIX.1-2024, wait: the
// low eight bits of what it gave to exit).
const maxStatus = 255

// exit reads the statuses that are no failure.
func (c *compiler) exit(at diag.Cursor, texts map[string]string) map[int]string {
	statuses := make(map[int]string, len(texts))
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		status, err := strconv.Atoi(key)
		if err != nil || status < 0 || status > maxStatus || strconv.Itoa(status) != key {
			c.wrong(at.Key(key), "write a whole number from 0 to 255, such as 1", "%q is no exit status", key)
			continue
		}
		statuses[status] = texts[key]
	}
	return statuses
}
