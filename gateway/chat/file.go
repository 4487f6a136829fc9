package chat

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// The limits of files where the configuration names none, and those of what it may
// name.
const (
	DefaultMostFiles = 100       // files of one chat
	DefaultFileSize  = 10 << 20  // bytes of one file
	DefaultFileTotal = 100 << 20 // bytes of all files of one chat
	MaxMostFiles     = 10_000
	MaxFileSize      = 100 << 20
	MaxFileTotal     = 10 << 30
)

// FilesConfig is "chats.files": what files a chat may have.
type FilesConfig struct {
	Most  int       `koanf:"most"`  // files; DefaultMostFiles when absent
	Size  tool.Size `koanf:"size"`  // of one; DefaultFileSize, and not more than Total, when absent
	Total tool.Size `koanf:"total"` // of all of a chat; DefaultFileTotal, and not less than Size, when absent
	Types []string  `koanf:"types"` // globs on the media type, or extensions; every file may be put when absent
}

// complete fills in what is absent.
func (c FilesConfig) complete() FilesConfig {
	c.Most = cmp.Or(c.Most, DefaultMostFiles)
	total := c.Total
	c.Total = cmp.Or(total, max(DefaultFileTotal, c.Size))
	c.Size = cmp.Or(c.Size, min(DefaultFileSize, c.Total))
	return c
}

// File is what is known of a file of a chat.
type File struct {
	Path    string    `json:"path"`       // see [CheckFilePath]
	Size    int64     `json:"size"`       // bytes
	Media   string    `json:"media_type"` // as whoever put it said, or as its name and first bytes tell; without parameters
	Digest  string    `json:"sha256"`     // of its bytes, in hexadecimal digits
	Changed time.Time `json:"changed_at"`
}

// NewFile is a file that a program puts, whole.
type NewFile struct {
	Path  string
	Media string // media type; told from name and bytes when empty
	Data  []byte
}

// Upload is a file that is put while it is read.
type Upload struct {
	Path  string
	Media string    // media type; told from name and bytes when empty
	Body  io.Reader // read to its end, but for what is over the limit
	// Meets reports whether the file may be put now that this one has its path, nil
	// for none. It is asked while nobody else changes the chat's files. Nil for
	// whatever is there.
	Meets func(now *File) bool
}

// What doors tell apart beside the code of a [*tool.Error]: these are among its causes.
var (
	ErrNoFile      = errors.New("no such file")
	ErrFileTooLong = errors.New("over the size of one file")
	ErrFileType    = errors.New("not one of the types that are taken")
	ErrFileChanged = errors.New("the file is not as the request says")
)

// noFile is the answer about a file that the caller's chat does not have, whether or
// not there is such a chat, or one of another caller.
func noFile() error {
	return tool.Errorf(tool.NotFound, "this chat has no such file").Because(ErrNoFile).WithHint("The list of its files has the paths as they are written.")
}

func badPath(path string, err error) error {
	return tool.Errorf(tool.InvalidArgs, "the path %.120q %s", path, err).WithHint("Write it like data/a.csv: relative, with slashes, without . and .. in it.")
}

func tooLong(path string, size tool.Size) error {
	return tool.Errorf(tool.InvalidArgs, "the file %q has more than %s, which is the most of one file", path, inBytes(int64(size))).
		Because(ErrFileTooLong).WithHint("Put less, or in several files; chats.files.size says how large one may be.")
}

func notTaken(path, media string, types []string) error {
	return tool.Errorf(tool.InvalidArgs, "the file %q is %s, and such files are not taken", path, media).
		Because(ErrFileType).WithHint("Taken are: %s.", strings.Join(types, ", "))
}

func otherFile(path string) error {
	return tool.Errorf(tool.InvalidArgs, "the file %q is not, or not any more, what was expected to be there", path).
		Because(ErrFileChanged).WithHint("Look at what is there now, and decide again.")
}

func tooManyFiles(most int) error {
	return tool.Errorf(tool.Denied, "the chat may have %d files, and this would be more", most).
		WithHint("Delete some, or put several into one; chats.files.most says how many there may be.")
}

func filesTooLarge(has, more int64, total tool.Size) error {
	return tool.Errorf(tool.Denied, "the files of the chat may have %s together: with %s that are there, %s more do not fit", inBytes(int64(total)), inBytes(has), inBytes(more)).
		WithHint("Delete some; chats.files.total says how much there may be.")
}

func inTheWay(path, other string) error {
	file, folder := other, path
	if len(path) > len(other) {
		file, folder = path, other
	}
	return tool.Errorf(tool.InvalidArgs, "%q would be a file, and the folder of %q too", folder, file).WithHint("Give it another name.")
}

// inBytes writes a number of bytes for people.
func inBytes(n int64) string {
	switch {
	case n >= 10<<20 || n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// unread words that files could not be read from the store.
func unread(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	e := tool.Errorf(tool.Internal, "the files of the chat could not be read from the store").
		Because(fmt.Errorf("chats: %w", err)).WithHint("Try again; if it fails again, tell the operator.")
	e.Retryable = true
	return e
}
