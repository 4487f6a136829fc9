package secret_test

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

// TestBudget: a text made to be slow hides no secret, wherever in it that
// stands, and what is not made to be slow is left alone.
func TestBudget(t *testing.T) {
	t.Parallel()
	const size = 20_000
	key := strings.Repeat("a", 23) + "b"
	m := secret.NewMasker(secret.NewValue(key), secret.NewValue(strings.Repeat("ab", 12)))
	for _, unit := range []string{"a\\\n", "%61", "&#97;", `\u0061`, strings.Repeat("a", 22) + " ", "a", "a\n", `\`, "%25"} {
		filler := strings.Repeat(unit, size/len(unit))
		for at := 0; at < len(filler); at += 3989 {
			text := filler[:at] + "<" + key + ">" + filler[at:]
			for name, got := range map[string]string{"Text": m.Text(text), "Head": m.Head(text), "Tail": m.Tail(text), "list": m.Text("[" + quoted(text) + "]")} {
				if strings.Contains(got, "ab") {
					t.Fatalf("%s of %q with the secret at %d holds it", name, unit, at)
				}
			}
		}
	}
	for _, unit := range []string{
		"The quick brown fox jumps over the lazy dog. ", `C:\\Users\\Ann\\a&b\\`, "a=1&name=Ann+Lee&city=S%C3%A3o%20Paulo&", "%25%2F",
		`{"id": 12345, "text": "one\ntwo <b>three</b>"}` + "\n", "&lt;a&gt; &amp;amp; ", "aaaa-aaaa ", `\u00e9\u0301\ud83d\ude00`, "UXVpY2sgYnJvd24gZm94\n", `\\`,
	} {
		text := strings.Repeat(unit, size/len(unit))
		if got := m.Text(text); got != text {
			t.Errorf("%q was masked: %d bytes are left", unit, len(got))
		}
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(text) + `"`
}
