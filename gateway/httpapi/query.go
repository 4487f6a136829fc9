package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
)

// query reads the request's query and refuses what it does not know, or what is
// given twice: a misspelt parameter must not pass for its default.
func query(r *http.Request, known ...string) (url.Values, *problem) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badQuery("the query string is malformed", "")
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, key) {
			return nil, badQuery(fmt.Sprintf("unknown query parameter %q", key), knownHint(key, known))
		}
		if len(values[key]) > 1 {
			return nil, badQuery(fmt.Sprintf("query parameter %q is given more than once", key), "")
		}
	}
	return values, nil
}

func badQuery(message, hint string) *problem {
	return &problem{status: http.StatusBadRequest, Type: typeBadRequest, Message: message, Hint: hint}
}

// knownHint names the nearest of the known words, or all of them.
func knownHint(word string, known []string) string {
	if hint := diag.DidYouMean(word, known); hint != "" {
		return hint
	}
	if len(known) == 0 {
		return "this path takes no query parameters"
	}
	return "known: " + strings.Join(known, ", ")
}
