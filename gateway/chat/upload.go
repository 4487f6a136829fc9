package chat

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// uploadTime is how long the parts of a file are kept, after the last one came,
	// that no chat was given.
	uploadTime = time.Hour
	// maxUploads is how many files of a caller are put at a time; others wait.
	maxUploads = 4
	// linkTries is how often a chat is made anew that was dropped while a file was put.
	linkTries = 3
)

// staged is a file whose content is in the store, and that no chat has yet.
type staged struct {
	SavedFile
	meets func(*File) bool
	fresh bool // nothing was at its path
}

// fileRules are the limits of files now.
func (d *Desk) fileRules() FilesConfig {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.limits.Files
}

// putFiles puts all of the files or none.
func (d *Desk) putFiles(ctx context.Context, key Key, ups []Upload) ([]staged, error) {
	if d.files == nil {
		return nil, tool.Errorf(tool.Internal, "this gateway keeps no files of chats")
	}
	rules := d.fileRules()
	if err := checkUploads(ups, rules.Most); err != nil {
		return nil, err
	}
	files, err := d.stage(ctx, ups, &rules)
	if err == nil {
		err = d.link(ctx, key, files, &rules)
	}
	if err != nil {
		d.giveUp(ctx, files)
		return nil, err
	}
	d.clearFiles(ctx) // what was replaced
	return files, nil
}

// checkUploads refuses what could go into no chat, before anything is read.
func checkUploads(ups []Upload, most int) error {
	if len(ups) > most {
		return tooManyFiles(most)
	}
	seen := map[string]bool{}
	for i := range ups {
		path := ups[i].Path
		if err := CheckFilePath(path); err != nil {
			return badPath(path, err)
		}
		if seen[path] {
			return tool.Errorf(tool.InvalidArgs, "the file %q is given twice", path)
		}
		seen[path] = true
	}
	return nil
}

// stage writes what is in the files to the store. With an error come those that have
// to be given up.
func (d *Desk) stage(ctx context.Context, ups []Upload, rules *FilesConfig) (files []staged, err error) {
	var sum int64
	for i := range ups {
		f := staged{meets: ups[i].Meets}
		f.Path, f.Content = ups[i].Path, rand.Text()
		files = append(files, f)
		if err := d.stageOne(ctx, &files[i], &ups[i], rules); err != nil {
			return files, err
		}
		if sum += files[i].Size; sum > int64(rules.Total) {
			return files, filesTooLarge(0, sum, rules.Total)
		}
	}
	return files, nil
}

func (d *Desk) stageOne(ctx context.Context, f *staged, up *Upload, rules *FilesConfig) error {
	media, err := said(up.Media)
	if err != nil {
		return tool.Errorf(tool.InvalidArgs, "%s", err).Because(ErrFileType).WithHint("Write it like text/csv, or leave it out.")
	}
	hash, body := sha256.New(), io.LimitReader(up.Body, int64(rules.Size)+1) // one more tells "too long" from "just fits"
	part := make([]byte, PartSize)
	for number := 0; ; number++ {
		n, err := io.ReadFull(body, part)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return unreceived(up.Path, err)
		}
		if number == 0 {
			if f.Media = media; media == "" {
				f.Media = told(f.Path, part[:n])
			}
			if !taken(rules.Types, f.Path, f.Media) {
				return notTaken(f.Path, f.Media, rules.Types)
			}
		}
		if f.Size += int64(n); f.Size > int64(rules.Size) {
			return tooLong(f.Path, rules.Size)
		}
		if n > 0 || number == 0 {
			hash.Write(part[:n])
			if err := d.files.AddPart(ctx, f.Content, number, part[:n], time.Now().Add(uploadTime)); err != nil {
				return unsaved(err)
			}
		}
		if last {
			f.Digest = hex.EncodeToString(hash.Sum(nil))
			return nil
		}
	}
}

// unreceived words that a file did not come whole.
func unreceived(path string, err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return tool.Errorf(tool.InvalidArgs, "the file %q could not be read to its end, and nothing was changed", path).Because(err)
}

