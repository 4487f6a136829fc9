package limit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/limit"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestKeyOf: what is counted together has one key, and nothing else has it.
func TestKeyOf(t *testing.T) {
	call := func(name, caller, chat string) *tool.Call {
		return &tool.Call{Tool: name, Caller: tool.Caller{ID: caller}, Chat: tool.Chat{ID: chat}}
	}
	base := call("pay", "ann", "c")
	for _, tt := range []struct {
		name  string
		by    tool.LimitBy
		other *tool.Call
		same  bool
	}{
		{"by caller, another tool and chat", tool.LimitByCaller, call("find", "ann", "d"), true},
		{"by caller, another caller", tool.LimitByCaller, call("pay", "bob", "c"), false},
		{"by chat, another tool", tool.LimitByChat, call("find", "ann", "c"), true},
		{"by chat, another chat", tool.LimitByChat, call("pay", "ann", "d"), false},
		{"by chat, another caller's chat of that name", tool.LimitByChat, call("pay", "bob", "c"), false},
		{"by tool, another caller and chat", tool.LimitByTool, call("pay", "bob", "d"), true},
		{"by tool, another tool", tool.LimitByTool, call("find", "ann", "c"), false},
	} {
		if same := limit.KeyOf(limit.OfRule, "r", tt.by, base) == limit.KeyOf(limit.OfRule, "r", tt.by, tt.other); same != tt.same {
			t.Errorf("%s: one key: %v, want %v", tt.name, same, tt.same)
		}
	}
	keys := map[limit.Key]bool{}
	for _, k := range []limit.Key{
		limit.KeyOf(limit.OfRule, "r", tool.LimitByCaller, base),
		limit.KeyOf(limit.OfTool, "r", tool.LimitByCaller, base),
		limit.KeyOf(limit.OfRule, "s", tool.LimitByCaller, base),
		limit.KeyOf(limit.OfRule, "r", tool.LimitByTool, base),
		limit.KeyOf(limit.OfRule, "r", tool.LimitByChat, call("pay", "ann", "c")),
		limit.KeyOf(limit.OfRule, "r", tool.LimitByChat, call("pay", "an", "nc")),
	} {
		if keys[k] {
			t.Error("two of these have one key")
		}
		keys[k] = true
	}
}

// TestMemoryForgets: beyond its bounds the key goes that was asked for least lately.
func TestMemoryForgets(t *testing.T) {
	var m limit.Memory
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	free := func(i int) bool {
		key := limit.KeyOf(limit.OfTool, fmt.Sprint(i), tool.LimitByTool, &tool.Call{})
		full, _, _ := m.Take(t.Context(), func() time.Time { return now }, []limit.Limit{{Key: key, Calls: 1, Per: 24 * time.Hour}})
		return full == limit.None
	}
	for i := range limit.MaxKeys {
		free(i)
	}
	if free(0) || free(1) {
		t.Fatal("forgotten before there are too many")
	}
	free(limit.MaxKeys)
	if free(1) || !free(2) {
		t.Error("forgotten is not the one that was asked for least lately")
	}
}
