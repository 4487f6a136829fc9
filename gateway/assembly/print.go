package assembly

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/openapi/spec"
)

// printSize is how many bytes of a hash tell apart what tools do: a person agrees to
// it, so that no two may be found that have it in common.
const printSize = 16

// printOf tells apart what is made of parts of a configuration: plain data, without
// the values of secrets. They are equal where all parts are.
func printOf(parts ...any) string {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(parts); err != nil {
		panic(err) // a configuration was read from text, and can be written
	}
	return hex.EncodeToString(h.Sum(nil)[:printSize])
}

// sentTo is what an upstream has to do with what a tool sends: how often that is
// tried and how long it may take is not of it. It is the zero value for no name.
type sentTo struct {
	URL, Proxy string
	Auth       *httptool.Auth
	Headers    any
	TLS        *httptool.TLS
}

func (b *builder) sentTo(upstream string) sentTo {
	u := b.cfg.Upstreams[upstream]
	return sentTo{URL: u.URL, Proxy: u.Proxy, Auth: u.Auth, Headers: u.Headers, TLS: u.TLS}
}

// print is that of a declared tool: of all that says how it runs.
func (b *builder) print(t *config.Tool) string {
	if t.HTTP != nil {
		return printOf("http", t.HTTP, b.sentTo(t.HTTP.Upstream))
	}
	return printOf("command", t.Command, "expr", t.Expr)
}

// sourcePrint is that of what the tools of a source have in common: where requests
// go, and what they show there.
func (b *builder) sourcePrint(s *imported) string {
	block := s.config.OpenAPI
	if block.BaseURL != "" || block.Upstream != "" {
		return printOf(block.BaseURL, b.sentTo(block.Upstream), block.Auth, s.document.Schemes)
	}
	return printOf(s.document.Base, s.document.Servers, block.ServerVariables, block.Auth, s.document.Schemes)
}

// operationPrint is that of a tool that an operation becomes: what arguments become of
// its request, and which further requests follow. That texts for models are other
// ones, or that the operation moved in its document, makes no difference.
func operationPrint(s *imported, op *spec.Operation, own *config.Override) string {
	servers := op.Servers
	if s.config.OpenAPI.BaseURL != "" || s.config.OpenAPI.Upstream != "" {
		servers = nil // they are not asked
	}
	return printOf(s.print, op.Method, op.Path, servers, op.Security, op.Accept, placesOf(op), bodyOf(op.Body), own.Pages, own.Poll)
}

// placesOf are the parameters without what describes them.
func placesOf(op *spec.Operation) []spec.Parameter {
	out := make([]spec.Parameter, len(op.Parameters))
	for i, p := range op.Parameters {
		p.Description, p.Deprecated, p.Required, p.Schema = "", false, false, nil
		out[i] = p
	}
	return out
}

// bodyOf is a body without what describes it; nil for none.
func bodyOf(body *spec.Body) *spec.Body {
	if body == nil {
		return nil
	}
	out := *body
	out.Description, out.Schema = "", nil
	return &out
}
