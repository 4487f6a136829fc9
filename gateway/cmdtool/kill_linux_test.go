package cmdtool

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

// TestNobodyLeavesTheGroup runs commands that start others in a session of
// their own, which the group's end does not reach.
func TestNobodyLeavesTheGroup(t *testing.T) {
	tests := []struct{ name, script string }{
		{"a child", `setsid sleep 60 & echo $! > left; wait`},
		{"a grandchild", `sh -c 'setsid sleep 60 & echo $! > left; wait' & wait`},
		{"one whose own child does not listen", `setsid sh -c 'trap "" TERM; echo $$ > left; while :; do sleep 5; done' & wait`},
		{"behind a parent that ends when it is asked", `setsid sh -c 'sh -c "trap \"\" TERM; echo \$\$ > left; while :; do sleep 5; done" & wait' & wait`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			left := filepath.Join(dir, "left")
			ctx, cancel := context.WithCancel(t.Context())
			go func() { read(left); cancel() }()
			_, err := compile(t, Config{Argv: shell(test.script)}, Deps{Dir: dir}).Run(ctx, input(t, `{}`))
			if err == nil || tool.AsError(err).Code != tool.Cancelled {
				t.Errorf("got %v, want %s", err, tool.Cancelled)
			}
			wantGone(t, read(left))
		})
	}
}

func TestRelativesAreToldApart(t *testing.T) {
	if r := (relative{pid: 1, began: "never"}); len(descendants([]int{1})) == 0 {
		t.Error("the first process has no descendants")
	} else {
		r.signal(0) // its number belongs to another: nothing is done
	}
	if _, _, ok := stat(-1); ok {
		t.Error("a process without a number was found")
	}
}
