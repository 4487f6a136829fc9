package access

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// Guard lets only those requests through to next that may be answered, whatever
// their method and path, and says to next who sent them (see [tool.CallerOf]).
// Everything it asks of every request anew, and of the book that counts then:
//
//   - The Host header must name this machine, or be one of the book's hosts. On
//     loopback the names of this machine are localhost, 127.0.0.0/8 and [::1], with
//     any port: a name that an attacker's DNS points here is refused. On other
//     addresses, where the book has no hosts, every name is this machine's: there
//     the token is what keeps pages of other sites out.
//   - An Origin header must be one of the book's origins, or of this machine on
//     loopback, or else the Host asked for.
//   - Where the book has tokens, the request must show one, in an Authorization
//     header and nowhere else. Where it has none, requests must come in on
//     loopback, and nobody is told apart.
//   - The caller must have the right that the path needs.
//
// Whether the process lives and is ready may be asked without a token, and off
// loopback by any name, since probes ask by address. See "DNS rebinding" in the
// security best practices of the Model Context Protocol (2026-07-28).
//
// The address is the one the request came in on. A request without one, as
// from a test, is judged as if it had come in on loopback.
func Guard(next http.Handler, current *Current) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := current.Book()
		need := needOf(r.URL.Path)
		if no := b.judge(r, need); no != nil {
			no.write(w)
			return
		}
		if b.shares(w, r) {
			return // it was a question of the browser, and is answered
		}
		if need == open {
			next.ServeHTTP(w, r)
			return
		}
		who, token, no := b.authenticate(r)
		if no == nil {
			no = need.missing(&who)
		}
		if no != nil {
			no.write(w)
			return
		}
		if !b.Open() {
			r = r.WithContext(tool.WithCaller(r.Context(), who))
		}
		if reads(r) {
			ctx, done := current.reading(r.Context(), digest(token), who)
			defer done()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// reads reports whether a request only reads, so that it may end with the token.
// What lasts among these are streams, also that of the Model Context Protocol,
// which is asked for by POST. A call must not end for this.
func reads(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
}

// judge returns why the request is refused whoever sent it, or nil.
func (b *Book) judge(r *http.Request, need need) *refusal {
	local := onLoopback(r)
	if b.Open() && !local {
		return forbidden("the gateway has no tokens, so it serves this machine only",
			"Ask the operator to set server.token, and send it as a bearer token.")
	}
	if !b.allowsHost(r.Host, local, need) {
		return forbidden("the Host header names no host of this gateway", hostHint(local))
	}
	for _, text := range r.Header.Values("Origin") {
		if !b.allowsOrigin(text, r.Host, local) {
			return forbidden("requests from pages of another site are refused",
				"Send no Origin header, or ask the operator to add the origin to server.origins.")
		}
	}
	return nil
}

func hostHint(local bool) string {
	if local {
		return "Use localhost or 127.0.0.1 in the URL, or ask the operator to add the host to server.hosts."
	}
	return "Use a host of server.hosts in the URL."
}

func (b *Book) allowsHost(hostport string, local bool, need need) bool {
	if local && isLoopback(hostport) {
		return true
	}
	if !local && (len(b.hosts) == 0 || need.probe()) {
		return true
	}
	name, port, ok := splitHost(hostport)
	return ok && slices.ContainsFunc(b.hosts, func(h host) bool { return h.matches(name, port) })
}

// allowsOrigin judges an Origin header of a request whose Host may be asked for.
func (b *Book) allowsOrigin(text, hostport string, local bool) bool {
	if b.lists(text) {
		return true
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return false // "null", as from a sandboxed frame or a file, is nobody's
	}
	if local && isLoopback(hostport) {
		return isLoopback(u.Host)
	}
	return strings.EqualFold(u.Host, hostport)
}

// lists reports whether an Origin header is one of the book's origins.
func (b *Book) lists(text string) bool {
	scheme, name, port, ok := splitOrigin(text)
	return ok && slices.ContainsFunc(b.origins, func(o origin) bool { return o.matches(scheme, name, port) })
}

// authenticate finds out who sent the request, and by which token.
func (b *Book) authenticate(r *http.Request) (who tool.Caller, token string, no *refusal) {
	if b.Open() {
		return tool.CallerOf(r.Context(), tool.KindHTTP), "", nil
	}
	headers := r.Header.Values("Authorization")
	switch len(headers) {
	case 0:
		return who, "", unauthorized("", "the request shows no token")
	case 1:
	default:
		return who, "", unauthorized(invalidRequest, "the request has more than one Authorization header")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if token = strings.TrimLeft(token, " "); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return who, "", unauthorized(invalidRequest, "the Authorization header holds no bearer token")
	}
	who, ok := b.Identify(token)
	if !ok {
		return who, "", unauthorized(invalidToken, "the gateway does not know this token")
	}
	return who, token, nil
}

func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if tcp, isTCP := addr.(*net.TCPAddr); isTCP {
		return tcp.IP.IsLoopback()
	}
	return !ok || isLoopback(addr.String())
}

// isLoopback reports whether a host, with or without a port, is this machine by
// its very spelling; nothing is resolved. It is read as a browser reads the host
// of a URL, so the two cannot take it for different machines.
func isLoopback(hostport string) bool {
	if at, err := netip.ParseAddrPort(hostport); err == nil && at.Addr().Is4() {
		return at.Addr().IsLoopback() // as nearly all are, and not to be mistaken for anything else
	}
	u, err := url.Parse("//" + hostport)
	if err != nil || u.Host != hostport {
		return false
	}
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}
