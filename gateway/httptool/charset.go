package httptool

import (
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// isWritten reports whether an answer of the media type is text, so that its
// charset says how to read it.
func (a *answer) isWritten() bool {
	if strings.HasPrefix(a.media, "text/") || a.claimsJSON() {
		return true
	}
	_, sub, _ := strings.Cut(a.media, "/")
	return sub == "xml" || strings.HasSuffix(sub, "+xml") || sub == "javascript"
}

// toUTF8 reads text in a character encoding by its name (WHATWG Encoding, with
// all its labels). A byte order mark goes before the name. What it cannot read
// stays as it is.
func toUTF8(text []byte, charset string) []byte {
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return text
	}
	// "replacement" stands for encodings that are dangerous to read, and would
	// leave nothing of the text.
	if name, err := htmlindex.Name(encoding); err != nil || name == "utf-8" || name == "replacement" {
		return text
	}
	out, _, err := transform.Bytes(unicode.BOMOverride(encoding.NewDecoder()), text)
	if err != nil {
		return text
	}
	return out
}
