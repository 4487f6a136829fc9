package chat

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// MaxFilePath is the most bytes of the path of a file.
	MaxFilePath = 500
	// MaxFileDepth is the most segments of it.
	MaxFileDepth = 16
	// maxSegment is the most bytes of one segment, as on most file systems.
	maxSegment = 255
)

// CheckFilePath says why a text is not the path of a file of a chat, as the end of a
// sentence, or nil. A path is relative, with slashes between its segments, such as
// data/a.csv; the same text in two spellings of Unicode would be two files, so only
// one of them (NFC) is a path.
func CheckFilePath(path string) error {
	switch {
	case path == "":
		return errors.New("is empty")
	case len(path) > MaxFilePath:
		return fmt.Errorf("has %d bytes, and at most %d are taken", len(path), MaxFilePath)
	case !utf8.ValidString(path):
		return errors.New("is not UTF-8")
	case strings.HasPrefix(path, "/"):
		return errors.New("begins with a slash: it is relative to the files of the chat")
	case strings.Contains(path, `\`):
		return errors.New("has a backslash: segments are divided by /")
	case strings.ContainsFunc(path, unseen):
		return errors.New("has a character that cannot be seen")
	case !norm.NFC.IsNormalString(path):
		return errors.New("is not in the normal form C of Unicode")
	}
	return checkSegments(strings.Split(path, "/"))
}

func checkSegments(segments []string) error {
	if len(segments) > MaxFileDepth {
		return fmt.Errorf("has %d segments, and at most %d are taken", len(segments), MaxFileDepth)
	}
	for _, s := range segments {
		switch {
		case s == "":
			return errors.New("has an empty segment")
		case s == "." || s == "..":
			return fmt.Errorf("has the segment %q", s)
		case len(s) > maxSegment:
			return fmt.Errorf("has a segment of %d bytes, and at most %d are taken", len(s), maxSegment)
		}
	}
	return nil
}

// unseen are characters that would make a path look like another one, or break the
// line it is printed on.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == '\uFEFF'
}
