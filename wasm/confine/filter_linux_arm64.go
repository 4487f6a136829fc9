package confine

import "golang.org/x/sys/unix"

// machine is the calling convention that the filter is for: one system call by the
// numbers of another would be taken for what it is not.
const machine = unix.AUDIT_ARCH_AARCH64

// olderCalls are those that newer processors have no number for: all are newer here.
func olderCalls() []uint32 { return nil }
