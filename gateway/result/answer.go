package result

import (
	"io"
	"math"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/tool"
)

// answer reads what the request asks for, until ended says not to.
func (q *request) answer(meta Meta, blob io.ReaderAt, ended func() error) (tool.Output, error) {
	if !meta.Text {
		return q.bytes(section{ReaderAt: blob, size: meta.Size}, meta.Media)
	}
	if q.pattern != nil {
		return q.search(meta, blob, ended)
	}
	s, err := q.section(meta, blob, ended)
	if err != nil {
		return tool.Output{}, err
	}
	if err := q.within(s); err != nil {
		return tool.Output{}, err
	}
	p, err := s.text(q.offset, q.limit, q.most)
	return pair(s.header(p, ""), p.text), err
}

func (q *request) bytes(s section, media string) (tool.Output, error) {
	if q.pattern != nil || len(q.path) > 0 {
		return tool.Output{}, tool.Errorf(tool.InvalidArgs, "this result is %s and not text, so it has neither lines nor paths", media).
			WithHint(`Read it with "offset" and "limit" only; it is answered as base64.`)
	}
	if err := q.within(s); err != nil {
		return tool.Output{}, err
	}
	p, err := s.bytes(q.offset, q.limit, q.most)
	return pair(s.header(p, media), p.text), err
}

// section is the part of a text to read a page of.
func (q *request) section(meta Meta, blob io.ReaderAt, ended func() error) (section, error) {
	if len(q.path) == 0 {
		return section{ReaderAt: blob, size: meta.Size}, nil
	}
	if !hasMany(q.path) {
		start, end, err := locate(blob, q.path, ended)
		return section{ReaderAt: io.NewSectionReader(blob, start, end-start), size: end - start}, err
	}
	// A page may start up to three bytes before its offset.
	w := &window{from: max(0, q.offset-utf8.UTFMax+1)}
	w.most = min(q.limit, math.MaxInt/8)*utf8.UTFMax + 2*utf8.UTFMax
	missed, err := collect(blob, q.path, w, ended)
	return section{ReaderAt: w, size: w.size, missed: missed}, err
}

// within checks that the offset lies in the section.
func (q *request) within(s section) error {
	if q.offset <= s.size {
		return nil
	}
	return tool.Errorf(tool.InvalidArgs, "offset %d lies behind the end: there are %d bytes", q.offset, s.size).
		WithHint("Offsets count from 0, and with a path within what it selects.")
}

// search lists the lines of a section that match.
func (q *request) search(meta Meta, blob io.ReaderAt, ended func() error) (tool.Output, error) {
	s := newSearch(q.pattern, q.offset, q.context, q.limit, ended)
	size, missed, err := q.pour(meta, blob, s, ended)
	if err != nil {
		return tool.Output{}, err
	}
	if err := s.finish(); err != nil {
		return tool.Output{}, err
	}
	out := tool.TextOutput(s.header(size, missed))
	if s.show.shown == 0 {
		out.Noop = true
		return out, nil
	}
	return pair(s.header(size, missed), s.show.text()), nil
}

// pour writes the whole section to w.
func (q *request) pour(meta Meta, blob io.ReaderAt, w io.Writer, ended func() error) (size, missed int64, err error) {
	if hasMany(q.path) {
		count := &window{}
		missed, err = collect(blob, q.path, io.MultiWriter(count, w), ended)
		return count.size, missed, err
	}
	s, err := q.section(meta, blob, ended)
	if err != nil {
		return 0, 0, err
	}
	return s.size, 0, s.copyTo(w, ended)
}

// pair is an answer of a header and what it is about.
func pair(header, text string) tool.Output {
	return tool.Output{Content: []tool.Content{{Type: tool.ContentText, Text: header}, {Type: tool.ContentText, Text: text}}}
}
