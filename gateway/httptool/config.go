package httptool

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/expression"
)

// Config is the "http" block of a tool. Every text in it is a template; Result
// and OK are expressions.
type Config struct {
	URL     string                      `koanf:"url"`     // base address, http or https; the host must be literal
	Path    string                      `koanf:"path"`    // appended to URL, starts with /; a ${…} stays within its segment; a query may follow
	Method  string                      `koanf:"method"`  // GET when empty
	Query   map[string]expression.Texts `koanf:"query"`   // a list repeats the key
	Headers map[string]expression.Texts `koanf:"headers"` // a list repeats the header
	Body    *Body                       `koanf:"body"`
	OK      string                      `koanf:"ok"`     // whether the answer is a success; status < 400 when empty
	Result  string                      `koanf:"result"` // the value of the answer; the body when empty
}

// Body is the "body" of a request.
type Body struct {
	JSON json.RawMessage `koanf:"json"` // any JSON value whose texts are templates
}
