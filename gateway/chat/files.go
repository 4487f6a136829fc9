package chat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Files gives the files of the caller's chat, by path; none where there is no such
// chat. An error is a [*tool.Error].
func (d *Desk) Files(ctx context.Context, key Key) ([]File, error) {
	saved, err := d.savedFiles(ctx, key)
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, len(saved))
	for i := range saved {
		files = append(files, saved[i].File)
	}
	return files, nil
}

func (d *Desk) savedFiles(ctx context.Context, key Key) ([]SavedFile, error) {
	if d.files == nil {
		return nil, nil
	}
	if d.find(key) == nil { // another process may have made it just now
		if err := d.follow(ctx); err != nil {
			return nil, unread(err)
		}
		if d.find(key) == nil {
			return nil, nil
		}
	}
	saved, err := d.files.FilesOf(ctx, key)
	if err != nil {
		return nil, unread(err)
	}
	return slices.DeleteFunc(saved, d.outlived()), nil
}

// outlived tells files that are not kept any longer, whatever their chat.
func (d *Desk) outlived() func(SavedFile) bool {
	before := d.keptSince()
	return func(f SavedFile) bool { return f.Changed.Before(before) }
}

// keptSince is when the oldest files were put that are kept; the zero time for all.
func (d *Desk) keptSince() time.Time {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.keepFiles <= 0 {
		return time.Time{}
	}
	return time.Now().Add(-d.keepFiles)
}

// KeepFiles changes how long a file is kept after it was put, in a chat that is kept
// itself; 0 is as long as the chat.
func (d *Desk) KeepFiles(age time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keepFiles = age
}

// OpenFile gives a file of the caller's chat and what is in it, which is read from the
// store as long as ctx lasts. An error is a [*tool.Error], with [ErrNoFile] as its
// cause where there is no such file.
func (d *Desk) OpenFile(ctx context.Context, key Key, path string) (File, *Content, error) {
	saved, err := d.savedFiles(ctx, key)
	if err != nil {
		return File{}, nil, err
	}
	for i := range saved {
		if f := &saved[i]; f.Path == path {
			return f.File, newContent(ctx, d.files, f), nil
		}
	}
	return File{}, nil, noFile()
}

// PutFile gives the caller's chat a file, in place of the one of that path, and says
// whether there was none. A chat that is not there yet begins with it. The file is
// in the store when PutFile returns; an error is a [*tool.Error], and then nothing has
// changed.
func (d *Desk) PutFile(ctx context.Context, key Key, up Upload) (file File, fresh bool, err error) {
	give, err := d.uploads.take(ctx, key.Caller)
	if err != nil {
		return File{}, false, unsaved(err)
	}
	defer give()
	done, err := d.putFiles(ctx, key, []Upload{up})
	if err != nil {
		return File{}, false, err
	}
	return done[0].File, done[0].fresh, nil
}

// DeleteFile takes a file out of the caller's chat. Meets is as in [Upload]; nil for
// whatever is there. An error is a [*tool.Error], with [ErrNoFile] as its cause where
// there is no such file, and then nothing has changed.
func (d *Desk) DeleteFile(ctx context.Context, key Key, path string, meets func(now *File) bool) error {
	if saved, err := d.savedFiles(ctx, key); err != nil || len(saved) == 0 {
		return cmp.Or(err, noFile())
	}
	outlived := d.outlived()
	err := d.files.EditFiles(ctx, key, func(files []SavedFile) ([]SavedFile, []string, error) {
		i := slices.IndexFunc(files, func(f SavedFile) bool { return f.Path == path })
		switch {
		case i < 0 || outlived(files[i]):
			return nil, nil, noFile()
		case meets != nil && !meets(&files[i].File):
			return nil, nil, otherFile(path)
		}
		return nil, []string{path}, nil
	})
	switch {
	case errors.Is(err, ErrNoChat):
		return noFile()
	case err != nil:
		return unsaved(err)
	}
	d.clearFiles(ctx)
	return nil
}

// ListFiles is [Desk.Files] for a call of the caller in the chat.
func (d *Desk) ListFiles(ctx context.Context, caller tool.Caller, chat string) ([]File, error) {
	return d.Files(ctx, Key{caller.ID, chat})
}

// ReadFile gives a file of the caller's chat, whole. An error is a [*tool.Error], with
// [ErrNoFile] as its cause where there is no such file.
func (d *Desk) ReadFile(ctx context.Context, caller tool.Caller, chat, path string) (File, []byte, error) {
	for again := false; ; again = true {
		file, content, err := d.OpenFile(ctx, Key{caller.ID, chat}, path)
		if err != nil {
			return File{}, nil, err
		}
		data := make([]byte, file.Size)
		switch _, err = content.ReadAt(data, 0); {
		case err == nil:
			return file, data, nil
		case again || !errors.Is(err, errNoPart): // else there may be another one in its place
			return File{}, nil, unread(err)
		}
	}
}

// SaveFiles gives the caller's chat these files, all or none of them, in place of
// those of their paths. A chat that is not there yet begins with them. An error is a
// [*tool.Error], and then nothing has changed.
func (d *Desk) SaveFiles(ctx context.Context, caller tool.Caller, chat string, files []NewFile) error {
	if len(files) == 0 {
		return nil
	}
	ups := make([]Upload, 0, len(files))
	for i := range files {
		f := &files[i]
		ups = append(ups, Upload{Path: f.Path, Media: f.Media, Body: bytes.NewReader(f.Data)})
	}
	_, err := d.putFiles(ctx, Key{caller.ID, chat}, ups)
	return err
}
