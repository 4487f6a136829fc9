package httptool

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// names is a DNS server that answers each question for an IPv4 address with the
// next of its answers, and the last one from then on.
type names struct {
	mu      sync.Mutex
	answers [][]netip.Addr
}

func (n *names) next() []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.answers[0]
	if len(n.answers) > 1 {
		n.answers = n.answers[1:]
	}
	return now
}

// resolver starts the server.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(n.reply(buffer[:size]), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// reply answers a question (RFC 1035 section 4).
func (n *names) reply(question []byte) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5
	out := append([]byte(nil), question[:end]...)
	out[2], out[3] = 0x84, 0x80 // an authoritative answer
	binary.BigEndian.PutUint16(out[6:], 0)
	binary.BigEndian.PutUint16(out[8:], 0)
	binary.BigEndian.PutUint16(out[10:], 0)
	if binary.BigEndian.Uint16(question[end-4:]) != 1 { // not A
		return out
	}
	addrs := n.next()
	binary.BigEndian.PutUint16(out[6:], uint16(len(addrs)))
	for _, a := range addrs {
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		out = append(out, a.AsSlice()...)
	}
	return out
}

// TestRebinding: a name is judged by the address that is dialled, each time.
func TestRebinding(t *testing.T) {
	const here = "127.0.0.1"
	only := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	tests := []struct {
		name     string
		answers  []string // of the resolver, several addresses with spaces between
		networks []netip.Prefix
		own      []netip.Prefix // of the upstream
		path     string
		want     string // of each of two calls: + answered, - blocked
	}{
		{"open", []string{here}, only, nil, "/", "++"},
		{"open for the upstream", []string{here}, nil, only, "/", "++"},
		{"not open", []string{here}, nil, nil, "/", "--"},
		{"private", []string{"10.1.2.3"}, only, nil, "/", "--"},
		{"turned private", []string{here, "10.1.2.3"}, only, nil, "/", "+-"},
		{"turned to metadata", []string{here, "169.254.169.254"}, []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}, nil, "/", "+-"},
		{"turned to the host itself", []string{here, "0.0.0.0"}, only, nil, "/", "+-"},
		{"all addresses private", []string{"10.1.2.3 192.168.0.1 127.0.0.2"}, only, nil, "/", "--"},
		{"a private address beside", []string{"10.1.2.3 " + here}, only, nil, "/", "++"},
		{"turned private in a redirect", []string{here, "10.1.2.3"}, only, nil, "/redirect", "--"},
		{"the redirect of a name that stays", []string{here}, only, nil, "/redirect", "++"},
		{"metadata beside what is open", []string{"169.254.169.254"}, only, []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")}, "/", "--"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close") // every request looks the name up
				if r.URL.Path == "/redirect" {
					http.Redirect(w, r, "/end", http.StatusFound)
				}
			})
			n := &names{}
			for _, line := range test.answers {
				var addrs []netip.Addr
				for _, text := range strings.Fields(line) {
					addrs = append(addrs, netip.MustParseAddr(text))
				}
				n.answers = append(n.answers, addrs)
			}
			place, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			c := newClientWith(test.networks, n.resolver(t))
			address := "http://rebind.test:" + place.Port()
			u := newUpstream(t, c, UpstreamConfig{URL: address, Networks: &Networks{Allow: test.own}})
			got := ""
			for range 2 {
				answer := ask(t.Context(), t, u, message{method: "GET", url: address + test.path})
				switch {
				case answer.err == nil:
					got += "+"
				case answer.err.Code == tool.BlockedTarget && answer.err.Fatal:
					got += "-"
				default:
					t.Errorf("got %v", answer.err)
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestNetworksOfAnUpstream: what is open to one upstream is open to no other,
// nor to tools with an address of their own.
func TestNetworksOfAnUpstream(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := newClient(t, nil)
	own := newUpstream(t, c, UpstreamConfig{URL: server.URL, Networks: &Networks{Allow: loopback}})
	other := newUpstream(t, c, UpstreamConfig{URL: server.URL})
	get := message{method: "GET", url: server.URL}
	if got := ask(t.Context(), t, own, get); got.err != nil {
		t.Error(got.err)
	}
	for _, u := range []*Upstream{other, c.Plain()} {
		if got := ask(t.Context(), t, u, get); got.err == nil || got.err.Code != tool.BlockedTarget {
			t.Errorf("got %v", got.err)
		}
	}
	var report diag.Report
	for _, networks := range []*Networks{nil, {Allow: loopback}} {
		c.NewUpstream(diag.NewCursor(&report, nil), "crm", UpstreamConfig{URL: server.URL, Networks: networks}, UpstreamDeps{})
	}
	if got := report.Problems(); len(got) != 1 || !strings.Contains(got[0].Text, "every call will be refused") {
		t.Errorf("got %v", got)
	}
}
