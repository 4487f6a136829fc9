package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Guard refuses requests that a web page of another site may have caused, with
// 403, whatever their method and path.
//
// On a loopback address the Host header must name this machine (localhost,
// 127.0.0.0/8 or [::1], any port): a name that an attacker's DNS points here is
// refused. Where an Origin header is given, it must be of this machine as well;
// on any other address it must be the Host asked for. See "DNS rebinding" in the
// security best practices of the Model Context Protocol (2026-07-28).
//
// The address is the one the request came in on. A request without one, as
// from a test, is judged as if it had come in on loopback.
func Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := judge(r); p != nil {
			p.write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// judge returns why the request is refused, or nil.
func judge(r *http.Request) *problem {
	local := onLoopback(r)
	if local && !isLoopback(r.Host) {
		return &problem{
			status: http.StatusForbidden, Type: typeForbidden,
			Message: "the Host header does not name this machine",
			Hint:    "Use localhost or 127.0.0.1 in the URL.",
		}
	}
	for _, origin := range r.Header.Values("Origin") {
		if !allowedOrigin(origin, r.Host, local) {
			return &problem{
				status: http.StatusForbidden, Type: typeForbidden,
				Message: "requests from pages of another site are refused",
				Hint:    "Send no Origin header, or that of a page on this machine.",
			}
		}
	}
	return nil
}

func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return !ok || isLoopback(addr.String())
}

func allowedOrigin(origin, host string, local bool) bool {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return false // "null", as from a sandboxed frame or a file, is nobody's
	}
	if local {
		return isLoopback(u.Host)
	}
	return strings.EqualFold(u.Host, host)
}

// isLoopback reports whether a host, with or without a port, is this machine by
// its very spelling; nothing is resolved. It is read as a browser reads the host
// of a URL, so the two cannot take it for different machines.
func isLoopback(hostport string) bool {
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
