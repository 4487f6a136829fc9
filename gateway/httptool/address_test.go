package httptool

import (
	"net/netip"
	"strings"
	"testing"
)

// refusals are addresses and what the guard says of them.
var refusals = []struct {
	addr, allowed string // allowed is a list of ranges with spaces between
	want          string // part of the reason; empty when it may be reached
}{
	{"1.1.1.1", "", ""},
	{"8.8.8.8", "10.0.0.0/8", ""},
	{"2606:4700:4700::1111", "", ""},
	{"64:ff9b::101:101", "", ""},
	{"::ffff:1.1.1.1", "", ""},
	{"0.0.0.0", "", "unspecified"},
	{"0.1.2.3", "", "unspecified"},
	{"10.1.2.3", "", "private"},
	{"10.1.2.3", "10.1.0.0/16", ""},
	{"10.2.2.3", "10.1.0.0/16", "private"},
	{"100.64.0.1", "", "carrier-grade NAT"},
	{"100.127.255.255", "", "carrier-grade NAT"},
	{"100.128.0.1", "", ""},
	{"127.0.0.1", "", "loopback"},
	{"127.8.8.8", "", "loopback"},
	{"127.0.0.1", "127.0.0.0/8", ""},
	{"169.254.1.1", "", "link-local"},
	{"169.254.1.1", "169.254.0.0/16", ""},
	{"172.16.0.1", "", "private"},
	{"172.31.255.255", "", "private"},
	{"172.32.0.1", "", ""},
	{"192.0.0.8", "", "protocol assignments"},
	{"192.0.2.1", "", "documentation"},
	{"192.88.99.1", "", "6to4"},
	{"192.168.1.1", "", "private"},
	{"192.168.1.1", "10.0.0.0/8 192.168.0.0/16", ""},
	{"198.18.0.1", "", "benchmarks"},
	{"198.51.100.1", "", "documentation"},
	{"203.0.113.1", "", "documentation"},
	{"224.0.0.1", "", "multicast"},
	{"240.0.0.1", "", "reserved or broadcast"},
	{"255.255.255.255", "", "reserved or broadcast"},
	{"::", "", "unspecified"},
	{"::1", "", "loopback"},
	{"::1", "::1/128", ""},
	{"::1", "127.0.0.0/8", "loopback"},
	{"::127.0.0.1", "", "not a public address"},
	{"::ffff:127.0.0.1", "", "loopback"},
	{"::ffff:10.0.0.1", "10.0.0.0/8", ""},
	{"64:ff9b::7f00:1", "", "loopback"},
	{"64:ff9b::a00:1", "10.0.0.0/8", ""},
	{"64:ff9b:1::1", "", "not a public address"},
	{"100::1", "", "not a public address"},
	{"2001::1", "", "Teredo"},
	{"2001:2::1", "", "protocol assignments"},
	{"2001:db8::1", "", "documentation"},
	{"2002:7f00:1::", "", "6to4"},
	{"3fff::1", "", "documentation"},
	{"5f00::1", "", "not a public address"},
	{"fc00::1", "", "private"},
	{"fd12:3456::1", "", "private"},
	{"fd12:3456::1", "fd12::/16", ""},
	{"fe80::1%eth0", "", "link-local"},
	{"fe80::1%eth0", "fe80::/10", ""},
	{"fec0::1", "", "not a public address"},
	{"ff02::1", "", "multicast"},
	{"169.254.169.254", "0.0.0.0/0", "metadata"},
	{"::ffff:169.254.169.254", "0.0.0.0/0 ::/0", "metadata"},
	{"64:ff9b::a9fe:a9fe", "0.0.0.0/0 ::/0", "metadata"},
	{"64:ff9b:1::a9fe:a9fe", "::/0", "metadata"},
	{"64:ff9b:1:a9fe:a9:fe00::", "::/0", "metadata"},
	{"2001:db8:a9fe:a9fe::", "::/0", "metadata"},
	{"::a9fe:a9fe", "::/0", "metadata"},
	{"::ffff:0:a9fe:a9fe", "::/0", "metadata"},
	{"2002:a9fe:a9fe::1", "::/0", "metadata"},
	{"fe80::5efe:a9fe:a9fe", "::/0", "metadata"},
	{"fe80::a9fe:a9fe", "::/0", "metadata"},
	{"169.254.170.2", "169.254.0.0/16", "metadata"},
	{"100.100.100.200", "100.64.0.0/10", "metadata"},
	{"168.63.129.16", "", "metadata"},
	{"fd00:ec2::254", "fc00::/7", "metadata"},
	{"fd00:ec2::254%eth0", "fc00::/7", "metadata"},
}

func TestRefusal(t *testing.T) {
	for _, test := range refusals {
		t.Run(test.addr+" "+test.allowed, func(t *testing.T) {
			var g guard
			for _, text := range strings.Fields(test.allowed) {
				g.allowed = append(g.allowed, netip.MustParsePrefix(text))
			}
			got := g.refusal(netip.MustParseAddr(test.addr))
			if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestControlRefusesWhatItCannotRead(t *testing.T) {
	for _, address := range []string{"", "example.com:80", "1.1.1.1", "/run/docker.sock"} {
		if err := (guard{}).control(t.Context(), "tcp", address, nil); err == nil {
			t.Errorf("%q was let through", address)
		}
	}
}
