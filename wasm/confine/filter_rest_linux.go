//go:build !amd64 && !arm64

package confine

import "runtime"

// filtered has no list of system calls for this processor.
func filtered(*taking) error {
	return absentf("there is no list of system calls for %s", runtime.GOARCH)
}
