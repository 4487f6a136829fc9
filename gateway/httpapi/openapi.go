package httpapi

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// openAPI describes every path of this door in OpenAPI 3.1. Tests hold it against
// the paths and against real answers.
//
//go:embed openapi.json
var openAPI []byte

// describing answers with the description of the paths that are served.
func describing(served map[string]methods) http.HandlerFunc {
	doc := sync.OnceValue(func() any { return describe(served) })
	return func(w http.ResponseWriter, r *http.Request) {
		if _, p := query(r); p != nil {
			p.write(w)
			return
		}
		sendTagged(w, r, doc())
	}
}

// described are the paths as OpenAPI writes them: it knows no way to say that one may
// have slashes.
func described(served map[string]methods) map[string]methods {
	out := make(map[string]methods, len(served))
	for path, known := range served {
		out[strings.Replace(path, "...}", "}", 1)] = known
	}
	return out
}

// describe is the description without the paths that are not served.
func describe(served map[string]methods) any {
	var doc map[string]any
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		panic("openapi.json: " + err.Error()) // a test reads it
	}
	at := described(served)
	paths, _ := doc["paths"].(map[string]any)
	for path, item := range paths {
		operations, _ := item.(map[string]any)
		for method := range operations {
			if _, ok := at[path][strings.ToUpper(method)]; !ok {
				delete(operations, method)
			}
		}
		if len(operations) == 0 {
			delete(paths, path)
		}
	}
	return doc
}
