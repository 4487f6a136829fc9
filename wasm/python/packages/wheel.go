package packages

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

const notPure = "only wheels of pure Python can be used: their names end in -none-any.whl"

// maxZipEntries is the most entries of a wheel, folders and what is not installed too.
const maxZipEntries = 4 * MaxFiles

// wheel reads a wheel (PyPA, Binary distribution format, version 1): its files as
// they would be installed, without scripts, headers and data.
func (l *loader) wheel(entry int, name string, data []byte) *Mistake {
	if m := checkTags(name); m != nil {
		return m
	}
	files, m := unzip(data)
	if m != nil {
		return m
	}
	info, m := infoFolder(files)
	if m != nil {
		return m
	}
	if m := checkRecord(info, files); m != nil {
		return m
	}
	if m := checkPure(string(files[info+"/WHEEL"])); m != nil {
		return m
	}
	d, m := l.metadata(entry, files[info+"/METADATA"])
	if m != nil {
		return m
	}
	return l.install(d, info, files)
}

// checkTags reports a wheel that is not for any Python 3 on any machine.
func checkTags(name string) *Mistake {
	parts := strings.Split(strings.TrimSuffix(name, ".whl"), "-")
	if n := len(parts); n != 5 && n != 6 {
		return mistakef("a wheel is named NAME-VERSION-py3-none-any.whl", "%s is no name of a wheel", name)
	}
	tags := parts[len(parts)-3:]
	if tags[1] != "none" || tags[2] != "any" {
		return mistakef(notPure, "the wheel is for %s-%s and has native code, or says so", tags[1], tags[2])
	}
	for tag := range strings.SplitSeq(tags[0], ".") {
		if strings.HasPrefix(tag, "py3") || strings.HasPrefix(tag, "cp3") {
			return nil
		}
	}
	return mistakef("look for a wheel for py3", "the wheel is for %s, and not for Python 3", tags[0])
}

// unzip reads all files of an archive, within the limits.
func unzip(data []byte) (map[string][]byte, *Mistake) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // paths are checked below
		return nil, mistakef("download it again", "the wheel is no zip archive that can be read: %v", err)
	}
	if len(z.File) > maxZipEntries {
		return nil, mistakef("", "the wheel has %d entries, and at most %d are read", len(z.File), maxZipEntries)
	}
	files, room := map[string][]byte{}, int64(MaxBytes)
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		content, m := unzipped(f, room)
		if m != nil {
			return nil, m
		}
		if _, twice := files[f.Name]; twice {
			return nil, mistakef("download it again", "the wheel has the file %s twice", f.Name)
		}
		files[f.Name] = content
		room -= int64(len(content))
	}
	return files, nil
}

// unzipped is what one file of an archive has.
func unzipped(f *zip.File, room int64) ([]byte, *Mistake) {
	if m := checkName(f.Name); m != nil {
		return nil, m
	}
	if mode := f.Mode(); mode&fs.ModeType != 0 {
		return nil, mistakef("", "%s in the wheel is no plain file", f.Name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, mistakef("download it again", "%s in the wheel: %v", f.Name, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	most := min(room, MaxFile)
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, mistakef("download it again", "%s in the wheel: %v", f.Name, err)
	case int64(len(data)) > most:
		return nil, mistakef("", "%s in the wheel is larger than the %d bytes that are read of it", f.Name, most)
	}
	return data, nil
}

// infoFolder is the one folder of the wheel's metadata.
func infoFolder(files map[string][]byte) (string, *Mistake) {
	info := ""
	for name := range files {
		folder, rest, _ := strings.Cut(name, "/")
		if !strings.HasSuffix(folder, ".dist-info") || rest == "" {
			continue
		}
		if info != "" && info != folder {
			return "", mistakef("", "the wheel has the metadata of two packages: %s and %s", min(info, folder), max(info, folder))
		}
		info = folder
	}
	for _, name := range []string{"WHEEL", "METADATA", "RECORD"} {
		if files[info+"/"+name] == nil {
			return "", mistakef("download it again", "the wheel has no file %s in its .dist-info folder", name)
		}
	}
	return info, nil
}

// checkRecord holds every file against the hash that the wheel itself has of it. That
// is no proof of where it comes from, and yet of its being whole.
func checkRecord(info string, files map[string][]byte) *Mistake {
	rows := csv.NewReader(bytes.NewReader(files[info+"/RECORD"]))
	rows.FieldsPerRecord = 3
	hashes := map[string]string{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return mistakef("download it again", "RECORD of the wheel: %v", err)
		}
		hashes[row[0]] = row[1]
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch name {
		case info + "/RECORD", info + "/RECORD.jws", info + "/RECORD.p7s":
			continue
		}
		want, ok := strings.CutPrefix(hashes[name], "sha256=")
		if !ok {
			return mistakef("download it again", "RECORD of the wheel has no sha256 of %s", name)
		}
		sum := sha256.Sum256(files[name])
		if got := base64.RawURLEncoding.EncodeToString(sum[:]); got != strings.TrimRight(want, "=") {
			return mistakef("download it again", "%s is not what RECORD of the wheel says: the wheel is damaged or was changed", name)
		}
	}
	return nil
}

// checkPure reads the file WHEEL.
func checkPure(text string) *Mistake {
	head := headers(text)
	if v := first(head, "wheel-version"); v != "1" && !strings.HasPrefix(v, "1.") {
		return mistakef("", "the wheel is of version %q of its format, and version 1 is read", v)
	}
	if strings.EqualFold(first(head, "root-is-purelib"), "true") {
		return nil
	}
	return mistakef(notPure, "the wheel says itself that it is not of pure Python (Root-Is-Purelib)")
}

// install puts the files of a wheel into the tree.
func (l *loader) install(d dist, info string, files map[string][]byte) *Mistake {
	own := strings.TrimSuffix(info, ".dist-info") + ".data/"
	var names []string
	for name, data := range files {
		to := name
		if rest, ok := strings.CutPrefix(name, own); ok {
			pure, ok := strings.CutPrefix(rest, "purelib/")
			switch {
			case strings.HasPrefix(rest, "platlib/"):
				return mistakef(notPure, "the wheel has files of one platform: %s", name)
			case !ok:
				continue // scripts, headers, data: nothing that is imported
			}
			to = pure
		}
		if m := l.add(d.Entry, to, data); m != nil {
			return m
		}
		names = append(names, to)
	}
	if d.Modules = modulesOf(names); len(d.Modules) == 0 {
		return mistakef("", "the wheel has no module that could be imported")
	}
	return l.keep(d)
}
