package confine

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// user becomes a user that owns nothing, in its group alone. Only root can, and in a
// user namespace only where that user exists.
func user(t *taking) error {
	held, err := effective()
	if err != nil {
		return err
	}
	if held&(1<<unix.CAP_SETUID) == 0 || held&(1<<unix.CAP_SETGID) == 0 {
		return absentf("user %d is the gateway's own; only root can change it", unix.Getuid())
	}
	if err := dropBounding(held); err != nil { // while there is the capability to do it
		return err
	}
	// The syscall package changes all threads.
	for _, change := range []func() error{
		func() error { return syscall.Setgroups(nil) },
		func() error { return syscall.Setresgid(t.User, t.User, t.User) },
		func() error { return syscall.Setresuid(t.User, t.User, t.User) },
	} {
		if err := change(); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
			return absentf("to become user %d: %v", t.User, err)
		} else if err != nil {
			return err
		}
	}
	t.alone, t.detail = true, fmt.Sprintf("(%d)", t.User)
	return nil
}

// capabilities empties the sets of every thread, and looks.
func capabilities(*taking) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0)
	runtime.KeepAlive(&none)
	if errno != 0 {
		return errno
	}
	// The ambient set is never more than the permitted one.
	left, err := effective()
	if err == nil && left != 0 {
		err = fmt.Errorf("%#x are left", left)
	}
	return err
}

// effective is the set of capabilities of this thread, a bit each.
func effective() (uint64, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return 0, err
	}
	return uint64(sets[1].Effective)<<32 | uint64(sets[0].Effective), nil
}

// dropBounding empties the set that a program which is executed could gain from. It
// is a second bolt: nothing can be executed, nor gain by that.
func dropBounding(held uint64) error {
	if held&(1<<unix.CAP_SETPCAP) == 0 {
		return nil
	}
	for c := uintptr(0); ; c++ {
		if _, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err != nil {
			return nil // there are no more of them
		}
		if err := prctl(unix.PR_CAPBSET_DROP, c); err != nil {
			return err
		}
	}
}

// noNewPrivileges is what unprivileged filters require. What is executed gains none.
func noNewPrivileges(*taking) error { return prctl(unix.PR_SET_NO_NEW_PRIVS, 1) }

// prctl does it in every thread; those that are made later inherit it.
func prctl(option, value uintptr) error {
	if _, _, errno := psx.Syscall6(unix.SYS_PRCTL, option, value, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
