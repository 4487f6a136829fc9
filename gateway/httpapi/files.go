package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

// ChatFiles keeps files of chats. An error is a [*tool.Error].
type ChatFiles interface {
	// Files gives the files of a chat, by path; none where there is no such chat.
	Files(ctx context.Context, key chat.Key) ([]chat.File, error)
	// OpenFile gives a file and what is in it.
	OpenFile(ctx context.Context, key chat.Key, path string) (chat.File, *chat.Content, error)
	// PutFile gives a chat a file, and says whether it had none of that path.
	PutFile(ctx context.Context, key chat.Key, up chat.Upload) (file chat.File, fresh bool, err error)
	// DeleteFile takes a file out of a chat, if it meets what is asked.
	DeleteFile(ctx context.Context, key chat.Key, path string, meets func(*chat.File) bool) error
}

// partTimeout is how long a client may take to send [chat.PartSize] bytes of a file,
// or what is left of it.
const partTimeout = 30 * time.Second

func (a *api) listFiles(w http.ResponseWriter, r *http.Request) {
	key, p := chatKey(r)
	if p != nil {
		p.write(w)
		return
	}
	files, err := a.files.Files(r.Context(), key)
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	noStore(w)
	writeJSON(w, http.StatusOK, map[string]any{"files": append([]chat.File{}, files...)})
}

// fileKey says which file of which chat a request is about.
func fileKey(r *http.Request, right tool.Right) (key chat.Key, path string, p *problem) {
	if key, p = chatKey(r); p != nil {
		return key, "", p
	}
	if path = r.PathValue("path"); right != "" {
		p = lacks(r, right)
	}
	if err := chat.CheckFilePath(path); err != nil && p == nil {
		p = badQuery(fmt.Sprintf("the path %q %s", shown(path), err), "Write it like data/a.csv, each segment percent-encoded.")
	}
	return key, path, p
}

func (a *api) showFile(w http.ResponseWriter, r *http.Request) {
	key, path, p := fileKey(r, "")
	if p != nil {
		p.write(w)
		return
	}
	file, content, err := a.files.OpenFile(r.Context(), key, path)
	if err != nil {
		a.fileError(w, r, err)
		return
	}
	w.Header().Set("ETag", tagOf(&file))
	if names(r.Header.Values("If-None-Match"), &file) {
		noStore(w)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if match := r.Header.Values("If-Match"); len(match) > 0 && !names(match, &file) {
		a.fileError(w, r, tool.Errorf(tool.InvalidArgs, "the file is another one by now").Because(chat.ErrFileChanged))
		return
	}
	whole := part{most: file.Size} // of another file than the client has a part of
	if either := r.Header.Get("If-Range"); either == "" || either == tagOf(&file) {
		whole = rangeOf(r.Header.Get("Range"))
	}
	w.Header().Set("Last-Modified", file.Changed.UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Disposition", disposition(file.Path))
	whole.send(w, r, &Kept{Media: harmless(file.Media), Size: file.Size, Content: content})
}

// harmless is the media type that a file is sent as: none that a browser would take
// for a page, whatever else it is told.
func harmless(media string) string {
	switch {
	case media == "text/html", strings.HasSuffix(media, "+xml"), strings.HasSuffix(media, "/xml"), strings.HasSuffix(media, "javascript"), strings.HasPrefix(media, "multipart/"):
		return "text/plain; charset=utf-8"
	}
	return media
}

// disposition has a browser save a file under the last segment of its path (RFC 6266).
func disposition(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return "attachment; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
}

// tagOf is the ETag of a file.
func tagOf(f *chat.File) string { return `"` + f.Digest + `"` }

// names reports whether a header If-Match or If-None-Match names the file, which may be
// nil.
func names(header []string, f *chat.File) bool { return f != nil && matches(header, tagOf(f)) }

// meeting is what the headers of a request ask of the file that is there.
func meeting(r *http.Request) func(*chat.File) bool {
	match, none := r.Header.Values("If-Match"), r.Header.Values("If-None-Match")
	if len(match)+len(none) == 0 {
		return nil
	}
	return func(now *chat.File) bool { return (len(match) == 0 || names(match, now)) && !names(none, now) }
}

// putFile takes the bytes of a file as they are.
func (a *api) putFile(w http.ResponseWriter, r *http.Request) {
	key, path, p := fileKey(r, tool.MayCall)
	if p == nil {
		p = wholeBody(r)
	}
	if p != nil {
		p.write(w)
		return
	}
	body := &patient{from: r.Body, control: http.NewResponseController(w)}
	file, fresh, err := a.files.PutFile(r.Context(), key, chat.Upload{Path: path, Media: r.Header.Get("Content-Type"), Body: body, Meets: meeting(r)})
	if err != nil {
		a.fileError(w, r, err)
		return
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
		w.Header().Set("Location", r.URL.RequestURI())
	}
	noStore(w)
	w.Header().Set("ETag", tagOf(&file))
	writeJSON(w, status, file)
}

// wholeBody refuses a body that is not the bytes of the file.
func wholeBody(r *http.Request) *problem {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return &problem{
			status: http.StatusUnsupportedMediaType, Type: typeUnsupported, Message: fmt.Sprintf("the content encoding %q is not supported", shown(coding)),
			Hint: "Send the bytes of the file as they are.",
		}
	}
	if r.Header.Get("Content-Range") != "" {
		return &problem{
			status: http.StatusBadRequest, Type: typeBadRequest, Message: "a part of a file cannot be put",
			Hint: "Send the whole file, without Content-Range.",
		}
	}
	return nil
}

// patient gives each part of a body its time, so that a large one may take longer.
type patient struct {
	from    io.Reader
	control *http.ResponseController
	left    int // bytes until more time is given
}

// Read reads from the body.
func (p *patient) Read(b []byte) (int, error) {
	if p.left <= 0 {
		p.left = chat.PartSize
		_ = p.control.SetReadDeadline(time.Now().Add(partTimeout)) // not every connection has one
	}
	n, err := p.from.Read(b)
	p.left -= n
	return n, err
}

func (a *api) deleteFile(w http.ResponseWriter, r *http.Request) {
	key, path, p := fileKey(r, tool.MayCall)
	if p != nil {
		p.write(w)
		return
	}
	if err := a.files.DeleteFile(r.Context(), key, path, meeting(r)); err != nil {
		a.fileError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"path": path, "status": "deleted"})
}

// fileError answers with what went wrong about a file.
func (a *api) fileError(w http.ResponseWriter, r *http.Request, err error) {
	e := tool.AsError(err)
	a.logFault(r, e)
	p := problemOf(e)
	for _, known := range []struct {
		cause  error
		status int
		kind   string
	}{
		{chat.ErrFileTooLong, http.StatusRequestEntityTooLarge, typeBadRequest},
		{chat.ErrFileType, http.StatusUnsupportedMediaType, typeUnsupported},
		{chat.ErrFileChanged, http.StatusPreconditionFailed, typePrecondition},
	} {
		if errors.Is(err, known.cause) {
			p.status, p.Type = known.status, known.kind
		}
	}
	p.write(w)
}

// withFiles adds the files to what is shown of a chat.
func (a *api) withFiles(ctx context.Context, key chat.Key, c chat.Chat) (chat.Chat, error) {
	if a.files == nil {
		return c, nil
	}
	files, err := a.files.Files(ctx, key)
	c.Files = slices.Clone(files)
	return c, err
}
