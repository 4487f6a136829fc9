package secret

import "unsafe"

// view gives bytes as a text without copying them, for as long as they do not
// change: answers of 200 MB are read through it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf gives a text as bytes that nobody may change.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
