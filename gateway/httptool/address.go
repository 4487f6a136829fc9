package httptool

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"github.com/toolgate/toolgate/gateway/tool"
)

// metadata are the addresses at which clouds hand out credentials to whoever
// can reach them. No configuration opens them to tools.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), // AWS, Google, Azure, Oracle, OpenStack and others
	netip.MustParseAddr("169.254.170.2"),   // AWS ECS task credentials
	netip.MustParseAddr("169.254.170.23"),  // AWS EKS pod identity
	netip.MustParseAddr("fd00:ec2::254"),   // AWS
	netip.MustParseAddr("fd00:ec2::23"),    // AWS EKS pod identity
	netip.MustParseAddr("fd20:ce::254"),    // Google
	netip.MustParseAddr("168.63.129.16"),   // Azure's host agent
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("192.0.0.192"),     // Oracle Cloud Classic
	netip.MustParseAddr("169.254.42.42"),   // Scaleway
	netip.MustParseAddr("fd00:42::42"),     // Scaleway
	netip.MustParseAddr("169.254.0.23"),    // Tencent
}

// reserved are the ranges that are not part of the public internet (IANA
// special-purpose address registries, RFC 6890, and RFC 4291 for the kinds of
// IPv6 addresses). The first that holds an address names it.
var reserved = []struct {
	prefix netip.Prefix
	name   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a carrier-grade NAT address"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "an address for protocol assignments"},
	{netip.MustParsePrefix("192.0.2.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a 6to4 relay address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "an address for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved or broadcast address"},
	{netip.MustParsePrefix("::/128"), "an unspecified address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("2001::/23"), "an address for protocol assignments, Teredo among them"},
	{netip.MustParsePrefix("2001:db8::/32"), "an address for documentation"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 address"},
	{netip.MustParsePrefix("3fff::/20"), "an address for documentation"},
}

var (
	// globalUnicast is all that IANA gives out of IPv6 (RFC 4291 section 2.4).
	globalUnicast = netip.MustParsePrefix("2000::/3")
	// nat64 carries an IPv4 address in its last four bytes (RFC 6052 section 2.1).
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

// guard decides which addresses tools may reach. It looks at the address that
// is dialled, after all names were resolved, so no name and no redirect leads
// around it.
type guard struct{ allowed []netip.Prefix }

// control is the net.Dialer's ControlContext.
func (g guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return blocked(fmt.Errorf("cannot tell the address in %q", address))
	}
	if why := g.refusal(target.Addr()); why != "" {
		return blocked(fmt.Errorf("%s is %s", target.Addr(), why))
	}
	return nil
}

// IsMetadata reports whether an address, or one that it carries inside, is that
// of a cloud metadata service, which tools never reach.
func IsMetadata(addr netip.Addr) bool {
	return slices.ContainsFunc(carried(essence(addr)), func(a netip.Addr) bool { return slices.Contains(metadata, a) })
}

// anywhere lets all through but for metadata services.
func anywhere() guard {
	return guard{allowed: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}
}

// with is the guard that lets through more networks.
func (g guard) with(more *Networks) guard {
	if more == nil {
		return g
	}
	return guard{allowed: slices.Concat(g.allowed, more.Allow)}
}

// host refuses a host that can be judged by its name alone: an address,
// localhost (RFC 6761 section 6.3), and what ends in a number, which some
// resolvers read as an address in an old notation.
func (g guard) host(name string) error {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	addr, err := netip.ParseAddr(name)
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case err == nil:
	case last != "" && last[0] >= '0' && last[0] <= '9':
		return blocked(fmt.Errorf("%q ends in a number but is not an address", name))
	default:
		return nil
	}
	if why := g.refusal(addr); why != "" {
		return blocked(fmt.Errorf("%s is %s", addr, why))
	}
	return nil
}

// refusal says, for the operator, what keeps tools from the address, or
// nothing when they may reach it.
func (g guard) refusal(addr netip.Addr) string {
	addr = essence(addr)
	if IsMetadata(addr) {
		return "a cloud metadata service, which no configuration opens to tools"
	}
	if slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return ""
	}
	const how = "; to let tools reach it, put a range that holds it under networks.allow"
	for _, r := range reserved {
		if r.prefix.Contains(addr) {
			return r.name + how
		}
	}
	if addr.Is6() && !globalUnicast.Contains(addr) {
		return "not a public address" + how
	}
	return ""
}

// essence takes an IPv4 address out of its IPv6 wrappings, and a zone off.
func essence(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

// carried are the address itself and the IPv4 addresses that a router on the
// way could take out of it: one in the last four bytes (IPv4-compatible,
// IPv4-translated, ISATAP, NAT64 with a /96 prefix), behind the first two (6to4,
// RFC 3056), or where RFC 6052 section 2.2 puts it for shorter NAT64 prefixes.
// It is asked about metadata services only: taking too much for one is no loss.
func carried(addr netip.Addr) []netip.Addr {
	out := []netip.Addr{addr}
	if !addr.Is6() {
		return out
	}
	b := addr.As16()
	for _, at := range [][4]int{{12, 13, 14, 15}, {2, 3, 4, 5}, {4, 5, 6, 7}, {5, 6, 7, 9}, {6, 7, 9, 10}, {7, 9, 10, 11}, {9, 10, 11, 12}} {
		out = append(out, netip.AddrFrom4([4]byte{b[at[0]], b[at[1]], b[at[2]], b[at[3]]}))
	}
	return out
}

func blocked(cause error) *tool.Error {
	e := tool.Errorf(tool.BlockedTarget, "the address of this tool lies in a network that tools may not reach").Because(cause).
		WithHint("This is a security boundary: do not try again, with these or other arguments, and do not look for another way to the same address.")
	e.Fatal = true
	return e
}
