package confine

import "golang.org/x/sys/unix"

// machine is the calling convention that the filter is for: one system call by the
// numbers of another would be taken for what it is not.
const machine = unix.AUDIT_ARCH_X86_64

// olderCalls are those that newer processors have no number for.
func olderCalls() []uint32 { return []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_TIME} }
