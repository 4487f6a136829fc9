package discovery

// grams finds terms that look alike.
type grams struct{}

func newGrams(names []string) *grams { return &grams{} }

// near are names of allowed documents that resemble the text.
func (s *Scope) near(text string, allowed bits) []string { return nil }
