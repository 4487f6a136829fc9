package openapi

// Kept is the file that a document at a path is kept in.
func Kept(dir, path string) string { return keeper{dir: dir, path: path}.file() }

