package wire

import (
	"os"

	"golang.org/x/sys/unix"
)

// areaFile is a file in memory whose size is fixed: a process that has it can neither
// cut it off nor fill the machine with it. Where the system has no such files it is
// a temporary file.
func areaFile(size int64) (*os.File, error) {
	fd, err := unix.MemfdCreate("toolgate-output", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return unlinkedFile(size)
	}
	f := os.NewFile(uintptr(fd), "output area")
	err = f.Truncate(size)
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err != nil {
		_ = f.Close() // the file is of no use
		return nil, err
	}
	return f, nil
}
