//go:build !linux

package cmdtool

import "syscall"

// descendants finds nothing: this system has no tree of processes to read
// without another program's help, so the group is all that is known.
func descendants([]int) []relative { return nil }

// signal is never called: there are no relatives.
func (relative) signal(syscall.Signal) {}
