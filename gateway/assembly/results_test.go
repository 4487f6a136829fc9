package assembly_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/tool"
)

const largeTools = `
version: 1
networks: {allow: [127.0.0.0/8]}
upstreams: {up: {url: UPSTREAM}}
tools:
  get:
    description: Get.
    tags: [read_only]
    timeout: 2m
    max_output: 256MiB
    max_result_size: 1000
    parameters: {type: object, properties: {size: {type: integer}}, required: [size]}
    http: {upstream: up, path: "/${args.size}"}
policy: {default: allow, rules: RULES}
`

// filler makes lines long enough that writing their numbers costs little.
var filler = strings.Repeat(" is where this line of text starts", 12) + "\n"

// line is one line of what the server answers, in which places differ.
func line(at int64) string { return fmt.Sprintf("%012d", at) + filler }

// text answers with as many bytes of text as the path says, without having them.
func text(w http.ResponseWriter, r *http.Request) {
	left, _ := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/"), 10, 64)
	_, _ = io.CopyN(w, &lines{}, left)
}

// lines are endless.
type lines struct {
	at   int64
	rest string
}

func (l *lines) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if l.rest == "" {
			l.rest = line(l.at)
			l.at += int64(len(l.rest))
		}
		c := copy(p[n:], l.rest)
		n, l.rest = n+c, l.rest[c:]
	}
	return n, nil
}

// reading is a gateway with results in a folder that expire after a day.
func reading(t *testing.T, rules string, now *time.Time) *gateway.Gateway {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(text))
	t.Cleanup(server.Close)
	tools := strings.NewReplacer("UPSTREAM", server.URL, "RULES", rules).Replace(largeTools)
	return openHouse(t, tools, result.Options{Keep: 24 * time.Hour, Now: func() time.Time { return *now }}, io.Discard)
}

func as(caller, name string, args map[string]any) tool.Call {
	data, _ := json.Marshal(args)
	return tool.Call{Tool: name, Arguments: data, Caller: tool.Caller{ID: caller, Name: caller, Kind: tool.KindGo}}
}

// handleIn finds the handle that a cut answer names.
func handleIn(t *testing.T, shown string) string {
	t.Helper()
	found := handles.FindString(shown)
	if found == "" {
		t.Fatalf("no handle in %q", shown)
	}
	return found
}

// TestResultsOfAllSizes: every byte of an answer can be had again, through the
// gate, and reading it takes no memory to speak of.
func TestResultsOfAllSizes(t *testing.T) {
	now := time.Now()
	g := reading(t, "[]", &now)
	for _, size := range []int64{0, 1, 999, 1000, 1001, 64 << 10, 1 << 20, mostRead} {
		got := g.Call(t.Context(), as("ann", "get", map[string]any{"size": size}))
		if got.Error != nil {
			t.Fatal(got.Error)
		}
		shown := got.Output.Text()
		want := sha256.New()
		_, _ = io.CopyN(want, &lines{}, size)
		have := sha256.New()
		switch {
		case size == 0:
			if shown != "(get completed with no output)" {
				t.Errorf("0 bytes: %q", shown)
			}
			continue
		case size <= 1000:
			_, _ = io.WriteString(have, shown)
		default:
			got = tool.Result{} // what the tool answered is not kept alive by this test
			readAll(t, g, handleIn(t, shown), size, have)
		}
		if string(have.Sum(nil)) != string(want.Sum(nil)) {
			t.Errorf("%d bytes: what was read is not what was answered", size)
		}
	}
}

// maxGrowth is how much more memory may be in use after many pages than before
// them, in bytes; a page has 16,000.
const maxGrowth = 32 << 20

// readAll reads a result page by page.
func readAll(t *testing.T, g *gateway.Gateway, kept string, size int64, into io.Writer) {
	t.Helper()
	before := inUse()
	for at := int64(0); at < size; {
		page := g.Call(t.Context(), as("ann", result.ToolName, map[string]any{"handle": kept, "offset": at}))
		if page.Error != nil || len(page.Output.Content) != 2 || page.Output.Content[1].Text == "" {
			t.Fatalf("at %d: %v", at, page.Output.Text())
		}
		_, _ = io.WriteString(into, page.Output.Content[1].Text)
		at += int64(len(page.Output.Content[1].Text))
	}
	if after := inUse(); after > before+maxGrowth {
		t.Errorf("%d bytes: reading it took memory from %d to %d", size, before, after)
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestResultsAreTheCallersOwn: nobody else reads them, nor anybody once they have
// expired, and where a rule denies reading them nothing is promised.
func TestResultsAreTheCallersOwn(t *testing.T) {
	now := time.Now()
	g := reading(t, "[{name: no reading for eve, tools: [read_result], callers: [eve], action: deny}]", &now)
	get := func(who string) string {
		r := g.Call(t.Context(), as(who, "get", map[string]any{"size": 5000}))
		return r.Output.Text()
	}
	kept := handleIn(t, get("ann"))
	read := func(who string) tool.Result {
		return g.Call(t.Context(), as(who, result.ToolName, map[string]any{"handle": kept}))
	}
	if r := read("ann"); r.Error != nil {
		t.Error(r.Error)
	}
	bob := read("bob")
	if bob.Error == nil || strings.Contains(bob.Output.Text(), "line of text") {
		t.Errorf("another caller reads %q", bob.Output.Text())
	}
	if eve := read("eve"); eve.Error == nil || eve.Error.Code != tool.NotFound {
		t.Errorf("who may not read gets %v", eve.Error)
	}
	if shown := get("eve"); strings.Contains(shown, result.ToolName) || handles.MatchString(shown) || utf8.RuneCountInString(shown) > 1000 {
		t.Errorf("who may not read is told %q", shown)
	}
	now = now.Add(25 * time.Hour)
	late := read("ann")
	if late.Error == nil || late.Error.Text() != bob.Error.Text() {
		t.Errorf("after a day it reads %q, and a foreign one %q", late.Output.Text(), bob.Output.Text())
	}
}
