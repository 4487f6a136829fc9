package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// readerTool is the tool by which models read kept results. Whoever may not call
// it is not given them here either.
const readerTool = "read_result"

// chunk is how much of a kept result is sent at a time, each within sendTimeout.
const chunk = 256 << 10

// Results are results that were too large to show, kept for the caller whose call
// gave them.
type Results interface {
	// Open opens what is kept under a handle of the caller; false where there is
	// nothing.
	Open(ctx context.Context, caller tool.Caller, handle string) (Kept, bool, error)
}

// Kept is a kept result, open for reading.
type Kept struct {
	Media   string    // media type, without parameters
	Text    bool      // it is UTF-8
	Size    int64     // bytes
	Expires time.Time // zero where that is not known
	Content interface {
		io.ReaderAt
		io.Closer
	}
}

// showResult answers with the bytes of a kept result, or of a part of it:
//
//	GET /v1/results/r_…?offset=0&limit=1000
//	Range: bytes=0-999
//
// It is a call of read_result, so policy decides about it and it is recorded.
func (a *api) showResult(w http.ResponseWriter, r *http.Request) {
	part, p := partOf(r)
	if p != nil {
		p.write(w)
		return
	}
	handle := r.PathValue("handle")
	kept, ok, err := a.results.Open(r.Context(), caller(r), handle)
	switch {
	case err != nil:
		a.failed(w, r, readerTool, err)
		return
	case !ok:
		p := &problem{
			status: http.StatusNotFound, Type: string(tool.NotFound), Message: "no result is kept under this handle: it is unknown or has expired",
			Hint: "Copy the handle exactly as the notice in the result writes it.",
		}
		p.write(w)
		return
	}
	defer func() { _ = kept.Content.Close() }() // it was only read
	if res := a.call(r, readCall(r, handle)); res.Error != nil {
		writeResult(w, res)
		return
	}
	part.send(w, r, &kept)
}

// readCall is the call that a request for a kept result is: of one character,
// since its answer is not what is sent.
func readCall(r *http.Request, handle string) tool.Call {
	args, err := json.Marshal(map[string]any{"handle": handle, "limit": 1})
	if err != nil { // no text fails to encode
		args = nil
	}
	return tool.Call{Tool: readerTool, Arguments: args, Caller: caller(r), Via: tool.ViaDirect}
}

// part is the part of a result that is asked for.
type part struct {
	asked bool
	from  int64 // negative: so many bytes at the end
	most  int64 // bytes
}

// partOf reads which part is asked for: by offset and limit, or by a header Range
// of one range. Other forms of that header ask for the whole (RFC 9110, section
// 14.2).
func partOf(r *http.Request) (part, *problem) {
	values, p := query(r, "offset", "limit")
	if p != nil {
		return part{}, p
	}
	if !values.Has("offset") && !values.Has("limit") {
		return rangeOf(r.Header.Get("Range")), nil
	}
	from, p := whole(values, "offset", 0, 0)
	if p != nil {
		return part{}, p
	}
	most, p := whole(values, "limit", 1, math.MaxInt64)
	return part{asked: true, from: from, most: most}, p
}

func whole(values url.Values, key string, least, otherwise int64) (int64, *problem) {
	if !values.Has(key) {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(values.Get(key), 10, 64)
	if err != nil || n < least {
		return 0, badQuery(fmt.Sprintf("%s is %q", key, shown(values.Get(key))), fmt.Sprintf("Give a number of bytes from %d, such as %s=1000.", least, key))
	}
	return n, nil
}

func rangeOf(header string) part {
	all := part{most: math.MaxInt64}
	spec, ok := strings.CutPrefix(header, "bytes=")
	first, last, two := strings.Cut(strings.TrimSpace(spec), "-")
	if !ok || !two {
		return all
	}
	from, errFrom := strconv.ParseUint(first, 10, 63)
	to, errTo := strconv.ParseUint(last, 10, 63)
	switch {
	case first == "" && errTo == nil && to > 0:
		return part{asked: true, from: -int64(to), most: math.MaxInt64}
	case errFrom == nil && last == "":
		return part{asked: true, from: int64(from), most: math.MaxInt64}
	case errFrom == nil && errTo == nil && from <= to:
		most := to - from // one less than what is asked for, which may be the most there is
		return part{asked: true, from: int64(from), most: int64(min(most, math.MaxInt64-1)) + 1}
	}
	return all
}

// send sends the part. A browser must not take what a stranger sent for a page of
// this site, so it is never shown in place.
func (p part) send(w http.ResponseWriter, r *http.Request, kept *Kept) {
	from := p.from
	if from < 0 {
		from = max(0, kept.Size+from)
	}
	h := w.Header()
	h.Set("Accept-Ranges", "bytes")
	if p.asked && from >= kept.Size && kept.Size > 0 {
		h.Set("Content-Range", fmt.Sprintf("bytes */%d", kept.Size))
		p := &problem{
			status: http.StatusRequestedRangeNotSatisfiable, Type: typeBadRequest, Message: fmt.Sprintf("there are %d bytes", kept.Size),
			Hint: "Ask for a part that starts before its end.",
		}
		p.write(w)
		return
	}
	from = min(from, kept.Size)
	length := min(p.most, kept.Size-from)
	h.Set("Content-Type", kept.Media)
	if kept.Text {
		h.Set("Content-Type", kept.Media+"; charset=utf-8")
	}
	if h.Get("Content-Disposition") == "" {
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-store")
	if !kept.Expires.IsZero() {
		h.Set("Expires", kept.Expires.UTC().Format(http.TimeFormat))
	}
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	status := http.StatusOK
	if p.asked && kept.Size > 0 {
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, kept.Size))
		status = http.StatusPartialContent
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		pour(w, io.NewSectionReader(kept.Content, from, length))
	}
}

// pour sends a body of any length. A client that stops reading is given up.
func pour(w http.ResponseWriter, from io.Reader) {
	control := http.NewResponseController(w)
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	for {
		_ = control.SetWriteDeadline(time.Now().Add(sendTimeout)) // not every writer has one
		if _, err := io.CopyN(w, from, chunk); err != nil {
			if !errors.Is(err, io.EOF) {
				panic(http.ErrAbortHandler) // the length was promised: end the connection, so that nobody takes the piece for the whole
			}
			return
		}
	}
}
