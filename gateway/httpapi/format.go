package httpapi

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// defaultFormat is the format of a request that names none.
const defaultFormat = "openai-chat"

// chosen finds what the query names as its format among those that there are.
// One that is nil is known, but not built.
func chosen[T any](values url.Values, formats map[string]*T) (*T, *problem) {
	name := defaultFormat
	if values.Has("format") {
		name = values.Get("format")
	}
	var built []string
	for _, known := range slices.Sorted(maps.Keys(formats)) {
		if formats[known] != nil {
			built = append(built, known)
		}
	}
	format, known := formats[name]
	switch {
	case !known:
		return nil, badQuery(fmt.Sprintf("unknown format %q", name), knownHint(name, built))
	case format == nil:
		return nil, badQuery(fmt.Sprintf("format %q is not built yet", name), "built: "+strings.Join(built, ", "))
	}
	return format, nil
}
