package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"
)

// The last answer of an address is one file: a line of JSON, and then the body.

// keptHead is the first line.
type keptHead struct {
	answer
	Sum string `json:"sha256"` // of the body: a file that was cut or changed is no answer
}

// keptPath is where the answer of an address is kept. The name tells nobody what
// the address is, which may hold a token.
func keptPath(dir, address string) string {
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(dir, hex.EncodeToString(sum[:])+".document")
}

// keptAnswer is the last answer of an address; nil when there is none that can be
// used.
func keptAnswer(dir, address string) *answer {
	if dir == "" {
		return nil
	}
	f, err := os.Open(keptPath(dir, address))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	const maxHead = 64 << 10
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+maxHead))
	if err != nil {
		return nil
	}
	line, body, ok := bytes.Cut(data, []byte("\n"))
	var head keptHead
	if !ok || json.Unmarshal(line, &head) != nil || head.Sum != hexSum(body) {
		return nil
	}
	head.Body = body
	touch(f)
	return &head.answer
}

// touch notes that a file is used, a day exactly: what nobody uses is removed.
func touch(f *os.File) {
	if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
		now := time.Now()
		_ = os.Chtimes(f.Name(), now, now)
	}
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// keepAnswer writes the answer of an address. That it cannot be written is no
// error: the document is there, and the next start asks for it again.
func keepAnswer(dir, address string, a *answer) {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	line, err := json.Marshal(keptHead{*a, hexSum(a.Body)})
	if err != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-*") // with mode 0600
	if err != nil {
		return
	}
	_, err = f.Write(append(append(line, '\n'), a.Body...))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), keptPath(dir, address))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}
