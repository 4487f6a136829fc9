package assembly_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/runlog"
	"github.com/toolgate/toolgate/gateway/tool"
)

var update = flag.Bool("update", false, "write the golden parts of the cases anew")

// caseSecret is the value of every secret in the cases. It must reach the
// upstream it is for and nothing else.
const caseSecret = "hunter2+hunter2/="

// TestHTTP runs HTTP tools, from their configuration to their answer, against a
// server that writes down what it is asked. A case is a file of
// testdata/http/CLASS with
//
//	tools.yaml   the configuration; UPSTREAM and OTHER are addresses of servers, secrets come from CASE_SECRET
//	answers      what UPSTREAM answers; other-answers for OTHER
//	calls        one JSON object a line: tool, args, wait before it, and times
//	requests     what the servers were asked (golden)
//	results      what the calls gave (golden)
func TestHTTP(t *testing.T) {
	files, err := filepath.Glob("testdata/http/*/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	t.Setenv("CASE_SECRET", caseSecret)
	perClass := map[string]int{}
	for _, file := range files {
		class := filepath.Base(filepath.Dir(file))
		perClass[class]++
		t.Run(class+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { httpCase(t, file) })
	}
	for _, class := range []string{
		"absent", "answers", "auth", "bodies", "breaker", "encodings", "endless", "gzip", "images", "lists", "networks",
		"paging", "polling", "redirects", "resets", "retries", "slow",
	} {
		if perClass[class] < 6 {
			t.Errorf("class %s has %d cases, want 6", class, perClass[class])
		}
	}
}

// TestOpenAPI runs tools of OpenAPI documents in the same way. A case is a file of
// testdata/openapi, with documents beside tools.yaml and, where they are there, with
//
//	shown        the tools as models are shown them (golden)
//	warnings     of the configuration (golden)
//	log          warnings while calls ran (golden)
func TestOpenAPI(t *testing.T) {
	files, err := filepath.Glob("testdata/openapi/*.txtar")
	if err != nil || len(files) < 25 {
		t.Errorf("%d cases, %v", len(files), err)
	}
	t.Setenv("CASE_SECRET", caseSecret)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { httpCase(t, file) })
	}
}

func httpCase(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) string {
		for _, f := range archive.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	other := newRecorder(t, "OTHER ", part("other-answers"), "")
	upstream := newRecorder(t, "", part("answers"), other.URL)
	addresses := strings.NewReplacer("UPSTREAM-HOST", strings.TrimPrefix(upstream.URL, "http://"), "UPSTREAM", upstream.URL, "OTHER", other.URL)
	var log bytes.Buffer
	dir := t.TempDir()
	for _, f := range archive.Files { // documents of sources
		if ext := filepath.Ext(f.Name); ext == ".yaml" || ext == ".json" {
			if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(addresses.Replace(string(f.Data))), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	g, warnings := openHouseIn(t, dir, addresses.Replace(part("tools.yaml")), result.Options{}, &log)
	results := caseCalls(t, g, upstream, part("calls"))
	got := map[string]string{
		"requests": upstream.requests() + other.requests(),
		"results":  results,
		"warnings": strings.ReplaceAll(warnings, dir, "DIR"),
		"shown":    shownTools(g),
		"log":      warned(log.String()),
	}
	for _, leak := range []string{caseSecret, url.QueryEscape(caseSecret), "hunter2"} {
		if strings.Contains(results+log.String()+other.requests(), leak) {
			t.Errorf("the secret got out:\n%s\n%s\n%s", results, log.String(), other.requests())
		}
	}
	plain := strings.NewReplacer(caseSecret, "SECRET", url.QueryEscape(caseSecret), "SECRET",
		base64.StdEncoding.EncodeToString([]byte("ann:"+caseSecret)), "BASE64(ann:SECRET)",
		base64.StdEncoding.EncodeToString([]byte("gate:"+url.QueryEscape(caseSecret))), "BASE64(gate:SECRET)",
		upstream.URL, "UPSTREAM", other.URL, "OTHER", strings.TrimPrefix(upstream.URL, "http://"), "UPSTREAM-HOST", strings.TrimPrefix(other.URL, "http://"), "OTHER-HOST")
	for i, f := range archive.Files {
		want, golden := got[f.Name]
		if !golden {
			continue
		}
		want = strings.TrimSpace(tidy(plain.Replace(want))) + "\n"
		if *update {
			archive.Files[i].Data = []byte(want)
		} else if diff := cmp.Diff(string(f.Data), want); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	boundary = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)
	handles  = regexp.MustCompile(`r_[a-z2-7]{26}`)
	clock    = regexp.MustCompile(`\d\d:\d\d UTC( on \d+ \w+ \d+)?`)
)

// tidy takes out of a text what is another one each time.
func tidy(text string) string {
	text = boundary.ReplaceAllString(text, "BOUNDARY")
	return clock.ReplaceAllString(handles.ReplaceAllString(text, "r_HANDLE"), "HH:MM UTC")
}

// openHouse is a gateway of a configuration, with its journal and its results in
// folders of their own.
func openHouse(t *testing.T, text string, opts result.Options, log io.Writer) *gateway.Gateway {
	t.Helper()
	g, _ := openHouseIn(t, t.TempDir(), text, opts, log)
	return g
}

// openHouseIn is openHouse for a file in a folder. It gives the warnings too.
func openHouseIn(t *testing.T, dir, text string, opts result.Options, log io.Writer) (g *gateway.Gateway, warnings string) {
	t.Helper()
	cfg, problems := config.Parse(filepath.Join(dir, "tools.yaml"), []byte(text))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	results, err := result.OpenFolder(filepath.Join(dir, "results"), opts)
	if err != nil {
		t.Fatal(err)
	}
	a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, Results: results})
	t.Cleanup(func() { _ = a.Close() })
	if err := cfg.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	journal, err := runlog.Open(filepath.Join(dir, "journal"), runlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = journal.Close() })
	return gateway.New(a.Generation, journal, gateway.Options{Logger: slog.New(slog.NewTextHandler(log, nil)), Results: results}), cfg.Problems().Warnings().Error()
}

