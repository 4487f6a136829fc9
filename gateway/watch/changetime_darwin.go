package watch

import (
	"os"
	"syscall"
	"time"
)

// changeTime is when a file or its marks were changed last, which nobody can set.
func changeTime(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctimespec.Unix())
	}
	return time.Time{}
}