// link gives the chat the files.
func (d *Desk) link(ctx context.Context, key Key, files []staged, rules *FilesConfig) error {
	outlived := d.outlived()
	var err error
	for range linkTries {
		if _, err = d.change(ctx, key, "", func(*Saved) error { return nil }); err != nil {
			return err
		}
		err = d.files.EditFiles(ctx, key, func(old []SavedFile) ([]SavedFile, []string, error) {
			var gone []string
			for i := range old {
				if outlived(old[i]) {
					gone = append(gone, old[i].Path)
				}
			}
			return linking(slices.DeleteFunc(slices.Clone(old), outlived), gone, files, rules)
		})
		if !errors.Is(err, ErrNoChat) {
			break
		}
	}
	if err != nil {
		return unsaved(err)
	}
	return nil
}

// linking is what becomes of the files of a chat, or why it may not. Gone are those
// that are not kept any longer.
func linking(old []SavedFile, gone []string, files []staged, rules *FilesConfig) (put []SavedFile, drop []string, err error) {
	now, at := time.Now().UTC(), map[string]int64{}
	var has, more int64
	for i := range old {
		at[old[i].Path] = old[i].Size
		has += old[i].Size
	}
	count := len(at)
	for i := range files {
		f := &files[i]
		if err := f.meet(old); err != nil {
			return nil, nil, err
		}
		more += f.Size - at[f.Path]
		at[f.Path] = f.Size
		f.Changed = now
		put = append(put, f.SavedFile)
	}
	switch {
	case len(at) > rules.Most && len(at) > count:
		return nil, nil, tooManyFiles(rules.Most)
	case has+more > int64(rules.Total) && more > 0:
		return nil, nil, filesTooLarge(has, more, rules.Total)
	}
	return put, gone, clash(at, files)
}

// meet notes what is at the path of a file that is put, and asks whether that is fine.
func (f *staged) meet(old []SavedFile) error {
	var now *File
	for i := range old {
		if old[i].Path == f.Path {
			now = &old[i].File
		}
	}
	f.fresh = now == nil
	if f.meets != nil && !f.meets(now) {
		return otherFile(f.Path)
	}
	return nil
}

// clash refuses a file that would be the folder of another one.
func clash(at map[string]int64, files []staged) error {
	for i := range files {
		path := files[i].Path
		for up := path; ; {
			cut := strings.LastIndexByte(up, '/')
			if cut < 0 {
				break
			}
			up = up[:cut]
			if _, ok := at[up]; ok {
				return inTheWay(path, up)
			}
		}
		for other := range at {
			if strings.HasPrefix(other, path+"/") {
				return inTheWay(path, other)
			}
		}
	}
	return nil
}

// giveUp takes what no chat has out of the store; what cannot be now goes later.
func (d *Desk) giveUp(ctx context.Context, files []staged) {
	if len(files) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer stop()
	contents := make([]string, 0, len(files))
	for i := range files {
		contents = append(contents, files[i].Content)
	}
	if d.files.GiveUp(ctx, contents) == nil {
		d.clearFiles(ctx)
	}
}

// clearFiles takes out of the store what no chat has any more, and files that are not
// kept any longer. What fails is tried again with the next sweep.
func (d *Desk) clearFiles(ctx context.Context) {
	if d.files == nil {
		return
	}
	for ctx.Err() == nil {
		switch again, err := d.files.ClearFiles(ctx, d.keptSince()); {
		case err != nil:
			d.logger.ErrorContext(ctx, "files of chats that are gone could not be cleared from the store", "problem", err.Error())
			return
		case !again:
			return
		}
	}
}

// seats are what each caller has a few of. The zero value works.
type seats struct {
	mu    sync.Mutex // guards taken
	taken map[string]*seat
}

type seat struct {
	free  chan struct{} // has something in it for each that is taken
	users int           // that have one or wait for one
}

// take waits for a seat of the caller; give ends it.
func (s *seats) take(ctx context.Context, caller string) (give func(), err error) {
	own := s.enter(caller)
	select {
	case own.free <- struct{}{}:
		return func() {
			<-own.free
			s.leave(caller, own)
		}, nil
	case <-ctx.Done():
		s.leave(caller, own)
		return nil, fmt.Errorf("others were still putting files: %w", context.Cause(ctx))
	}
}

func (s *seats) enter(caller string) *seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.taken[caller]
	if own == nil {
		if s.taken == nil {
			s.taken = map[string]*seat{}
		}
		own = &seat{free: make(chan struct{}, maxUploads)}
		s.taken[caller] = own
	}
	own.users++
	return own
}

func (s *seats) leave(caller string, own *seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.taken, caller)
	}
}
