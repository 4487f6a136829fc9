package secret

// Unread reports whether a text causes so much work that parts of it are masked
// without being read.
func (m *Masker) Unread(text string) bool {
	if m.none() {
		return false
	}
	_, unread := m.forms.search(text, whole)
	return unread
}
