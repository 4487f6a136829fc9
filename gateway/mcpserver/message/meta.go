package message

// The members of _meta that the protocol defines (2026-07-28, basic, _meta).
const (
	keyProgress     = "progressToken"
	keyVersion      = "io.modelcontextprotocol/protocolVersion"
	keyCapabilities = "io.modelcontextprotocol/clientCapabilities"
	keyInfo         = "io.modelcontextprotocol/clientInfo"
)

const (
	metaProgress = 1 << iota
	metaVersion
	metaCapabilities
	metaInfo
)

// readMeta takes _meta.
func (p *part) readMeta(meta []byte) bool {
	own := part{Message: p.Message}
	for m := open(meta); m.next(); {
		if !own.meta(m.key, m.value) {
			return false
		}
	}
	return true
}

func (p *part) meta(key, value []byte) (ok bool) {
	switch string(key) {
	case keyProgress:
		p.Token = value
		return p.once(metaProgress) && isPlain(value)
	case keyVersion:
		p.Version, ok = plainText(value)
		return ok && p.once(metaVersion)
	case keyCapabilities:
		p.Described = true
		return p.once(metaCapabilities) && isObject(value, isCapability)
	case keyInfo:
		return p.once(metaInfo) && isObject(value, isInfo)
	}
	return isPlainKey(key) && isSimple(value)
}

// isObject reports whether a value is an object whose members all fit.
func isObject(value []byte, fits func(key, value []byte) bool) bool {
	if value[0] != '{' {
		return false
	}
	for m := open(value); m.next(); {
		if !fits(m.key, m.value) {
			return false
		}
	}
	return true
}

// isCapability knows what clients declare (2026-07-28, ClientCapabilities).
func isCapability(key, value []byte) bool {
	switch string(key) {
	case "roots":
		return isObject(value, func(key, value []byte) bool { return string(key) == "listChanged" && isBool(value) })
	case "sampling":
		return isObject(value, oneOf("tools", "context"))
	case "elicitation":
		return isObject(value, oneOf("form", "url"))
	case "extensions", "experimental":
		return isObject(value, func(key, value []byte) bool { return isPlainKey(key) && isEmpty(value) })
	}
	return false
}

// oneOf fits empty objects under one of two names.
func oneOf(a, b string) func(key, value []byte) bool {
	return func(key, value []byte) bool { return (string(key) == a || string(key) == b) && isEmpty(value) }
}

// isInfo knows how clients name themselves (2026-07-28, Implementation).
func isInfo(key, value []byte) bool {
	switch string(key) {
	case "name", "title", "version", "description", "websiteUrl":
		_, ok := plainText(value)
		return ok
	}
	return false
}

func isEmpty(value []byte) bool {
	return isObject(value, func(_, _ []byte) bool { return false })
}

func isBool(value []byte) bool { return string(value) == "true" || string(value) == "false" }

// isSimple reports whether a value holds no others and decodes everywhere.
func isSimple(value []byte) bool {
	return isPlain(value) || isBool(value) || string(value) == "null"
}

// isPlainKey reports whether a key's bytes are what it says, so that it cannot
// be another spelling of a defined one.
func isPlainKey(key []byte) bool {
	for _, c := range key {
		if c == '\\' {
			return false
		}
	}
	return true
}
