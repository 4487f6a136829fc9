package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// errNoHost is the failure of an operation whose document does not say where it is.
const errNoHost = "the document does not say at which host its operations are"

// place finds the address that an operation is under: base_url, its own server, else
// that of the document. The query and fragment of a server's address are no part of
// it.
func (s *Service) place(op *spec.Operation) (*url.URL, error) {
	if s.named || len(op.Servers) == 0 {
		return s.base, s.baseErr
	}
	return s.resolve(op.Servers, s.from)
}

// resolve gives the first server of a list that has an address. A relative one is
// under the address that is given, where there is one.
func (s *Service) resolve(servers []spec.Server, under *url.URL) (*url.URL, error) {
	var first error
	for _, server := range servers {
		u, err := s.address(server, under)
		if err == nil {
			return u, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// address is the address of a server with the values of its variables in it.
func (s *Service) address(server spec.Server, under *url.URL) (*url.URL, error) {
	text, err := s.filled(server)
	if err != nil {
		return nil, err
	}
	if text == "" {
		text = "/" // the root, as people mean it, and not the document itself
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the address of the server, %q, cannot be read", text)
	}
	if under != nil {
		u = under.ResolveReference(u)
	}
	switch {
	case u.Host == "":
		return nil, errors.New(errNoHost)
	case u.Scheme == "":
		u.Scheme = "https"
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the server is at %q, and only http and https are spoken", text)
	}
	if u.User != nil {
		return nil, fmt.Errorf("the address of the server holds a user name or a password")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}, nil
}

// filled puts the values of the variables of a server into its address.
func (s *Service) filled(server spec.Server) (string, error) {
	var b strings.Builder
	rest := server.URL
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		name, end, closed := strings.Cut(after, "}")
		if !found || !closed {
			return b.String(), nil
		}
		value, err := s.variable(server, name)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		rest = end
	}
}

// variable is the value that stands for a part of a server's address.
func (s *Service) variable(server spec.Server, name string) (string, error) {
	v, known := server.Variables[name]
	value, own := s.variables[name]
	switch {
	case own:
		return value, fits(v, name, value)
	case known && (v.Default != "" || slices.Contains(v.Enum, "")):
		return v.Default, nil
	case len(v.Enum) > 0:
		return v.Enum[0], nil
	}
	return "", fmt.Errorf("the server variable %q has no value: set server_variables: {%s: …}", name, name)
}

// fits holds a configured value against a variable: it must be one of the values
// that the document lists; without a list it cannot bring the address to another
// host.
func fits(v spec.Variable, name, value string) error {
	switch {
	case len(v.Enum) > 0 && !slices.Contains(v.Enum, value):
		return fmt.Errorf("the server variable %q cannot be %q: the document allows %s", name, value, strings.Join(v.Enum, ", "))
	case len(v.Enum) == 0 && value != v.Default && strings.ContainsAny(value, `/?#@\ `):
		return fmt.Errorf("the server variable %q cannot be %q: it may not hold /, ?, #, @, \\ or spaces", name, value)
	}
	return nil
}

// origin is scheme, host and port, by which it is judged who gets credentials
// (RFC 6454 section 4).
func origin(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
