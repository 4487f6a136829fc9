package store_test

import (
	"testing"
	"time"

	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

// TestWordsOfTheLog finds calls by the words that the command line prints of them:
// a caller with its kind, and interrupted for what a stop and a kill ended.
func TestWordsOfTheLog(t *testing.T) {
	b := newBench(t)
	j := b.journal(runlog.Options{})
	at := func(i int, r runlog.Record) runlog.Record {
		r.CallID, r.Time, r.Tool = string(rune('a'+i)), noon.Add(time.Duration(i)*time.Second), "t"
		return r
	}
	must(t, j.End(at(0, runlog.Record{Caller: runlog.Caller{Name: "client", Kind: tool.KindHTTP}})))
	must(t, j.End(at(1, runlog.Record{Caller: runlog.Caller{Name: "client", Kind: tool.KindMCP}, Code: tool.Interrupted})))
	must(t, j.End(at(2, runlog.Record{Caller: runlog.Caller{Name: "http/odd", Kind: tool.KindCLI}, Code: tool.Denied})))
	must(t, j.End(at(3, runlog.Record{Caller: runlog.Caller{Name: "odd", Kind: tool.KindHTTP}})))
	killed := b.journal(runlog.Options{})
	must(t, killed.Start(at(4, runlog.Record{})))
	must(t, killed.Close())
	for _, where := range []string{"journal", "store"} {
		for _, c := range []struct {
			name  string
			query runlog.Query
			want  string
		}{
			{"interrupted", runlog.Query{Status: runlog.StatusInterrupted}, "b:error e:interrupted"},
			{"the status of both", runlog.Query{Status: runlog.StatusError}, "b:error c:error"},
			{"kind and name", runlog.Query{Caller: "http/client"}, "a:ok"},
			{"kind and glob", runlog.Query{Caller: "mcp/cl*"}, "b:error"},
			{"all of a kind", runlog.Query{Caller: "http/*"}, "a:ok c:error d:ok"},
			{"a name with the word of a kind in it", runlog.Query{Caller: "http/odd"}, "c:error d:ok"},
			{"kind and such a name", runlog.Query{Caller: "cli/http/odd"}, "c:error"},
			{"a name", runlog.Query{Caller: "client"}, "a:ok b:error"},
			{"a glob is of names", runlog.Query{Caller: "http*"}, "c:error"},
			{"no kind", runlog.Query{Caller: "ftp/client"}, ""},
		} {
			t.Run(where+", "+c.name, func(t *testing.T) {
				if got := b.found(c.query); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		}
		b.ship()
	}
}
