package wire

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// header is that of a call, without what its body adds.
func header(op *spec.Operation, args map[string]any) (http.Header, error) {
	h := http.Header{acceptHeader: {accept(op.Accept)}}
	for p := range parameters(op, spec.InHeader) {
		name := http.CanonicalHeaderKey(p.Name)
		if spec.IsGateways(name) {
			continue
		}
		text, present, err := headerText(p, args[p.Arg])
		switch {
		case err != nil:
			return nil, named(p.Arg, err)
		case !present:
		case !isToken(name):
			return nil, wrong(p, "cannot be sent, because %q is no name that a header may have", p.Name).WithHint("Leave it out.")
		case !isHeaderValue(text):
			return nil, wrong(p, "holds line breaks or control characters").WithHint("Send it as one line of plain text.")
		default:
			h[name] = append(h[name], text)
		}
	}
	cookies, err := cookies(op, args)
	if err != nil {
		return nil, err
	}
	if len(cookies) > 0 {
		h[cookieHeader] = []string{strings.Join(cookies, "; ")}
	}
	return h, nil
}

// headerText is a value in style simple, the only one of headers. It is not
// percent-encoded (Appendix D).
func headerText(p *spec.Parameter, arg any) (text string, present bool, err error) {
	if p.Media != "" {
		return content(p.Media, arg)
	}
	v, err := valueOf(arg, p.Order)
	if err != nil || v.kind == absent {
		return "", false, err
	}
	parts := v.items
	for _, m := range v.members {
		if p.Explode {
			parts = append(parts, m.name+"="+m.text)
		} else {
			parts = append(parts, m.name, m.text)
		}
	}
	return v.text + strings.Join(parts, ","), true, nil
}

// accept asks for what the operation answers with. JSON itself goes before all
// else, as a model reads it best, and the others are still taken: a picture may have
// no other form. Streams of events, which only end with their connection, and
// variants of JSON itself, of which some are streams, are not asked for where there
// is something else (RFC 9110 section 12.5.1).
func accept(types []string) string {
	var plain, other, streams []string
	for _, media := range types {
		essence, parameters, _ := strings.Cut(media, ";")
		essence = strings.ToLower(strings.TrimSpace(essence))
		switch {
		case media == "" || !isHeaderValue(media) || slices.Contains(slices.Concat(plain, other, streams), media):
		case essence == spec.MediaJSON && parameters == "":
			plain = append(plain, media)
		case essence == "text/event-stream", strings.Contains(parameters, "stream="), strings.HasSuffix(essence, "-seq"):
			streams = append(streams, media)
		default:
			other = append(other, media)
		}
	}
	switch {
	case len(plain) > 0:
		other = slices.DeleteFunc(other, spec.IsJSON)
		for _, media := range other {
			plain = append(plain, media+";q=0.5")
		}
		return strings.Join(plain, ", ")
	case len(other) > 0:
		slices.SortStableFunc(other, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
		return strings.Join(other, ", ")
	case len(streams) > 0:
		return strings.Join(streams, ", ")
	}
	return "*/*"
}

// rank puts the kinds of JSON before other types.
func rank(media string) int {
	if spec.IsJSON(media) {
		return 0
	}
	return 1
}

// cookies are the pairs of the Cookie field. Style Values writes them in
// style form, whose ampersand is never right there (Appendix D): as style cookie
// of OpenAPI 3.2 has it, every pair is a cookie of its own.
func cookies(op *spec.Operation, args map[string]any) ([]string, error) {
	var out []string
	owners := claimsOf(op, spec.InCookie, &cookieName)
	for p := range parameters(op, spec.InCookie) {
		pairs, err := cookiePairs(p, args[p.Arg])
		if err == nil {
			err = owners.take(p.Arg, pairs)
		}
		if err != nil {
			return nil, named(p.Arg, err)
		}
		for _, pair := range pairs {
			if isVerbatim(p) && !isCookieValue(pair.text) {
				return nil, wrong(p, "holds what a cookie cannot: spaces, quotes, commas, semicolons, backslashes or characters outside ASCII").
					WithHint("Send it escaped, the way that this API reads its cookies; many read percent-encoding.")
			}
			out = append(out, pair.name+"="+pair.text)
		}
	}
	return out, nil
}

func cookiePairs(p *spec.Parameter, arg any) ([]pair, error) {
	name := cookieName.text(p.Name)
	if p.Media != "" {
		text, present, err := content(p.Media, arg)
		if err != nil || !present {
			return nil, err
		}
		if !isVerbatim(p) {
			text = cookie.text(text)
		}
		return []pair{{name, text}}, nil
	}
	s := style{arg: p.Arg, name: spec.StyleForm, explode: p.Explode, names: cookieName, values: cookie, listed: p.Order, limit: maxHeader}
	s.values.triples = p.AllowReserved
	if isVerbatim(p) {
		s.explode, s.values = true, verbatim // not exploded is n/a, since a comma cannot stand in a cookie
	}
	return s.pairs(p.Name, arg)
}

// isVerbatim reports whether a cookie is the caller's to escape: so says style
// cookie (OpenAPI 3.2, Style Values), and a text type leaves it to the caller too
// (Appendix D).
func isVerbatim(p *spec.Parameter) bool {
	if p.Media != "" {
		return strings.HasPrefix(spec.Essence(p.Media), "text/") && !spec.IsJSON(p.Media)
	}
	return p.Style == spec.StyleCookie
}

// isCookieValue is cookie-value of RFC 6265 section 4.1.1.
func isCookieValue(text string) bool {
	if len(text) > 1 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		text = text[1 : len(text)-1]
	}
	return all(text, isCookieOctet)
}

// isToken is token of RFC 9110 section 5.6.2.
func isToken(text string) bool { return text != "" && all(text, isTokenChar) }

// isHeaderValue reports whether text is one line (RFC 9110 section 5.5).
func isHeaderValue(text string) bool {
	return all(text, func(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' })
}

func all(text string, is func(c byte) bool) bool {
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	return true
}
