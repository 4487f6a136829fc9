package interpreter

import (
	"path"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// medias are the media types of what programs mostly write, by extension. The table of
// the system is not asked: what a file is called must not hang on the machine.
func medias(extension string) string {
	switch extension {
	case ".csv":
		return "text/csv"
	case ".tsv":
		return "text/tab-separated-values"
	case ".json":
		return "application/json"
	case ".html", ".htm":
		return "text/html"
	case ".md":
		return "text/markdown"
	case ".svg":
		return "image/svg+xml"
	case ".xml":
		return "application/xml"
	case ".pdf":
		return "application/pdf"
	case ".zip":
		return "application/zip"
	case ".xlsx":
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return ""
}

// mediaOf tells what a file is by its name or else by whether it is text.
func mediaOf(name string, data []byte) string {
	if m := medias(strings.ToLower(path.Ext(name))); m != "" {
		return m
	}
	if tool.IsText(data) {
		return "text/plain"
	}
	return "application/octet-stream"
}
