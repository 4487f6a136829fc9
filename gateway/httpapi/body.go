package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// maxBody is the most bytes of a request body: 4 MiB, as at the MCP door.
const maxBody = 4 << 20

// noun is what a body holds, and what to do when there is too much of it.
type noun struct{ plural, less string }

// readBody reads a body of JSON whole, or says why it cannot.
func readBody(w http.ResponseWriter, r *http.Request, what noun) ([]byte, *problem) {
	if kind := r.Header.Get("Content-Type"); !isJSON(kind) {
		return nil, &problem{
			status: http.StatusUnsupportedMediaType, Type: typeUnsupported,
			Message: fmt.Sprintf("the content type %q is not supported", kind),
			Hint:    "Send the " + what.plural + " as application/json.",
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &problem{
			status: http.StatusRequestEntityTooLarge, Type: typeBadRequest,
			Message: fmt.Sprintf("the request body is longer than %d bytes", tooLong.Limit),
			Hint:    what.less,
		}
	}
	if err != nil {
		return nil, &problem{status: http.StatusBadRequest, Type: typeBadRequest, Message: "the request body could not be read to its end"}
	}
	return body, nil
}

// isJSON takes an absent content type for JSON, since there is nothing else it
// could be.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}
