package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPatternCompiles compares what is said of a pattern with what Compile makes of
// a schema that has it.
func TestPatternCompiles(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"": true, "^[a-z]+$": true, `\p{L}`: true, "^(?!x)a": true, `(?<y>\d)\k<y>`: true,
		"(": false, "[a-": false, "a{2,1}": false, "*": false, "(?P<": false,
		strings.Repeat("a", maxPatternSize+1): false,
	} {
		if got := PatternCompiles(pattern); got != want {
			t.Errorf("%.40q: %v", pattern, got)
		}
		for _, text := range []string{`{"type":"object","properties":{"a":{"pattern":%}}}`, `{"type":"object","patternProperties":{%:{}}}`} {
			quoted, _ := json.Marshal(pattern)
			_, err := Compile(json.RawMessage(strings.Replace(text, "%", string(quoted), 1)))
			if (err == nil) != want {
				t.Errorf("%.40q: Compile says %v", pattern, err)
			}
		}
	}
}
