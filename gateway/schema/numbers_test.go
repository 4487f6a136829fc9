package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestBigNumbers: numbers are compared exactly, whatever their size.
func TestBigNumbers(t *testing.T) {
	for _, test := range []struct {
		schema, value string
		valid         bool
	}{
		{`{"type":"integer"}`, `12345678910111213141516171819202122232425262728293031`, true},
		{`{"type":"integer"}`, `-1e99`, true},
		{`{"type":"integer"}`, `1e100`, false},
		{`{"type":"integer"}`, `-1e300`, false},
		{`{"type":["integer","number"]}`, `-1e300`, true},
		{`{"type":"integer"}`, `1` + strings.Repeat("0", 300), true},
		{`{"type":"integer"}`, `9007199254740993.5`, false},
		{`{"type":"string"}`, `12345678910111213141516171819202122232425262728293031`, false},
		{`{"type":"number"}`, `98249283749234923498293171823948729348710298301928331.5`, true},
		{`{"maximum":18446744073709551615}`, `18446744073709551600`, true},
		{`{"maximum":18446744073709551615}`, `18446744073709551616`, false},
		{`{"exclusiveMaximum":972783798187987123879878123.18878137}`, `972783798187987123879878123.188781371`, false},
		{`{"minimum":-18446744073709551615}`, `-18446744073709551616`, false},
		{`{"exclusiveMinimum":-972783798187987123879878123.18878137}`, `-972783798187987123879878123.188781371`, false},
		{`{"multipleOf":0.01}`, `9007199254740993.07`, true},
		{`{"multipleOf":3}`, `9007199254740994`, false},
		{`{"multipleOf":0.5}`, `1e308`, true},
		{`{"enum":[9007199254740993]}`, `9007199254740992`, false},
		{`{"enum":[9007199254740993]}`, `9007199254740993.0`, true},
		{`{"const":1e2}`, `100`, true},
	} {
		s := mustCompile(t, `{"properties":{"n":`+test.schema+`}}`)
		args, err := s.Normalise(json.RawMessage(`{"n":` + test.value + `}`))
		if err != nil {
			t.Errorf("%s: %v", test.value, err)
			continue
		}
		if err := s.Validate(args); (err == nil) != test.valid {
			t.Errorf("%s against %s: valid is %v, want %v", test.value, test.schema, err == nil, test.valid)
		}
	}
}

// TestPatterns: patterns are read as ECMA-262 writes them where Go's own
// engine does not know them.
func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		matches       bool
	}{
		{`^a$`, "a", true},
		{`^a$`, "a\n", false},
		{`a`, "bab", true},
		{`^(?!foo)`, "bar", true},
		{`^(?!foo)`, "foobar", false},
		{`^(?=.*[0-9])(?=.*[a-z]).{4,}$`, "abc1", true},
		{`^(?=.*[0-9])(?=.*[a-z]).{4,}$`, "abcd", false},
		{`(?<=\$)[0-9]+$`, "$42", true},
		{`(?<!\$)\b[0-9]+$`, "$42", false},
		{`^(a|b)\1$`, "aa", true},
		{`^(a|b)\1$`, "ab", false},
		{`^\d+$`, "٣", false},
		{`^\w+$`, "é", false},
		{`^\p{L}+$`, "é", true},
		{`^\p{Lu}$`, "É", true},
		{`^.$`, "😀", true},
		{`^(?!x).$`, "😀", true},
		{`^\cC$`, "\x03", true},
	} {
		raw, err := json.Marshal(map[string]any{"properties": map[string]any{"s": map[string]any{"pattern": test.pattern}}})
		if err != nil {
			t.Fatal(err)
		}
		err = mustCompile(t, string(raw)).Validate(map[string]any{"s": test.text})
		if (err == nil) != test.matches {
			t.Errorf("%s on %q: %v, want %v", test.pattern, test.text, err == nil, test.matches)
		}
	}
}
