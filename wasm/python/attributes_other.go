//go:build !linux

package python

import "syscall"

// attributes puts a process into a group of its own. It ends with the gateway because
// its pipe does.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
