package document

// ParseJSON is what reads JSON of at most so many values, without YAML in its
// place.
func ParseJSON(file, text string, most int) (*Node, error) {
	n, err := parseJSON(file, text, most)
	return n, err.plain()
}
