package tool_test

import (
	"strings"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestNewCallID holds that an identifier, by which a call may be asked after,
// cannot be guessed: it has 26 characters of base32, 130 bits.
func TestNewCallID(t *testing.T) {
	seen := map[string]bool{}
	before := ""
	for range 1000 {
		id := tool.NewCallID()
		name, rest, _ := strings.Cut(id, "_")
		if name != "call" || len(rest) != 10+26 || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || seen[rest[10:]] {
			t.Fatalf("got %q", id)
		}
		if rest[:10] < before {
			t.Errorf("%s sorts before %s", id, before)
		}
		seen[rest[10:]], before = true, rest[:10]
	}
}

func TestCheckChatID(t *testing.T) {
	for id, fine := range map[string]bool{
		"a": true, "~!": true, "support/7?x=1": true, strings.Repeat("c", tool.MaxChatID): true,
		"": false, " ": false, "a b": false, "é": false, "a\nb": false, "a\x7f": false, strings.Repeat("c", tool.MaxChatID+1): false,
	} {
		if err := tool.CheckChatID(id); (err == nil) != fine {
			t.Errorf("%.20q: %v", id, err)
		}
	}
}
