package wire

import "strings"

// escape says how text is percent-encoded (RFC 3986 section 2.1).
type escape struct {
	keep    func(c byte) bool // the characters that stay
	triples bool              // whether %XX stays too
	plus    bool              // whether a space is a plus sign
}

// The ways to encode.
var (
	// strict is for values: they mean the same in a path and in a query.
	strict = escape{keep: isUnreserved}
	// reservedQuery is for values of allowReserved (RFC 6570 section 3.2.3). Parameter
	// Object leaves it to the application to encode what does not belong in a query
	// ("[", "]", "#") and what separates its pairs ("=", "&", "+"), so we do: data
	// that looks like another parameter stays data.
	reservedQuery = escape{keep: isQueryData, triples: true}
	// reservedPath is the same for a path, in which a value stays one segment (OpenAPI
	// 3.2 section 4.9.1): slashes are encoded, and so are percent signs, behind which
	// another slash may be hidden.
	reservedPath = escape{keep: isPathChar}
	// literalPath and literalQuery are for what the document itself has in a path.
	literalPath  = escape{keep: isPathChar, triples: true}
	literalQuery = escape{keep: func(c byte) bool { return isPathChar(c) || c == '/' || c == '?' }, triples: true}
	// form and reservedForm are for forms (WHATWG URL section 5.2; OpenAPI 3.2
	// URL Percent-Encoding for what allowReserved leaves).
	form         = escape{keep: isFormChar, plus: true}
	reservedForm = escape{keep: isQueryData, triples: true, plus: true}
	// cookie is for values of cookies: as little as RFC 6265 section 4.1.1 lets,
	// since many servers do not decode them, and the percent sign, so that those that
	// do get back what was meant. RFC 6570 would encode more, which decodes to the
	// same.
	cookie     = escape{keep: func(c byte) bool { return isCookieOctet(c) && c != '%' }}
	cookieName = escape{keep: func(c byte) bool { return isTokenChar(c) && c != '%' }}
	// partName is for names of parts between quotes.
	partName = escape{keep: func(c byte) bool { return c >= ' ' && c != '"' && c != 0x7f }}
	// verbatim is for what is no part of an address.
	verbatim = escape{keep: func(byte) bool { return true }}
)

// text encodes a text.
func (e *escape) text(text string) string {
	const digits = "0123456789ABCDEF"
	at := 0
	for at < len(text) && e.keep(text[at]) {
		at++
	}
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case e.keep(c), e.triples && isTriple(text[at:]):
			b.WriteByte(c)
		case e.plus && c == ' ':
			b.WriteByte('+')
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// isTriple reports whether text starts with a percent-encoded byte.
func isTriple(text string) bool {
	return len(text) > 2 && text[0] == '%' && isHex(text[1]) && isHex(text[2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// isUnreserved is RFC 3986 section 2.3.
func isUnreserved(c byte) bool { return isAlphanumeric(c) || isOneOf(c, "-._~") }

// isPathChar is pchar of RFC 3986 section 3.3, without the percent sign.
func isPathChar(c byte) bool { return isUnreserved(c) || isOneOf(c, "!$&'()*+,;=:@") }

// isQueryData is what a value of allowReserved keeps in a query.
func isQueryData(c byte) bool { return isUnreserved(c) || isOneOf(c, "!$'()*,;:@/?") }

// isFormChar is what a form keeps (WHATWG URL section 1.3, the
// application/x-www-form-urlencoded percent-encode set).
func isFormChar(c byte) bool { return isAlphanumeric(c) || isOneOf(c, "*-._") }

// isCookieOctet is cookie-octet of RFC 6265 section 4.1.1.
func isCookieOctet(c byte) bool { return c > ' ' && c < 0x7f && !isOneOf(c, "\",;\\") }

// isTokenChar is tchar of RFC 9110 section 5.6.2.
func isTokenChar(c byte) bool { return isAlphanumeric(c) || isOneOf(c, "!#$%&'*+-.^_`|~") }

func isOneOf(c byte, set string) bool { return strings.IndexByte(set, c) >= 0 }
