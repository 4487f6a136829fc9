package result

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// section is the part of a result that is read: all of it, or what a path leads
// to.
type section struct {
	io.ReaderAt
	size   int64
	missed int64 // values that the path does not lead to
}

// page is one piece of a section.
type page struct {
	text       string // characters, or base64
	start, end int64  // what it shows of the section, in bytes
}

// read fills buf from an offset on; short only at the end of the section.
func (s section) read(buf []byte, off int64) ([]byte, error) {
	buf = buf[:min(int64(len(buf)), s.size-off)]
	n, err := s.ReadAt(buf, off)
	if errors.Is(err, io.EOF) && n == len(buf) {
		err = nil
	}
	return buf[:n], err
}

// text reads at most limit characters of text in about most bytes. An offset
// inside a character is moved back to its start.
func (s section) text(off int64, limit, most int) (page, error) {
	off, err := s.startOfRune(off)
	if err != nil {
		return page{}, err
	}
	var data []byte
	runes, whole := 0, 0 // characters, and the bytes they have
	// Most texts have about a byte a character: what is missing for the others
	// is read after it, and less of it each time.
	for runes < limit && whole < most && off+int64(whole) < s.size {
		have := len(data)
		data = append(data, make([]byte, max(limit-runes, utf8.UTFMax))...)
		got, err := s.read(data[have:], off+int64(have))
		if err != nil {
			return page{}, err
		}
		data = data[:have+len(got)]
		n, size := fullRunes(data[whole:], limit-runes, most-whole, off+int64(len(data)) == s.size)
		if size == 0 {
			break
		}
		runes, whole = runes+n, whole+size
	}
	return page{text: string(data[:whole]), start: off, end: off + int64(whole)}, nil
}

// startOfRune is the offset of the character that has a byte at the offset.
func (s section) startOfRune(off int64) (int64, error) {
	if off == 0 || off == s.size {
		return off, nil
	}
	from := max(0, off-utf8.UTFMax+1)
	near, err := s.read(make([]byte, off-from+1), from)
	if err != nil {
		return 0, err
	}
	for i := len(near) - 1; i >= 0; i-- {
		if utf8.RuneStart(near[i]) {
			return from + int64(i), nil
		}
	}
	return off, nil // not text: there is no better place
}

// fullRunes counts the characters at the start of data, at most limit of them
// in at most most bytes, without one that may go on behind data.
func fullRunes(data []byte, limit, most int, last bool) (runes, size int) {
	for runes < limit && size < len(data) {
		n := 1
		if data[size] >= utf8.RuneSelf {
			if !last && !utf8.FullRune(data[size:]) {
				break
			}
			_, n = utf8.DecodeRune(data[size:])
		}
		if size > 0 && size+n > most {
			break
		}
		size += n
		runes++
	}
	return runes, size
}

// bytes reads a range as base64 of at most limit characters. All ranges but the
// last have a multiple of three bytes, so that their base64 can be joined.
func (s section) bytes(off int64, limit, most int) (page, error) {
	n := max(min(limit/4, most/3), 1) * 3
	data, err := s.read(make([]byte, min(int64(n), s.size-off)), off)
	if err != nil {
		return page{}, err
	}
	return page{text: base64.StdEncoding.EncodeToString(data), start: off, end: off + int64(len(data))}, nil
}

// copyTo pours the section into a writer; ended may stop it.
func (s section) copyTo(w io.Writer, ended func() error) error {
	buf := make([]byte, scanBuffer)
	for off := int64(0); off < s.size; {
		if err := ended(); err != nil {
			return err
		}
		data, err := s.read(buf, off)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		off += int64(len(data))
	}
	return nil
}

// header says which part of the section a page shows and how to go on.
func (s section) header(p page, media string) string {
	where := fmt.Sprintf("[bytes %d–%d of %d", p.start, p.end, s.size)
	if media != "" {
		where += " of " + media + ", as base64"
	}
	if s.missed > 0 {
		where += fmt.Sprintf("; %d values without this path are left out", s.missed)
	}
	if p.end >= s.size {
		return where + "; the end]"
	}
	return fmt.Sprintf("%s; next: offset %d]", where, p.end)
}
