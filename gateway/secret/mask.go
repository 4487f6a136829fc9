package secret

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Masker replaces known secrets in text. The nil Masker changes nothing.
type Masker struct{ replacer *strings.Replacer }

// NewMasker returns a Masker of the values. It knows each as it is, in a URL's
// path and query, inside a JSON string, and in base64.
func NewMasker(values ...Value) *Masker {
	var forms []string
	for _, v := range values {
		forms = append(forms, spellings(v.Reveal())...)
	}
	if len(forms) == 0 {
		return nil
	}
	// Longest first: a secret that holds another must not leave its rest behind.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, masked)
	}
	return &Masker{strings.NewReplacer(pairs...)}
}

func spellings(text string) []string {
	quoted, _ := json.Marshal(text)
	return []string{
		text, url.QueryEscape(text), url.PathEscape(text), strings.Trim(string(quoted), `"`),
		base64.StdEncoding.EncodeToString([]byte(text)), base64.URLEncoding.EncodeToString([]byte(text)),
	}
}

// Text returns s with every known secret replaced by "[secret]".
func (m *Masker) Text(s string) string {
	if m == nil {
		return s
	}
	return m.replacer.Replace(s)
}

// Bytes is Text for bytes; b itself is not changed.
func (m *Masker) Bytes(b []byte) []byte {
	if m == nil || b == nil {
		return b
	}
	return []byte(m.replacer.Replace(string(b)))
}
