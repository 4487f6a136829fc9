package cpython

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

const (
	manifestName    = "runtime.json"
	manifestVersion = 1
	maxManifest     = 16 << 10 // bytes
	maxSource       = 4 << 10  // bytes of the text that says where a build is from
)

// MaxModule is the largest module of an interpreter, in bytes.
const MaxModule = 256 << 20

// manifest is the file runtime.json.
type manifest struct {
	Version int    `json:"version"` // of this file
	Build   string `json:"build"`   // the folder's name
	Python  string `json:"python"`  // as in "3.12.0"
	Source  string `json:"source"`
	// SHA256 is the hash of the module as it came, in hexadecimal digits.
	SHA256    string      `json:"sha256"`
	Module    moduleFile  `json:"module"`
	Library   *folderSize `json:"library,omitempty"`
	Optimized bool        `json:"optimized,omitempty"`
}

// moduleFile is the stripped module.
type moduleFile struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// folderSize says whether a folder is whole, at the price of a walk.
type folderSize struct {
	Files int   `json:"files"`
	Size  int64 `json:"size"` // bytes of all files
}

var (
	buildName     = regexp.MustCompile(`^build-[0-9A-Za-z]{1,32}$`)
	pythonVersion = regexp.MustCompile(`^[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}[0-9A-Za-z+.]{0,32}$`)
)

// readManifest reads the runtime.json of a folder. Where there is none, the error is
// fs.ErrNotExist.
func readManifest(folder string) (*manifest, error) {
	path := filepath.Join(folder, manifestName)
	text, err := readBounded(path, maxManifest)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func parseManifest(text []byte) (*manifest, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if head.Version != manifestVersion {
		return nil, fmt.Errorf("it is of version %d, and this program reads version %d: another version of the program wrote it", head.Version, manifestVersion)
	}
	var m manifest
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	return &m, nil
}

func (m *manifest) check() error {
	switch {
	case !buildName.MatchString(m.Build):
		return fmt.Errorf("build is no name of a build's folder: %q", m.Build)
	case !pythonVersion.MatchString(m.Python):
		return fmt.Errorf("python is no version: %q", m.Python)
	case len(m.Source) > maxSource:
		return fmt.Errorf("source is longer than %d bytes", maxSource)
	case !isSHA256(m.SHA256):
		return errors.New("sha256 is not of 64 hexadecimal digits")
	case !isSHA256(m.Module.SHA256):
		return errors.New("module.sha256 is not of 64 hexadecimal digits")
	case m.Module.Size <= 0 || m.Module.Size > MaxModule:
		return fmt.Errorf("module.size is %d, and a module has from 1 to %d bytes", m.Module.Size, MaxModule)
	case m.Library != nil && (m.Library.Files <= 0 || m.Library.Files > maxLibraryFiles || m.Library.Size < 0 || m.Library.Size > maxLibrary):
		return fmt.Errorf("library is of %d files and %d bytes", m.Library.Files, m.Library.Size)
	}
	return nil
}

// isSHA256 reports whether a text is a hash as this package writes it, in lower case.
func isSHA256(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32 && hex.EncodeToString(sum) == text
}

// readBounded reads a file of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	text := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
	if _, err := text.ReadFrom(io.LimitReader(file, limit+1)); err != nil {
		return nil, err
	}
	if int64(text.Len()) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return text.Bytes(), nil
}
