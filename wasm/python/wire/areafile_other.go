//go:build !linux

package wire

import "os"

func areaFile(size int64) (*os.File, error) { return unlinkedFile(size) }