// shownTools is what a model is shown of the tools, the gateway's own apart.
func shownTools(g *gateway.Gateway) string {
	var out strings.Builder
	for _, s := range g.Tools(context.Background(), tool.View{Caller: tool.Caller{ID: tool.Anonymous, Name: tool.Anonymous, Kind: tool.KindGo}}) {
		if s.Source != tool.SourceBuiltin {
			fmt.Fprintf(&out, "%s [%s] %s\n  %s\n", s.Name, strings.Join(s.Tags, " "), strings.ReplaceAll(s.Description, "\n", " "), s.Parameters)
		}
	}
	return out.String()
}

// warned are the lines of a log with what is no success, without their times.
func warned(log string) string {
	var out strings.Builder
	for line := range strings.Lines(log) {
		if _, rest, ok := strings.Cut(line, " level=WARN "); ok {
			out.WriteString(oneCall.ReplaceAllString(rest, "$1=…"))
		}
	}
	return out.String()
}

// oneCall is what tells of one call alone.
var oneCall = regexp.MustCompile(`(call|took)=\S+`)

// caseCalls makes the calls one after the other and writes down what each gave.
func caseCalls(t *testing.T, g *gateway.Gateway, upstream *recorder, calls string) string {
	t.Helper()
	var out strings.Builder
	d := json.NewDecoder(strings.NewReader(calls))
	for d.More() {
		var c struct {
			Tool  string          `json:"tool"`
			Args  json.RawMessage `json:"args"`
			Wait  string          `json:"wait"` // before it
			Times int             `json:"times"`
		}
		if err := d.Decode(&c); err != nil {
			t.Fatalf("calls: %v", err)
		}
		if wait, err := time.ParseDuration(c.Wait); err == nil {
			time.Sleep(wait)
		}
		for range max(c.Times, 1) {
			ctx, cancel := context.WithCancel(t.Context())
			upstream.during(cancel)
			r := g.Call(ctx, tool.Call{Tool: c.Tool, Arguments: c.Args, Caller: tool.Caller{ID: tool.Anonymous, Name: tool.Anonymous, Kind: tool.KindGo}})
			cancel()
			describe(&out, &r)
		}
	}
	return out.String()
}

// describe writes a result: how it ended, what a model reads, and what else a
// program is given.
func describe(out *strings.Builder, r *tool.Result) {
	fmt.Fprintf(out, "%s: %s\n", r.Tool, r.Status)
	for _, c := range r.Output.Content {
		switch {
		case c.Type == tool.ContentText:
			fmt.Fprintf(out, "%s\n", c.Text)
		default:
			fmt.Fprintf(out, "[%s %s, %d bytes]\n", c.Type, c.MIMEType, len(c.Data))
		}
	}
	if s := r.Output.Structured; s != nil && string(s) != r.Output.Text() {
		fmt.Fprintf(out, "structured: %s\n", s)
	}
	if e := r.Error; e != nil {
		fmt.Fprintf(out, "code: %s", e.Code)
		if e.Retryable {
			out.WriteString(", retryable")
		}
		if e.Fatal {
			out.WriteString(", fatal")
		}
		switch { // a short wait is what is left of a pause, another one each time
		case e.RetryAfter > time.Minute:
			fmt.Fprintf(out, ", after %v", e.RetryAfter)
		case e.RetryAfter > 0:
			out.WriteString(", soon")
		}
		out.WriteString("\n")
	}
	out.WriteString("\n")
}
