package document

// ParseJSON is what reads JSON, without YAML in its place.
func ParseJSON(file, text string) (*Node, error) {
	n, err := parseJSON(file, text)
	return n, err.plain()
}
