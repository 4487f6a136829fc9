package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/secret"
)

// cutMarks are what texts that somebody cut end with.
var cutMarks = []string{"", "...", "…", " […]", "\n", `"`, " ", "%2", `\u00`}

// shapes are texts that hold a guess so that it shows, or costs much work.
var shapes = map[string]func(guess string) string{
	"plain":   func(guess string) string { return guess },
	"hex":     func(guess string) string { return hex.EncodeToString([]byte(guess)) },
	"HEX":     func(guess string) string { return strings.ToUpper(hex.EncodeToString([]byte(guess))) },
	"base64":  func(guess string) string { return base64.RawStdEncoding.EncodeToString([]byte(guess)) },
	"aligned": func(guess string) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + guess)) },
	"percent": func(guess string) string { return percent(guess, "%%%02x") },
	"escaped": func(guess string) string { return percent(guess, `\u%04x`) },
	"lines":   func(guess string) string { return strings.Join(strings.Split(guess, ""), strings.Repeat("\n", 30)) },
	"joined":  func(guess string) string { return strings.Join(strings.Split(guess, ""), strings.Repeat(`\n`, 30)) },
	"often":   func(guess string) string { return strings.Repeat(guess+"&+&;", 50) },
	"last":    func(guess string) string { return strings.Repeat(guess+strings.Repeat(`\n`, 60)+"<", 8) },
}

// other is a text of the same length with other letters and digits in the same
// places.
func other(r *rand.Rand, text string) string {
	out := []byte(text)
	for i, c := range out {
		for _, class := range []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
			if at := strings.IndexByte(class, c); at >= 0 {
				out[i] = class[(at+1+r.IntN(len(class)-1))%len(class)]
			}
		}
	}
	return string(out)
}

// surfaces are the ways through a Masker.
func surfaces(m *secret.Masker, text string) map[string]string {
	return map[string]string{
		"Text": m.Text(text), "Bytes": string(m.Bytes([]byte(text))), "Head": m.Head(text), "Tail": m.Tail(text),
		"Texts": strings.Join(m.Texts([]string{text, "next"}), "|"), "JSON": m.Text(`["` + text + `"]`),
	}
}

// TestNoOracle plays the attack: a caller sends each proper start and each proper
// end of a secret. What comes back is what a Masker of another secret gives.
func TestNoOracle(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, key := range []string{
		"4f1d2c3b5a69788796a5b4c3d2e1f00f", "sk-live-AbCdEfGhIjKlMnOp012345", "p&ss+w%rd 1/x=y", "Abcd1",
		"-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nVJTUt9Us8cKjMzEfYyjiWA4R4\n-----END KEY-----",
	} {
		knows, not := secret.NewMasker(secret.NewValue(key)), secret.NewMasker(secret.NewValue(other(r, key)))
		for n := 1; n < len(key); n += 1 + len(key)/33 {
			for _, guess := range []string{key[:n], key[n:]} {
				for name, shape := range shapes {
					marks := cutMarks
					if len(shape("x")) > 50 { // those are many bytes, whatever follows
						marks = cutMarks[:1]
					}
					for _, mark := range marks {
						same(t, knows, not, name, "GUESS "+shape(guess)+mark)
					}
				}
			}
		}
	}
}

// same fails where two maskers tell a text apart.
func same(t *testing.T, a, b *secret.Masker, name, text string) {
	t.Helper()
	got, want := surfaces(a, text), surfaces(b, text)
	for surface := range want {
		if got[surface] != want[surface] {
			t.Fatalf("%s, %s of %.200q: the secret shows: %.200q", surface, name, text, got[surface])
		}
	}
	if want["Text"] != text {
		t.Fatalf("%s of %.200q became %.200q", name, text, want["Text"])
	}
}

// TestNoPieceAtCut: of a secret that stands at a cut of the gateway's, in any
// spelling and at any place, nothing is left; where none stands, as much is left.
func TestNoPieceAtCut(t *testing.T) {
	t.Parallel()
	const key, fill = "4f1d2c3b5a69788796a5b4c3d2e1f00f", 1000
	m := secret.NewMasker(secret.NewValue(key))
	around := strings.Repeat("~", fill)
	for name, spell := range shapes {
		if name == "lines" || name == "joined" { // longer than Reach
			continue
		}
		piece := spell(key[:4])
		for cut := range len(spell(key)) {
			if name == "often" || name == "last" {
				break
			}
			long := around + spell(key) + around
			head, tail := long[:fill+cut], long[fill+cut:]
			for surface, out := range map[string]string{"Head": m.Head(head), "Tail": m.Tail(tail)} {
				if strings.Contains(out, piece) || strings.Trim(out, "~") != "" || len(out) != fill-max(0, m.Reach()-cutLength(surface, cut, len(spell(key)))) {
					t.Fatalf("%s of %s cut at %d: %d bytes, %.80q", surface, name, cut, len(out), strings.Trim(out, "~"))
				}
			}
		}
	}
	whole := around + key + around
	if out := m.Head(whole); out != around+masked+around[m.Reach():] {
		t.Errorf("a whole secret before the cut: %q", out)
	}
	for n := range m.Reach() + 1 {
		if m.Head(around[:n])+m.Tail(around[:n]) != "" {
			t.Errorf("of %d bytes some are left", n)
		}
	}
	if out := m.Head(strings.Repeat("é", fill)) + m.Tail(strings.Repeat("é", fill)); strings.Trim(out, "é") != "" {
		t.Errorf("cut inside a character: %q", out)
	}
}

// cutLength is how much of a secret is on one side of a cut in it.
func cutLength(surface string, cut, long int) int {
	if surface == "Head" {
		return cut
	}
	return long - cut
}

// FuzzNoOracle: of two texts that differ in that one holds a piece of a secret,
// and in each surrounding, the same comes back but for that piece.
func FuzzNoOracle(f *testing.F) {
	for i, mark := range cutMarks {
		f.Add("GUESS ", mark+"\nGUESS", uint64(i), uint8(0), uint8(6+i))
		f.Add(`{"a": "`, mark+`"}`, uint64(i), uint8(3), uint8(200))
	}
	f.Fuzz(func(t *testing.T, before, after string, seed uint64, from, size uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		key := other(r, strings.Repeat("a1B-c3d4", 2+r.IntN(20)))
		const missing = 4 // characters, so that what follows does not make it whole
		begin := int(from) % (len(key) - missing)
		piece := key[begin:min(len(key)-missing, begin+1+int(size))]
		twin := other(r, piece)
		m, not := secret.NewMasker(secret.NewValue(key)), secret.NewMasker(secret.NewValue(other(r, key)))
		format := []string{"%%%02x", `\u%04x`, "&#x%02x;", "%c", "%c\n", `%c\n`}[r.IntN(6)]
		text, like := before+percent(piece, format)+after, before+percent(twin, format)+after
		same(t, m, not, fmt.Sprintf("%q", piece), text)
		place := len(before) + len(percent(piece, format))
		for surface, out := range map[string][2]string{"Head": {m.Head(text), m.Head(like)}, "Tail": {m.Tail(text), m.Tail(like)}, "Text": {m.Text(text), m.Text(like)}} {
			a, b := out[0], out[1]
			if len(a) != len(b) || surface != "Tail" && a != text[:len(a)] || surface == "Tail" && a != text[len(text)-len(a):] {
				t.Errorf("%s of %q: %q, and of %q: %q (the piece ends at %d)", surface, text, a, like, b, place)
			}
		}
	})
}
