package watch

import (
	"os"
	"path/filepath"
	"strings"
)

// maxHops is how many symbolic links a path may lead through, as on Linux.
const maxHops = 40

// chain are the entries of folders that decide what a path leads to: every
// symbolic link on the way and the file itself, each with the real path of the
// folder it lies in. Where something is missing on the way the chain ends there.
// An event in one of these folders that names one of these entries may be a
// change of the file; a swap of Kubernetes' "..data" names no other.
func chain(path string) []string {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	var entries []string
	real, rest := string(filepath.Separator), parts(path)
	for hops := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		entry := filepath.Join(real, name)
		info, err := os.Lstat(entry)
		switch {
		case err != nil:
			return append(entries, entry)
		case info.Mode()&os.ModeSymlink != 0:
			entries = append(entries, entry)
			target, err := os.Readlink(entry)
			if hops++; err != nil || hops > maxHops {
				return entries
			}
			if filepath.IsAbs(target) {
				real = string(filepath.Separator)
			}
			rest = append(parts(target), rest...)
		case len(rest) == 0:
			entries = append(entries, entry)
		default:
			real = entry
		}
	}
	return entries
}

// parts are the steps of a path; a step up leads from a real folder, so it can
// be taken by name.
func parts(path string) []string {
	var out []string
	for step := range strings.SplitSeq(path, string(filepath.Separator)) {
		if step != "" && step != "." {
			out = append(out, step)
		}
	}
	return out
}

// folderOf is the folder in which the files of a pattern appear, as far as it
// holds no wildcard itself.
func folderOf(pattern string) string {
	dir := filepath.Dir(pattern)
	for strings.ContainsAny(dir, `*?[\`) {
		dir = filepath.Dir(dir)
	}
	return dir
}
