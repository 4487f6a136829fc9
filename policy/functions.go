package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// callsName is the function that asks how many calls there were.
const callsName = "calls"

// functions are those that rules have beside the ones of every expression. What
// cannot be judged, such as the host of a text that is no URL, is an error,
// because an error denies; false would skip a deny rule.
func functions() []expression.Func {
	text, pattern := expression.Param{Type: expression.String}, expression.Param{Type: expression.String, Fixed: true}
	list := expression.Param{Type: expression.Strings, Fixed: true}
	return []expression.Func{
		{Name: "now", Result: timeType(), Late: true, Bind: bindNow},
		{Name: callsName, Params: []expression.Param{pattern, pattern}, Result: expression.Int, Late: true, Bind: bindCalls},
		{Name: "glob", Params: []expression.Param{text, pattern}, Result: expression.Bool, Bind: bindGlob},
		{Name: "host", Params: []expression.Param{text}, Result: expression.String, Bind: bindHost},
		{Name: "host_in", Params: []expression.Param{text, list}, Result: expression.Bool, Bind: bindHostIn},
		{Name: "path_in", Params: []expression.Param{text, pattern}, Result: expression.Bool, Bind: bindPathIn},
		{Name: "cidr", Params: []expression.Param{text, {Type: expression.JSON, Fixed: true}}, Result: expression.Bool, Bind: bindCIDR},
	}
}

func timeType() expression.Type {
	return expression.Object(map[string]expression.Type{
		"text": expression.String, "date": expression.String, "time": expression.String, "weekday": expression.String,
		"year": expression.Int, "month": expression.Int, "day": expression.Int,
		"hour": expression.Int, "minute": expression.Int, "second": expression.Int, "unix": expression.Int,
	})
}

// bindNow gives the time of the call in UTC, in parts that can be compared:
// texts that sort by time, and numbers.
func bindNow([]any) (expression.Run, *expression.Unfit) {
	return func(known expression.Known, _ []any) (any, error) {
		t := requestOf(known).now().UTC()
		return map[string]any{
			"text": t.Format(time.RFC3339), "date": t.Format(time.DateOnly), "time": t.Format(time.TimeOnly),
			"weekday": strings.ToLower(t.Weekday().String()),
			"year":    t.Year(), "month": int(t.Month()), "day": t.Day(),
			"hour": t.Hour(), "minute": t.Minute(), "second": t.Second(), "unix": t.Unix(),
		}, nil
	}, nil
}

func bindCalls(fixed []any) (expression.Run, *expression.Unfit) {
	window, err := parseWindow(fixed[0].(string))
	if err != nil {
		return nil, &expression.Unfit{Arg: 0, Text: err.Error(), Hint: `write "1h" for example`}
	}
	by, err := parseBy(fixed[1].(string))
	if err != nil {
		return nil, &expression.Unfit{Arg: 1, Text: err.Error(), Hint: "write caller, chat or tool"}
	}
	return func(known expression.Known, _ []any) (any, error) {
		r := requestOf(known)
		if r.Counter == nil {
			return 0, nil
		}
		return r.Counter.Calls(r.subject(by), window, r.now()), nil
	}, nil
}

func bindGlob(fixed []any) (expression.Run, *expression.Unfit) {
	g, err := tool.ParseGlob(fixed[1].(string))
	if err != nil {
		return nil, &expression.Unfit{Arg: 1, Text: err.Error()}
	}
	return func(_ expression.Known, args []any) (any, error) { return g.Match(args[0].(string)), nil }, nil
}

// mappedBits is how many bits stand before the IPv4 address in an IPv6 address
// that is mapped from one (RFC 4291, section 2.5.5.2).
const mappedBits = 96

// bindCIDR takes one network or a list of them. An address or a network of IPv6
// that is mapped from IPv4 counts as that of IPv4.
func bindCIDR(fixed []any) (expression.Run, *expression.Unfit) {
	list, ok := fixed[1].([]any)
	if !ok {
		list = fixed[1:2]
	}
	if len(list) == 0 {
		return nil, &expression.Unfit{Arg: 1, Text: "cidr needs a network, or a list of them", Hint: `write "10.0.0.0/8" for example`}
	}
	networks := make([]netip.Prefix, len(list))
	for i, item := range list {
		var unfit *expression.Unfit
		if networks[i], unfit = parseNetwork(item); unfit != nil {
			return nil, unfit
		}
	}
	return func(_ expression.Known, args []any) (any, error) {
		addr, err := netip.ParseAddr(args[0].(string))
		if err != nil {
			return nil, errors.New("is no IP address")
		}
		addr = addr.Unmap().WithZone("")
		return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(addr) }), nil
	}, nil
}

func parseNetwork(item any) (netip.Prefix, *expression.Unfit) {
	text, ok := item.(string)
	network, err := netip.ParsePrefix(text)
	switch {
	case !ok:
		return network, &expression.Unfit{Arg: 1, Text: "a network is a text", Hint: `write "10.0.0.0/8" for example`}
	case err != nil:
		return network, &expression.Unfit{Arg: 1, Text: fmt.Sprintf("%q is no network", text), Hint: `write "10.0.0.0/8" for example`}
	case network != network.Masked():
		return network, &expression.Unfit{Arg: 1, Text: fmt.Sprintf("%q has bits set outside its prefix", text), Hint: "write " + network.Masked().String()}
	case network.Addr().Is4In6(): // addresses are compared in their IPv4 form
		return netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mappedBits), nil
	}
	return network, nil
}
