package openapi

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/toolgate/toolgate/openapi/spec"
)

// Address is where the operations are that have no server of their own, without a
// base_url: the first server of the document that has an address, with the values
// of its variables in it. The error says what is missing.
func (d *Document) Address(variables map[string]string) (string, error) {
	s := &Service{doc: d, variables: variables}
	if d.Base != "" {
		s.from, _ = url.Parse(d.Base) // it was asked already
	}
	u, err := s.resolve(d.Servers, s.from)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// UpstreamHint says what to write, with an upstream of a name, where a credential is
// wanted that the document declares no security scheme for.
func (d *Document) UpstreamHint(name string) string {
	address, err := d.Address(nil)
	if err != nil {
		address = "https://host"
	}
	return fmt.Sprintf(`name an upstream with auth: upstreams: {%[1]s: {url: %[2]q, auth: {bearer: "${secret.name}"}}}, and write upstream: %[1]s in place of auth`, name, address)
}

// NeedsAddress reports whether an operation has no server of its own.
func (d *Document) NeedsAddress() bool {
	return slices.ContainsFunc(d.Operations, func(op *spec.Operation) bool { return len(op.Servers) == 0 })
}
