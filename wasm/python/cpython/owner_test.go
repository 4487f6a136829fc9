package cpython

import (
	"io/fs"
	"syscall"
)

// owned is a file that another user has.
type owned struct {
	fs.FileInfo
	uid uint32
}

func (o owned) Sys() any {
	stat := *o.FileInfo.Sys().(*syscall.Stat_t)
	stat.Uid = o.uid
	return &stat
}
