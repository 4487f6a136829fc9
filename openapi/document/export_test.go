package document

// ParseJSON is what reads JSON of at most so many values, without YAML in its
// place.
func ParseJSON(file, text string, most int) (*Node, error) {
	n, err := parseJSON(file, text, most)
	return n, err.plain()
}

// MaxMarks is how many separators a text may have to be read as YAML.
const MaxMarks = maxMarks

// Fill counts so many bytes as read already.
func (s *Set) Fill(bytes int) { s.total += bytes }
