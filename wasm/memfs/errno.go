package memfs

import "github.com/tetratelabs/wazero/experimental/sys"

// Errors of Linux that wazero has no Errno for. To a guest it passes every Errno that
// it does not know as EIO; FS.Telling has the right one told.
const (
	// ENOSPC is that the limit of bytes or of files is reached.
	ENOSPC sys.Errno = 0x4d00 + iota
	// EFBIG is that a file would be longer than one may be.
	EFBIG
	// EMFILE is that as many files are open as may be.
	EMFILE
	// EBUSY is that the root cannot be renamed or removed.
	EBUSY
)

// Text says what one of this package's errors is, in the words of Linux's strerror; it
// is wazero's text for any other.
func Text(e sys.Errno) string {
	switch e {
	case ENOSPC:
		return "no space left on device"
	case EFBIG:
		return "file too large"
	case EMFILE:
		return "too many open files"
	case EBUSY:
		return "device or resource busy"
	}
	return e.Error()
}

// WASI is the error's number in WASI preview 1 (`errno` of snapshot 01), for the errors
// that this package has of its own; 0 for any other.
func WASI(e sys.Errno) uint32 {
	switch e {
	case ENOSPC:
		return 51
	case EFBIG:
		return 22
	case EMFILE:
		return 33
	case EBUSY:
		return 10
	}
	return 0
}

// refuse notes an error that a guest is not told in full, and passes it on.
func (f *FS) refuse(e sys.Errno) sys.Errno {
	if e >= ENOSPC {
		f.refused = e
	}
	return e
}

// Refused returns the last of this package's own errors (ENOSPC, EFBIG, EMFILE, EBUSY)
// that a guest was answered, and forgets it; 0 when there was none since the last call
// or the last Reset.
func (f *FS) Refused() sys.Errno {
	e := f.refused
	f.refused = 0
	return e
}
