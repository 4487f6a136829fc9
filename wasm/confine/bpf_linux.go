//go:build amd64 || arm64

package confine

import "golang.org/x/sys/unix"

// Where the kernel puts what a filter looks at (struct seccomp_data of
// linux/seccomp.h), in bytes; the lower half of an argument comes first.
const (
	offsetOfCall      = 0
	offsetOfMachine   = 4
	offsetOfArguments = 16
	sizeOfArgument    = 8
)

const (
	allow  = unix.SECCOMP_RET_ALLOW
	refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	// unknown has the C library make threads by clone, whose flags can be seen.
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// program is a filter in the code of the kernel's machine for them. What is not
// allowed is refused with EPERM and not ended: a call that a later Go makes, and can
// do without, would be a crash otherwise, and one who has broken out gains nothing
// from going on. The other calling conventions of a processor are refused as a whole:
// x32 has the numbers of amd64 with a bit more, so that none of them is on the list.
func program(list []allowance) []unix.SockFilter {
	code := []unix.SockFilter{
		load(offsetOfMachine),
		unlessEqual(machine, 1),
		skip(1),
		give(refuse),
		load(offsetOfCall),
		unlessEqual(unix.SYS_CLONE3, 1),
		give(unknown),
	}
	for _, a := range list {
		code = append(code, a.code()...)
	}
	return append(code, give(refuse))
}

// code allows the call and goes on behind it, with the number of the call loaded,
// where it is another call or a condition does not hold.
func (a allowance) code() []unix.SockFilter {
	var body []unix.SockFilter
	for i := len(a.on) - 1; i >= 0; i-- {
		body = append(a.on[i].code(len(body)+1), body...)
	}
	body = append(body, give(allow))
	if len(a.on) > 0 {
		body = append(body, load(offsetOfCall))
	}
	return append([]unix.SockFilter{unlessEqual(a.call, len(body))}, body...)
}

// code goes on where the condition holds, and over so many instructions more where
// it does not.
func (c condition) code(over int) []unix.SockFilter {
	code := []unix.SockFilter{
		load(offsetOfArguments + c.argument*sizeOfArgument),
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.bits},
	}
	if c.not {
		return append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: c.value, Jt: uint8(over)})
	}
	return append(code, unlessEqual(c.value, over))
}

// load reads 32 bits of what the filter looks at.
func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// unlessEqual skips instructions where what was loaded is something else.
func unlessEqual(value uint32, over int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: uint8(over)}
}

func skip(over int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(over)}
}

// give ends the filter with what becomes of the call.
func give(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}
