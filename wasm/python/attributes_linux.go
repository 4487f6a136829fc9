package python

import "syscall"

// attributes puts a process into a group of its own, and lets the kernel kill it when
// the thread that started it ends, which is when the gateway does: see starter.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
