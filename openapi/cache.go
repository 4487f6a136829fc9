package openapi

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/toolgate/toolgate/openapi/document"
	"github.com/toolgate/toolgate/openapi/spec"
)

// keptFormat is the number of the form in which documents are kept.
const keptFormat = "4"

// keeper keeps what was read of one document, in a file of its own. Whatever is
// wrong with that file, the document is read anew: a cache is never an error.
type keeper struct{ dir, path string }

// keptHead stands before a kept document and says whether it is still good.
type keptHead struct {
	Reader string            // which program wrote it
	Files  []string          // what it was read from
	Digest [32]byte          // of those
	Sum    [sha256.Size]byte // of the encoded document, which follows: one that was damaged would send wrong requests
}

func (k keeper) file() string {
	sum := sha256.Sum256([]byte(k.path))
	return filepath.Join(k.dir, "openapi-"+hex.EncodeToString(sum[:12])+".gob")
}

// load gives the kept document; nil when there is none that is good.
func (k keeper) load(source *document.Source) *Document {
	if k.dir == "" {
		return nil
	}
	data, err := os.ReadFile(k.file())
	if err != nil {
		return nil
	}
	text := bytes.NewReader(data)
	var head keptHead
	if gob.NewDecoder(text).Decode(&head) != nil || head.Reader != program() {
		return nil
	}
	data = data[len(data)-text.Len():]
	// Both take their time, so they are done at once.
	unchanged := make(chan bool, 1)
	go func() {
		digest, err := source.Digest(head.Files)
		unchanged <- err == nil && digest == head.Digest
	}()
	read := decoded(data, head.Sum)
	if !<-unchanged || read == nil {
		return nil
	}
	touch(k.file())
	d := newDocument(read)
	d.Base, d.Stale, d.Files, d.Cached = source.Base(), source.Stale(), head.Files, true
	d.Digest = head.Digest
	return d
}

// decoded is the document that was encoded; nil where what is there is not that.
func decoded(data []byte, sum [sha256.Size]byte) *spec.Document {
	if sha256.Sum256(data) != sum {
		return nil
	}
	read := new(spec.Document)
	if gob.NewDecoder(bytes.NewReader(data)).Decode(read) != nil {
		return nil
	}
	return read
}

// store keeps a document. It is written beside its place and moved there, so that
// nobody reads half of it.
func (k keeper) store(d *Document) {
	if k.dir == "" || os.MkdirAll(k.dir, 0o700) != nil {
		return
	}
	sweep(k.dir, time.Now())
	var text bytes.Buffer
	if gob.NewEncoder(&text).Encode(d.Document) != nil {
		return
	}
	f, err := os.CreateTemp(k.dir, "openapi-*.tmp")
	if err != nil {
		return
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when all went well
	w := bufio.NewWriter(f)
	failed := gob.NewEncoder(w).Encode(keptHead{Reader: program(), Files: d.Files, Digest: d.Digest, Sum: sha256.Sum256(text.Bytes())}) != nil
	if _, err := w.Write(text.Bytes()); err != nil || w.Flush() != nil {
		failed = true
	}
	if f.Close() != nil || failed {
		return
	}
	_ = os.Rename(f.Name(), k.file())
}

// program names what reads documents: another build may read them otherwise. A
// build that does not know its revision is told by its file.
func program() string {
	name := keptFormat
	if info, ok := debug.ReadBuildInfo(); ok {
		revision, modified := "", "true"
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				modified = s.Value
			}
		}
		if revision != "" && modified == "false" {
			return name + " " + revision
		}
	}
	if path, err := os.Executable(); err == nil {
		if stat, err := os.Stat(path); err == nil {
			name += " " + strconv.FormatInt(stat.ModTime().UnixNano(), 36) + " " + strconv.FormatInt(stat.Size(), 36)
		}
	}
	return name
}
