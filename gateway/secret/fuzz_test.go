package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/secret"
)

// spell writes text with a random spelling for each character.
func spell(r *rand.Rand, text string) string {
	var b strings.Builder
	for i, c := range text {
		if i > 0 && r.IntN(12) == 0 {
			b.WriteString([]string{"\n", "\r\n", `\n`, "\n    ", "%0A"}[r.IntN(5)])
		}
		b.WriteString(spellRune(r, c))
	}
	return b.String()
}

func spellRune(r *rand.Rand, c rune) string {
	plain := string(c)
	switch r.IntN(9) {
	case 0:
		return percent(plain, "%%%02X")
	case 1:
		return percent(plain, "%%%02x")
	case 2:
		return percent(plain, "%%25%02X")
	case 3:
		if c < 0x10000 {
			return fmt.Sprintf([]string{`\u%04x`, `\u%04X`, `\\u%04x`}[r.IntN(3)], c)
		}
	case 4:
		return fmt.Sprintf([]string{"&#%d;", "&#x%x;", "&amp;#%d;"}[r.IntN(3)], c)
	case 5:
		return html.EscapeString(plain)
	case 6:
		return strings.Trim(marshalled(plain), `"`)
	case 7:
		if c == '/' {
			return `\/`
		}
	}
	return plain
}

func percent(text, format string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, format, text[i])
	}
	return b.String()
}

func marshalled(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// usable reports whether the parts of a random secret can be told from what
// stands there anyway.
func usable(text string) bool {
	return utf8.ValidString(text) && len(text) <= 300 && strings.TrimSpace(text) == text &&
		len(strings.Join(strings.Fields(text), "")) >= 6 && !strings.ContainsAny(text, "\"{}[],:") &&
		!strings.Contains("[secret]", text[:4]) && !strings.ContainsRune(text, utf8.RuneError)
}

// FuzzMasker hides a secret, spelled at random, in random text.
func FuzzMasker(f *testing.F) {
	f.Add("hunter2/&+é x", "before ", " after", uint64(1))
	f.Add("a<b>&'c'🔑=%41", `{"a": "\`, `"}`, uint64(2))
	f.Add(strings.Repeat("0123456789abcdef", 12), "%2", "F", uint64(3))
	f.Fuzz(func(t *testing.T, value, before, after string, seed uint64) {
		if !usable(value) || strings.Contains(before+after, value[:4]) || strings.Contains(before+after, masked) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		m := secret.NewMasker(secret.NewValue(value))
		for _, spelled := range []string{
			value, spell(r, value), marshalled(value), hex.EncodeToString([]byte(value)),
			base64.StdEncoding.EncodeToString([]byte(value)),
		} {
			if strings.Count(before+masked+after, spelled) > 0 {
				continue
			}
			if out := m.Text(before + spelled + after); strings.Contains(out, spelled) || !strings.Contains(out, masked) {
				t.Errorf("%q spelled %q: %q", value, spelled, out)
			}
		}
	})
}

// FuzzMaskedJSON checks that masked JSON is JSON and that nothing in it, as a
// reader decodes it, is the secret.
func FuzzMaskedJSON(f *testing.F) {
	f.Add("hunter2/é", `{"a": "hunter2\/\u00e9", "n": 1.50, "hunter2/é": [true]}`)
	f.Add("1234567", `{"a": 1234567, "b": [91234567e9]}`)
	f.Add("nabc", `["\nabc", "\\nabc", "a\"nabc\""]`)
	f.Add(`a","b`, `["a","b"]`)
	f.Add(`test`, `"{\"a\": \"\\u0074est\"}"`)
	f.Fuzz(func(t *testing.T, value, text string) {
		if !json.Valid([]byte(text)) || !usable(value) && value != "nabc" && value != `a","b` {
			return
		}
		out := secret.NewMasker(secret.NewValue(value)).Bytes([]byte(text))
		var v any
		if strings.ContainsAny(text[:1], `{["`) && !json.Valid(out) {
			t.Fatalf("%q in %s: %s is not JSON", value, text, out)
		}
		if json.Unmarshal(out, &v) != nil {
			return
		}
		each(v, func(s string) {
			if strings.Contains(strings.ReplaceAll(s, masked, "\n\x00"), value) {
				t.Errorf("%q in %s: left in %s", value, text, out)
			}
		})
	})
}

// each calls visit with all texts of a JSON value.
func each(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			each(e, visit)
		}
	case map[string]any:
		for k, e := range v {
			visit(k)
			each(e, visit)
		}
	}
}

// FuzzNoSecret checks that a text without the secret is not changed.
func FuzzNoSecret(f *testing.F) {
	f.Add(`{"a": "%2F\u0041&amp;"}`, uint64(1))
	f.Add("YWJj=\n%%%\\\\\\u", uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := secret.NewMasker(secret.NewValue(fmt.Sprintf("%016x~%016x", r.Uint64(), r.Uint64())))
		for _, out := range []string{m.Text(text), strings.Join(m.Texts([]string{text, ""}), "")} {
			if out != text {
				t.Errorf("%q became %q", text, out)
			}
		}
	})
}

// FuzzQuickLook compares the quick look at each place of a text with a walk from
// there, and JSON strings as they are read for it with how encoding/json does.
func FuzzQuickLook(f *testing.F) {
	for _, value := range []string{"hunter2/&+é x", "a b c d", "\x00\a\b\\x", "%&=+\\<>", "\uFFFDé\uFFFD", "&amp;&", `\\\n`} {
		for _, text := range []string{value, "%2\\u0041&#x68;", "\r\n\\\n=\n", `\\u0025`} {
			f.Add(value, text, uint64(3))
		}
	}
	f.Fuzz(func(t *testing.T, value, text string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := secret.NewMasker(secret.NewValue(value))
		if len(value) > 300 || len(text) > 1000 { // every place is walked from
			return
		}
		for _, text := range []string{text, value + text, text + spell(r, value), spell(r, spell(r, value)), text + percent(value, "=%02X"), percent(value, `\%03o`)} {
			if i := m.Overlooked(text); i >= 0 {
				t.Errorf("%q begins at %d of %q and is not looked at", value, i, text)
			}
			var plain string
			if token := `"` + text + `"`; utf8.ValidString(text) && json.Unmarshal([]byte(token), &plain) == nil && plain != secret.Unquote(token) {
				t.Errorf("%s stands for %q and not for %q", token, plain, secret.Unquote(token))
			}
		}
	})
}
