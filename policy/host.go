package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/expression"
)

func bindHost([]any) (expression.Run, *expression.Unfit) {
	return func(_ expression.Known, args []any) (any, error) { return hostOf(args[0].(string)) }, nil
}

// hostOf is the host that a URL names, in the one spelling that it has here: in
// lower case, without port and final dot, an address as RFC 5952 writes it and
// one that is mapped from IPv4 as that of IPv4. What programs read differently
// is an error: an address without // or with nothing behind it, a host with a
// backslash, a space, an escape or letters outside ASCII, and a number in place
// of an address.
func hostOf(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return "", errors.New("is no URL with a host")
	}
	if strings.HasPrefix(u.Host, "[") {
		return addressOf(u.Hostname())
	}
	return nameOf(strings.ToLower(u.Hostname()))
}

// addressOf reads what stands in brackets.
func addressOf(text string) (string, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil || !addr.Is6() || addr.Zone() != "" {
		return "", errors.New("has brackets around what is no IPv6 address")
	}
	return addr.Unmap().String(), nil
}

// hostLetters are those of a host without brackets, in lower case.
const hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_."

// nameOf reads a host without brackets. Many programs take 127.1, 0x7f000001,
// 2130706433 and 0177.0.0.1 for 127.0.0.1, so a host that ends in a number (WHATWG
// URL, "ends in a number checker") must be four numbers without zeros in front.
func nameOf(host string) (string, error) {
	if strings.ContainsFunc(host, func(r rune) bool { return !strings.ContainsRune(hostLetters, r) }) {
		return "", errors.New("has a host that is not plain, so where it leads is uncertain")
	}
	host = strings.TrimSuffix(host, ".")
	labels := strings.Split(host, ".")
	if slices.Contains(labels, "") {
		return "", errors.New("has a host with nothing before, between or behind its dots, so where it leads is uncertain")
	}
	if !number(labels[len(labels)-1]) {
		return host, nil
	}
	if addr, err := netip.ParseAddr(host); err != nil || !addr.Is4() {
		return "", errors.New("has a number for a host that is no IPv4 address of four plain numbers, so where it leads is uncertain")
	}
	return host, nil
}

// number reports whether a label is one that programs read as a number: decimal
// or octal digits, or hexadecimal ones, even none, behind 0x.
func number(label string) bool {
	const decimal = "0123456789"
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, decimal+"abcdef") == ""
	}
	return strings.Trim(label, decimal) == ""
}

// bindHostIn takes names and, with a dot before it, a name and all that end in
// it.
func bindHostIn(fixed []any) (expression.Run, *expression.Unfit) {
	list, ok := fixed[1].([]any)
	if !ok || len(list) == 0 {
		return nil, &expression.Unfit{Arg: 1, Text: "host_in needs a list of hosts", Hint: `write ["x.com", ".y.com"] for example`}
	}
	var exact, below []string
	for _, item := range list {
		name, _ := item.(string)
		bare, dotted := strings.CutPrefix(name, ".")
		if written, ok := plainHost(bare); !ok {
			return nil, &expression.Unfit{Arg: 1, Text: fmt.Sprintf("%v is no host", item), Hint: "write x.com for one host, .x.com for it and all below it"}
		} else if written != bare {
			return nil, &expression.Unfit{Arg: 1, Text: fmt.Sprintf("%v is never the host of a URL here", item), Hint: "write " + written}
		}
		exact = append(exact, bare)
		if dotted {
			below = append(below, name)
		}
	}
	return func(_ expression.Known, args []any) (any, error) {
		host, err := hostOf(args[0].(string))
		if err != nil {
			return nil, err
		}
		return slices.Contains(exact, host) || slices.ContainsFunc(below, func(end string) bool { return strings.HasSuffix(host, end) }), nil
	}, nil
}

// plainHost is a host of a configuration as hostOf writes it.
func plainHost(name string) (written string, ok bool) {
	var err error
	if strings.Count(name, ":") > 1 {
		written, err = addressOf(name)
	} else {
		written, err = nameOf(name)
	}
	return written, err == nil
}
