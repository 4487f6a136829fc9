package cpython

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	lockName = "lock"
	lockWait = 100 * time.Millisecond // between two looks at a lock that another has
)

// makeFolder makes the folder of an installation, or checks that one is empty or
// holds an installation: what else is in it would be in the way, and could be lost.
func (i *installation) makeFolder() error {
	if err := os.MkdirAll(i.Into, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(i.Into)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != manifestName && name != lockName && !buildName.MatchString(name) {
			return fmt.Errorf("%s holds other files, such as %s: name a folder that is new or empty", i.Into, name)
		}
	}
	info, err := os.Stat(i.Into)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&othersWrite != 0 {
		return os.Chmod(i.Into, mode&^othersWrite)
	}
	return nil
}

// lock waits until no other installation into the folder is under way. The lock ends
// with the file that is returned, and so with the process.
func (i *installation) lock(ctx context.Context) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(i.Into, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			return nil, errors.Join(os.NewSyscallError("flock "+file.Name(), err), file.Close())
		}
		i.tell("waiting for another installation", int64(time.Since(began).Seconds()), 0)
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), file.Close())
		case <-time.After(lockWait):
		}
	}
}

// sweep removes what earlier installations have left: builds that were never finished,
// and those before the present one, of which a gateway may still start workers. With a
// runtime.json that cannot be read it is not known which that is. What cannot be
// removed is in nobody's way.
func (i *installation) sweep() {
	present := ""
	m, err := readManifest(i.Into)
	switch {
	case err == nil:
		present = m.Build
	case !errors.Is(err, fs.ErrNotExist):
		return
	}
	entries, err := os.ReadDir(i.Into)
	if err != nil {
		return
	}
	for _, e := range entries {
		if buildName.MatchString(e.Name()) && e.Name() != present {
			_ = os.RemoveAll(filepath.Join(i.Into, e.Name()))
		}
	}
}

// syncFolder waits until the names in a folder are on the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
