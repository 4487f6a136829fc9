package chat

import (
	"context"
	"errors"
	"time"
)

// PartSize is how many bytes of a file are kept together; the last part has less. It
// is part of the format of stores.
const PartSize = 256 << 10

// ErrNoChat is the error of a store that has no chat of a name.
var ErrNoChat = errors.New("there is no such chat")

// errNoPart is what a store says of content that is gone.
var errNoPart = errors.New("the file was changed or deleted while it was read")

// SavedFile is a file as a store keeps it: what it is, and under which name the store
// has what is in it.
type SavedFile struct {
	File
	Content string
}

// FileStore keeps files of chats, for several processes at a time. What is in a file
// comes first, by parts, so that nobody waits long for the store; then the chat is
// given it. Files are gone with their chat, and those that are older than the chat
// belong to an earlier one of its name: there are none of them. A method that
// returns an error has changed nothing, or all of what it was asked for.
type FileStore interface {
	// FilesOf gives the files of a chat, by path.
	FilesOf(ctx context.Context, key Key) ([]SavedFile, error)
	// EditFiles puts and drops what edit says of the files of a chat, by path. Nobody
	// else changes them meanwhile. Where edit fails nothing is written, and its error is
	// part of the one returned. It is ErrNoChat where there is no such chat.
	EditFiles(ctx context.Context, key Key, edit func(files []SavedFile) (put []SavedFile, drop []string, err error)) error
	// AddPart keeps the part of that number of a content, the first of which makes it.
	// It is given up at a time unless a file has it by then.
	AddPart(ctx context.Context, content string, number int, data []byte, until time.Time) error
	// ReadPart gives a part; nil where there is none.
	ReadPart(ctx context.Context, content string, number int) ([]byte, error)
	// GiveUp gives contents up at once that no file has.
	GiveUp(ctx context.Context, contents []string) error
	// ClearFiles takes out files that were put before a time, of all chats, and what was
	// given up; so much at a time that nobody waits long. Again says that there is more.
	ClearFiles(ctx context.Context, before time.Time) (again bool, err error)
}
