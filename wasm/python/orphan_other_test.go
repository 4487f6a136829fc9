//go:build !linux

package python

import "os"

// endWith is what the real process does, too.
func endWith(fd int) {
	go func() {
		_, _ = os.NewFile(uintptr(fd), "lifeline").Read(make([]byte, 1))
		os.Exit(0)
	}()
}
