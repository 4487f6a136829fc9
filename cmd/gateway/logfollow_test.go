package main

import (
	"strings"
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestFollowedLines shows calls one by one, under headings that stand over them.
func TestFollowedLines(t *testing.T) {
	entry := func(id, name string, code tool.Code) runlog.Entry {
		return runlog.Entry{Status: runlog.StatusOK, Record: runlog.Record{
			CallID: id, Tool: name, Code: code, Time: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), Caller: runlog.Caller{Kind: tool.KindHTTP, Name: "ann"},
		}}
	}
	var out strings.Builder
	first := []runlog.Entry{entry("call_a", "größe", ""), entry("call_bb", "t", tool.Denied)}
	l := liner{out: &out}
	err := l.begin(first)
	later := entry("call_cccc", "t", "")
	for _, e := range append(first, later) {
		if err == nil {
			err = l.show(&e)
		}
	}
	want := `TIME                  CALL     TOOL   CALLER    ENDED   RULE  TOOK  WHY
2026-01-31T12:00:00Z  call_a   größe  http/ann  ok      -     0s    -
2026-01-31T12:00:00Z  call_bb  t      http/ann  denied  -     0s    -
2026-01-31T12:00:00Z  call_cccc  t      http/ann  ok      -     0s    -
`
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestColumnsArePlain holds that nothing of a record can move the cursor.
func TestColumnsArePlain(t *testing.T) {
	const bad = "a\x1b[2J"
	for _, word := range columns(&runlog.Entry{Status: runlog.StatusError, Record: runlog.Record{
		CallID: bad, Tool: bad, Code: bad, Rule: bad, Error: bad, Cause: bad, Caller: runlog.Caller{Kind: bad, Name: bad},
	}}) {
		if strings.Contains(word, "\x1b") {
			t.Errorf("%q", word)
		}
	}
}
