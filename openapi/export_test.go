package openapi

import "context"

// Kept is the file that a document at a path is kept in.
func Kept(dir, path string) string { return keeper{dir: dir, path: path}.file() }

// Checker is what holds answers of an operation against their schema.
var Checker = (*Service).check

// MaxChecked is the longest answer that is checked.
const MaxChecked = maxChecked

// MaxWritten is how many bytes of a text are looked at.
const MaxWritten = maxWritten

// Arrange arranges the operations of a document, of which models are shown at most so
// many bytes.
func Arrange(d *Document, most int) error {
	return d.arrange(context.Background(), &LoadOptions{}, most)
}
