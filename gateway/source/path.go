package source

import (
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// anySegments is the segment of a pattern that stands for any number of them.
const anySegments = "**"

// Path is a pattern of paths. In a segment * stands for any text and ? for one
// character; ** as a segment stands for any number of segments, none too. All
// else stands for itself, the braces of a template too.
type Path struct{ segments []tool.Glob }

// ParsePath checks a pattern.
func ParsePath(pattern string) (Path, error) {
	if !strings.HasPrefix(pattern, "/") {
		return Path{}, fmt.Errorf("the pattern of a path starts with /")
	}
	var p Path
	for segment := range strings.SplitSeq(pattern, "/") {
		if segment != anySegments && strings.Contains(segment, anySegments) {
			return Path{}, fmt.Errorf("** stands for whole segments, and %q is none of them", segment)
		}
		p.segments = append(p.segments, tool.Glob(segment))
	}
	return p, nil
}

// Match reports whether a path fits. On a mismatch it goes back to the last **
// only, so that it takes linear steps for each.
func (p Path) Match(path string) bool {
	segments := strings.Split(path, "/")
	i, j, star, mark := 0, 0, -1, 0
	for j < len(segments) {
		switch {
		case i < len(p.segments) && p.segments[i] == anySegments:
			star, mark = i, j
			i++
		case i < len(p.segments) && p.segments[i].Match(segments[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p.segments) && p.segments[i] == anySegments {
		i++
	}
	return i == len(p.segments)
}
