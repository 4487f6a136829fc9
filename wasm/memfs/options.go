package memfs

import "time"

// What a file system allows unless Options say otherwise.
const (
	// DefaultBytes is how much all files hold together, in bytes.
	DefaultBytes = 64 << 20
	// DefaultFiles is how many names there are: files, folders and links.
	DefaultFiles = 10_000
	// DefaultHandles is how many files and folders are open at a time.
	DefaultHandles = 1_000
	// DefaultName is the longest name of one file, in bytes (NAME_MAX of Linux).
	DefaultName = 255
	// DefaultPath is the longest path in one call, in bytes (PATH_MAX of Linux).
	DefaultPath = 4096
)

// maxLinks is how many symbolic links are followed for one path, as on Linux
// (path_resolution(7)); it is what ends a loop of them.
const maxLinks = 40

// Options are the limits of a file system and its clock. A limit that is 0 is the
// default of its name. What the host adds does not count: it is bounded by the host.
type Options struct {
	// Bytes is how much the files may hold together, in bytes, holes included. More is
	// ENOSPC. Memory in use stays below twice this and some hundred bytes a file.
	Bytes int64
	// FileBytes is how long one file may be, in bytes; by default it is Bytes. More is
	// EFBIG.
	FileBytes int64
	// Files is how many names of files, folders and links there may be. More is ENOSPC.
	Files int
	// Handles is how many files and folders may be open at a time, those that have no
	// name any more included. More is EMFILE.
	Handles int
	// Name is the longest name of one file, in bytes. Longer is ENAMETOOLONG.
	Name int
	// Path is the longest path in one call, and the longest target of a symbolic link,
	// in bytes. Longer is ENAMETOOLONG.
	Path int
	// Now is the clock of all times of files; nil is the time of day.
	Now func() time.Time
}

// whole returns the options with the defaults in place of what is not given.
func (o Options) whole() Options {
	o.Bytes = given(o.Bytes, DefaultBytes)
	o.FileBytes = given(o.FileBytes, o.Bytes)
	o.Files = given(o.Files, DefaultFiles)
	o.Handles = given(o.Handles, DefaultHandles)
	o.Name = given(o.Name, DefaultName)
	o.Path = given(o.Path, DefaultPath)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func given[N int | int64](value, otherwise N) N {
	if value == 0 {
		return otherwise
	}
	return value
}
