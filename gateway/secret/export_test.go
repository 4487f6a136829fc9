package secret

// Overlooked gives a place of a text where a secret begins and where the quick
// look says that none does; -1 for none.
func (m *Masker) Overlooked(text string) int {
	t := m.forms()
	if t == nil {
		return -1
	}
	w := walker{trie: t, text: text}
	looked := t.next(text, 0)
	for i := range len(text) {
		if i == looked {
			looked = t.next(text, i+1)
			continue
		}
		row := text[i] == '\\' && i+1 < len(text) && text[i+1] == '\\' // the last is enough
		if w.from(i) > i && !row {
			return i
		}
	}
	return -1
}

// Unquote is what a JSON string stands for.
func Unquote(token string) string { return string(unquote(nil, token)) }
