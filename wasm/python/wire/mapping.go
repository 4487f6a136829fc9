package wire

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// word is a number in the mapped header. Another process reads it at any time.
type word uint64

func (w *word) load() uint64   { return atomic.LoadUint64((*uint64)(w)) }
func (w *word) store(n uint64) { atomic.StoreUint64((*uint64)(w), n) }

// wordAt is the i-th word of a mapping, which starts at a page and is thus aligned.
func wordAt(memory []byte, i int) *word { return (*word)(unsafe.Pointer(&memory[8*i])) }

func mapShared(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

func unmap(memory []byte) error { return syscall.Munmap(memory) }

// unlinkedFile is a file of a folder for temporary files that has lost its name.
func unlinkedFile(size int64) (*os.File, error) {
	f, err := os.CreateTemp("", "toolgate-output-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name())
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		_ = f.Close() // the file is of no use
		return nil, err
	}
	return f, nil
}
