package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestCallerOf(t *testing.T) {
	t.Parallel()
	nobody := tool.CallerOf(t.Context(), tool.KindHTTP)
	want := tool.Caller{ID: "anonymous", Name: "anonymous", Kind: tool.KindHTTP, May: []tool.Right{tool.MayCall}}
	if diff := cmp.Diff(want, nobody); diff != "" {
		t.Errorf("nobody (-want +got):\n%s", diff)
	}
	ann := tool.Caller{ID: "1", Name: "ann", Groups: []string{"g"}, May: []tool.Right{tool.MayApprove}}
	got := tool.CallerOf(tool.WithCaller(t.Context(), ann), tool.KindMCP)
	ann.Kind = tool.KindMCP
	if diff := cmp.Diff(ann, got); diff != "" {
		t.Errorf("ann (-want +got):\n%s", diff)
	}
}

func TestCan(t *testing.T) {
	t.Parallel()
	for _, r := range tool.Rights() {
		for _, has := range tool.Rights() {
			c := tool.Caller{May: []tool.Right{has}}
			if got, want := c.Can(r), has == r || has == tool.MayAdmin; got != want {
				t.Errorf("who has %s: Can(%s) = %v", has, r, got)
			}
		}
		if c := (tool.Caller{}); c.Can(r) {
			t.Errorf("who has nothing can %s", r)
		}
	}
}

func TestLacks(t *testing.T) {
	t.Parallel()
	for has, want := range map[string][]tool.Right{"none": nil, "call": {tool.MayCall}, "call, approve": {tool.MayCall, tool.MayApprove}} {
		message, hint := (&tool.Caller{Name: "ann", May: want}).Lacks(tool.MayAdmin)
		if message != "this needs the right admin, and the caller ann has "+has || hint != "Use the token of a caller that may admin (server.admin_token, or server.callers with may)." {
			t.Errorf("%s: %s (%s)", has, message, hint)
		}
	}
}
