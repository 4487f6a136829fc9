package httptool

import (
	"encoding/json"
	"net/netip"
	"time"

	"github.com/toolgate/toolgate/gateway/expression"
)

// Config is the "http" block of a tool. Every text in it is a template but OK,
// Error, Result and those of Pages, which are expressions, and the name of the
// upstream.
type Config struct {
	Upstream string                      `koanf:"upstream"` // name of an entry of "upstreams"; URL is empty then
	URL      string                      `koanf:"url"`      // base address, http or https; the host must be literal
	Path     string                      `koanf:"path"`     // appended to the base address, starts with /; a ${…} stays within its segment; a query may follow
	Method   string                      `koanf:"method"`   // GET when empty
	Query    map[string]expression.Texts `koanf:"query"`    // a list repeats the key
	Headers  map[string]expression.Texts `koanf:"headers"`  // a list repeats the header; they go before those of the upstream
	Body     *Body                       `koanf:"body"`
	Auth     *Auth                       `koanf:"auth"`   // that of the upstream when absent
	OK       string                      `koanf:"ok"`     // whether the answer is a success; status < 400 when empty
	Error    string                      `koanf:"error"`  // the sentence for the model about an answer that is none; made of status and body when empty or absent
	Result   string                      `koanf:"result"` // the value of the answer; the body when empty
	Pages    *Pages                      `koanf:"pages"`
	Poll     *Poll                       `koanf:"poll"`
}

// Body is the "body" of a request: exactly one of its members.
type Body struct {
	JSON      json.RawMessage             `koanf:"json"`      // any JSON value whose texts are templates
	Form      map[string]expression.Texts `koanf:"form"`      // application/x-www-form-urlencoded; a list repeats the key
	Multipart []Part                      `koanf:"multipart"` // multipart/form-data, in this order
	Text      *string                     `koanf:"text"`      // text/plain, UTF-8, unless a header says otherwise
	Base64    *string                     `koanf:"base64"`    // the bytes that this base64 text stands for; application/octet-stream unless a header says otherwise
}

// Part is one part of a "multipart" body (RFC 7578). Exactly one of Text and
// Base64 is set; a part whose value is absent is left out.
type Part struct {
	Name     string           `koanf:"name"`     // literal
	Text     expression.Texts `koanf:"text"`     // a list repeats the part
	Base64   *string          `koanf:"base64"`   // the bytes that this base64 text stands for
	Filename string           `koanf:"filename"` // a template; the part is no file when empty
	Type     string           `koanf:"type"`     // literal media type; none for Text, application/octet-stream for Base64 when empty
}

// Pages is how further pages of an answer are fetched. The items of all pages
// make one list, which is the body that Result sees and the value of the
// answer.
type Pages struct {
	Next  string `koanf:"next"`  // expression over one answer: the address of the next page, relative or of the same origin; null, empty or false ends it
	Items string `koanf:"items"` // expression over one answer: the list of its items
	Most  int    `koanf:"most"`  // pages that are fetched; DefaultPages when zero, at most MaxPages
}

// Poll is how the end of a job that the request started is waited for. The
// answer that fulfils Until is the answer of the tool.
type Poll struct {
	Until string        `koanf:"until"` // expression over an answer, the first one too: whether the job is over
	URL   string        `koanf:"url"`   // template over the first answer: what is asked, by GET, relative or of the same origin; the request's own address when empty
	Every time.Duration `koanf:"every"` // between two requests; DefaultPollEvery when zero; a Retry-After of the answer is obeyed where it is longer
	For   time.Duration `koanf:"for"`   // for how long; as long as the tool may run when zero
}

// Bounds of [Pages] and [Poll].
const (
	DefaultPages     = 10
	MaxPages         = 1000
	DefaultPollEvery = time.Second
	MinPollEvery     = 100 * time.Millisecond
)

// Auth is what a request shows to be let in: exactly one of its members. Its
// texts are templates over "secret" alone.
type Auth struct {
	Bearer string  `koanf:"bearer"` // Authorization: Bearer … (RFC 6750)
	Basic  *Basic  `koanf:"basic"`
	Header *Named  `koanf:"header"`
	Query  *Named  `koanf:"query"`
	Cookie *Named  `koanf:"cookie"`
	OAuth2 *OAuth2 `koanf:"oauth2"`
}

// Basic is a user of HTTP's Basic scheme (RFC 7617).
type Basic struct {
	Username string `koanf:"username"`
	Password string `koanf:"password"`
}

// Named is a header, a query parameter or a cookie that carries a credential.
type Named struct {
	Name  string `koanf:"name"` // literal
	Value string `koanf:"value"`
}

// OAuth2 gets access tokens by the client credentials grant (RFC 6749 section
// 4.4) and uses each until it expires.
type OAuth2 struct {
	TokenURL     string   `koanf:"token_url"` // literal
	ClientID     string   `koanf:"client_id"`
	ClientSecret string   `koanf:"client_secret"`
	Scopes       []string `koanf:"scopes"` // literal
}

// UpstreamConfig is one entry of "upstreams": a service that several tools
// call. Its texts are templates over "secret" alone.
type UpstreamConfig struct {
	URL     string                      `koanf:"url"` // base address of the tools' paths, http or https; no query
	Auth    *Auth                       `koanf:"auth"`
	Headers map[string]expression.Texts `koanf:"headers"`
	Timeout time.Duration               `koanf:"timeout"` // of one request with its answer; only the tool's when zero
	Retries *int                        `koanf:"retries"` // for its read-only tools; those of "defaults" when absent
	TLS     *TLS                        `koanf:"tls"`
	// Networks are private ranges that requests of this upstream may reach
	// beside those that all tools may.
	Networks *Networks `koanf:"networks"`
	Breaker  *Breaker  `koanf:"breaker"`
	Proxy    string    `koanf:"proxy"` // address of an HTTP proxy, http or https; none when empty, whatever the environment says
}

// TLS is what is special about an upstream's connections. Paths are absolute.
type TLS struct {
	CA         string `koanf:"ca"`          // file of PEM certificates that are trusted in place of the system's
	Cert       string `koanf:"cert"`        // file with the gateway's own certificate chain, PEM; goes with Key
	Key        string `koanf:"key"`         // file of its private key, PEM
	ServerName string `koanf:"server_name"` // the name that the certificate must be for; the host's when empty
}

// Networks are ranges of addresses.
type Networks struct {
	Allow []netip.Prefix `koanf:"allow"`
}

// Breaker stops asking an upstream that keeps failing: after Failures requests in
// a row that were not answered, or answered with 502, 503 or 504, every call
// fails at once for Pause, then one request tries again.
type Breaker struct {
	Failures *int          `koanf:"failures"` // DefaultFailures when absent; 0 turns the breaker off
	Pause    time.Duration `koanf:"pause"`    // DefaultPause when zero
}

// Defaults of [Breaker].
const (
	DefaultFailures = 5
	DefaultPause    = 10 * time.Second
)
