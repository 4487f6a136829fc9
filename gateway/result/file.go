package result

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"
)

// A file starts with a header of headerSize bytes: one JSON object, spaces, a
// line end. It has a fixed size because the number of bytes that follow it is
// known only when they are written.
const (
	headerVersion = 1
	headerSize    = 4096
	// The most bytes of a name in a header. Each byte may take six as JSON.
	maxCallID = 256
	maxName   = 128
)

// header is what a file says of itself.
type header struct {
	Version int       `json:"version"`
	Owner   string    `json:"owner"` // see ownerHash
	Tool    string    `json:"tool"`
	CallID  string    `json:"call_id"`
	Media   string    `json:"media"`
	Text    bool      `json:"text"`
	Size    int64     `json:"size"`
	Kept    time.Time `json:"kept"`
	Expires time.Time `json:"expires"`
}

func encodeHeader(m Meta) ([]byte, error) {
	data, err := json.Marshal(header{
		Version: headerVersion, Owner: ownerHash(m.Owner, m.Handle), Tool: clip(m.Tool, maxName), CallID: clip(m.CallID, maxCallID),
		Media: clip(m.Media, maxName), Text: m.Text, Size: m.Size, Kept: m.Kept, Expires: m.Expires,
	})
	if err != nil {
		return nil, err
	}
	if len(data) >= headerSize {
		return nil, fmt.Errorf("the header of a kept result has %d bytes, more than %d", len(data), headerSize)
	}
	out := make([]byte, headerSize)
	for i := copy(out, data); i < headerSize; i++ {
		out[i] = ' '
	}
	out[headerSize-1] = '\n'
	return out, nil
}

// readHeader reads a file's header. It reports false when the file is another
// owner's, of a version it does not know, or not as long as it says.
func readHeader(file *os.File, owner, handle string) (Meta, bool) {
	data := make([]byte, headerSize)
	if _, err := io.ReadFull(io.NewSectionReader(file, 0, headerSize), data); err != nil {
		return Meta{}, false
	}
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		h = header{} // compared all the same: any failure takes the same way
	}
	mine := subtle.ConstantTimeCompare([]byte(h.Owner), []byte(ownerHash(owner, handle))) == 1
	info, err := file.Stat()
	if !mine || err != nil || h.Version != headerVersion || info.Size() != headerSize+h.Size {
		return Meta{}, false
	}
	return Meta{
		Handle: handle, Owner: owner, Tool: h.Tool, CallID: h.CallID, Media: h.Media, Text: h.Text,
		Size: h.Size, Kept: h.Kept, Expires: h.Expires,
	}, true
}

// ownerHash is how a file names its owner. The handle is part of it, so that
// two files do not show that they belong to the same caller.
func ownerHash(owner, handle string) string {
	sum := sha256.Sum256([]byte(handle + "\x00" + owner))
	return hex.EncodeToString(sum[:])
}

// clip is the start of text, at most most bytes, cut between characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
