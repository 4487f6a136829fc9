package openapi

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// Recipient is an origin that requests of operations go to.
type Recipient struct {
	Origin      string // scheme, host and port
	Operations  int
	Credentials int  // how many of them show credentials, or would
	Own         bool // it is that of base_url, of the upstream, or of the document's first server
}

// Plain reports whether what is sent there can be read on the way: it is plain http
// to what is not this machine, nor the address of a private network, nor a name
// without a dot, which only private networks have.
func (r Recipient) Plain() bool {
	u, err := url.Parse(r.Origin)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if addr, err := netip.ParseAddr(host); err == nil {
		return !addr.IsLoopback() && !addr.IsPrivate() && !addr.IsLinkLocalUnicast()
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".localhost")
}

// Recipients are the origins that requests of operations go to, in the order of the
// operations, with how many show credentials that are configured. Operations without
// an address are in none.
func (s *Service) Recipients(operations []*spec.Operation) []Recipient {
	return s.recipients(operations, func(op *spec.Operation) bool {
		shown, _ := s.letIn(op)
		return len(shown) > 0
	})
}

// Recipients are the origins that requests of operations go to under a block, as
// [Service.Recipients] gives them, where the credentials that the operations ask for
// are configured. There is none where the block names an upstream.
func (d *Document) Recipients(cfg Config, operations []*spec.Operation) []Recipient {
	if cfg.Upstream != "" {
		return nil
	}
	s := &Service{doc: d, variables: cfg.ServerVariables, named: cfg.BaseURL != ""}
	if d.Base != "" {
		s.from, _ = url.Parse(d.Base) // it was asked already
	}
	if s.named {
		s.base, s.baseErr = url.Parse(cfg.BaseURL)
		s.from = s.base
	} else if s.base, s.baseErr = s.resolve(d.Servers, s.from); s.from == nil {
		s.from = s.base
	}
	return s.recipients(operations, func(op *spec.Operation) bool {
		return slices.ContainsFunc(op.Security, func(way []spec.Use) bool { return len(way) > 0 })
	})
}

func (s *Service) recipients(operations []*spec.Operation, shows func(*spec.Operation) bool) []Recipient {
	var all []Recipient
	at, own := map[string]int{}, s.ownOrigin()
	for _, op := range operations {
		u, err := s.place(op)
		if s.upstream != nil {
			u, err = url.Parse(s.upstream.Origin())
		}
		if err != nil {
			continue
		}
		key := origin(u)
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, Recipient{Origin: u.Scheme + "://" + u.Host, Own: key == own})
		}
		all[i].Operations++
		if shows(op) && (s.upstream != nil || s.trusts(u)) {
			all[i].Credentials++
		}
	}
	return all
}
