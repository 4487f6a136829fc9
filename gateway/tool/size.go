package tool

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, written in a configuration as a bare number or
// with one of the units B, KB, MB, GB (powers of 1000) and KiB, MiB, GiB
// (powers of 1024).
type Size int64

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"B", 1},
	{"", 1},
}

// ParseSize reads a Size as a configuration writes it: a whole number that is
// not negative, then at most one unit.
func ParseSize(text string) (Size, error) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.bytes {
			break
		}
		return Size(n * u.bytes), nil
	}
	return 0, fmt.Errorf("%q is not a size (write a whole number of bytes or one with a unit, such as 500KB or 8MiB)", text)
}
