//go:build unix && !linux

package confine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// files is how many descriptors a process may have where they cannot be counted.
const files = 64

// limits are those that every Unix has.
func limits(t *taking) error {
	unix.Umask(0o777)
	for _, l := range []struct {
		of   int
		most uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, files}, {unix.RLIMIT_FSIZE, t.FileSize}} {
		if err := unix.Setrlimit(l.of, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return err
		}
	}
	t.detail = fmt.Sprintf("(files of %d bytes, %d descriptors, no core dumps)", t.FileSize, files)
	return nil
}
