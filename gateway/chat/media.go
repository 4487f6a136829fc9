package chat

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
)

const (
	// DefaultMedia is the media type of bytes of which nothing is known.
	DefaultMedia = "application/octet-stream"
	// maxMedia is the most bytes of a media type.
	maxMedia = 127
	// sniffed is how many bytes tell what a file is.
	sniffed = 512
)

// extensions are the media types of files that their bytes do not tell apart. They
// are no matter of the machine, so those of its own are not asked.
var extensions = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".json": "application/json", ".jsonl": "application/jsonl", ".md": "text/markdown",
	".txt": "text/plain", ".log": "text/plain", ".py": "text/x-python", ".html": "text/html", ".htm": "text/html", ".css": "text/css", ".js": "text/javascript",
	".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".sql": "application/sql", ".svg": "image/svg+xml",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".pdf": "application/pdf",
	".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar", ".parquet": "application/vnd.apache.parquet", ".sqlite": "application/vnd.sqlite3",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".mp4": "video/mp4",
}

// said is the media type that somebody gave, without parameters; "" where that says
// nothing of the file. Programs that know no better send a form or bytes.
func said(media string) (string, error) {
	if media == "" {
		return "", nil
	}
	kind, _, err := mime.ParseMediaType(media)
	if err != nil || len(kind) > maxMedia || strings.Count(kind, "/") != 1 {
		return "", fmt.Errorf("%.100q is no media type", media)
	}
	if kind == DefaultMedia || kind == "application/x-www-form-urlencoded" {
		return "", nil
	}
	return kind, nil
}

// told is the media type that the name of a file and its first bytes tell.
func told(name string, head []byte) string {
	if kind := extensions[strings.ToLower(path.Ext(name))]; kind != "" {
		return kind
	}
	kind, _, err := mime.ParseMediaType(http.DetectContentType(head[:min(len(head), sniffed)]))
	if err != nil {
		return DefaultMedia
	}
	return kind
}

// CheckFileType says why an entry of "chats.files.types" can match no file, or nil.
func CheckFileType(pattern string) error {
	ext, isExt := strings.CutPrefix(pattern, ".")
	_, sub, isMedia := strings.Cut(pattern, "/")
	switch _, err := path.Match(pattern, "a/b"); {
	case pattern == "*":
		return nil
	case err != nil || strings.ContainsAny(pattern, `[]\ ;`):
		return fmt.Errorf("%q is no pattern: * and ? stand for other characters, and nothing else does", pattern)
	case pattern != strings.ToLower(pattern):
		return fmt.Errorf("%q has capital letters, and types are told apart without", pattern)
	case isExt && ext != "" && !strings.ContainsAny(ext, "./"), isMedia && sub != "" && !strings.Contains(sub, "/") && !strings.HasPrefix(pattern, "/"):
		return nil
	}
	return fmt.Errorf("%q is neither a media type nor an extension", pattern)
}

// taken reports whether files of that name and media type may be put.
func taken(patterns []string, name, media string) bool {
	ext := strings.ToLower(path.Ext(name))
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		value := media
		if strings.HasPrefix(p, ".") {
			value = ext
		}
		ok, err := path.Match(p, value)
		return p == "*" || err == nil && ok
	})
}
