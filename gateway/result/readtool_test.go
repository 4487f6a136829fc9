package result_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/result"
	"github.com/toolgate/toolgate/gateway/tool"
)

// bench reads results of one caller with read_result.
type bench struct {
	store  result.Store
	spec   *tool.Spec
	runner tool.Runner
}

// newBench has answers of at most size characters.
func newBench(store result.Store, size int) *bench {
	spec, runner := result.NewTool(store)
	own := *spec
	own.MaxResultSize, own.MaxOutput = size, 256<<20
	return &bench{store, &own, runner}
}

// read calls read_result with arguments as JSON.
func (b *bench) read(ctx context.Context, caller, args string) (tool.Output, error) {
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	in := tool.Input{Call: &tool.Call{ID: "r", Tool: result.ToolName, Caller: tool.Caller{ID: caller}}, Spec: b.spec}
	if err := dec.Decode(&in.Args); err != nil {
		return tool.Output{}, err
	}
	return b.runner.Run(ctx, in)
}

// shown is an answer as a test writes it: the header, then the rest.
func (b *bench) shown(t *testing.T, args string) string {
	t.Helper()
	out, err := b.read(t.Context(), "ann", args)
	if err != nil {
		return tool.AsError(err).Text()
	}
	if n := utf8.RuneCountInString(out.Text()); n > b.spec.MaxResultSize {
		t.Errorf("%s: %d characters of %d", args, n, b.spec.MaxResultSize)
	}
	return out.Text()
}

// pages reads everything that the arguments select, page by page, and hands
// each page to take.
func (b *bench) pages(t *testing.T, args string, take func(string)) (count int) {
	t.Helper()
	for offset := int64(0); ; count++ {
		out, err := b.read(t.Context(), "ann", fmt.Sprintf(`{"offset": %d, %s}`, offset, args))
		if err != nil || len(out.Content) != 2 {
			t.Fatalf("offset %d: %v, %d blocks", offset, err, len(out.Content))
		}
		head := out.Content[0].Text
		take(out.Content[1].Text)
		if strings.HasSuffix(head, "; the end]") {
			return count + 1
		}
		before := offset
		at := strings.LastIndex(head, "next: offset ")
		if _, err := fmt.Sscanf(head[at:], "next: offset %d]", &offset); err != nil || offset <= before {
			t.Fatalf("%s: %v", head, err)
		}
	}
}

func TestToolSpec(t *testing.T) {
	spec, _ := result.NewTool(nil)
	if !json.Valid(spec.Parameters) || spec.Name != "read_result" || !spec.ReadOnly() || !spec.ConcurrencySafe ||
		spec.Source != tool.SourceBuiltin || spec.Timeout <= 0 || spec.MaxOutput <= 0 {
		t.Errorf("%+v", spec)
	}
}

// TestEveryByteAgain keeps what is too large to show and reads it back.
func TestEveryByteAgain(t *testing.T) {
	const most = 16_000
	f := folder(t)
	b := newBench(f, most)
	for _, unit := range []string{"x", "0123456789abcde\n", "漢字\n", "é", "👩\u200D👧 a\u0301\r\n"} {
		for _, size := range []int{most + 1, 64 << 10, 1 << 20, 8 << 20} {
			if size > 1<<20 && unit != "漢字\n" {
				continue
			}
			whole := strings.Repeat(unit, size/utf8.RuneCountInString(unit)+1)
			fitted, note := result.Fit(t.Context(), f, output(text(whole)), about, most)
			if note != "" {
				t.Fatal(note)
			}
			var got strings.Builder
			count := b.pages(t, fmt.Sprintf(`"handle": %q`, handleIn.FindString(fitted.Text())), func(s string) { got.WriteString(s) })
			if got.String() != whole {
				t.Errorf("%q: %d bytes came back as %d others", unit, len(whole), got.Len())
			}
			if want := utf8.RuneCountInString(whole)/(most-300) + 1; count > want {
				t.Errorf("%q: %d pages, want %d", unit, count, want)
			}
		}
	}
}

func TestEverySizeAgain(t *testing.T) {
	f := folder(t)
	b := newBench(f, 1000)
	for _, size := range []int{0, 1, 2, 3, 699, 700, 701, 1000, 1001, 64 << 10} {
		whole := strings.Repeat("aé漢👧\n", size)[:size]
		whole = strings.ToValidUTF8(whole, "?")
		m := put(t, f, "ann", whole)
		for _, limit := range []int{1, 2, 699, 700, 5000} {
			if size > 2000 && limit < 100 {
				continue
			}
			var got strings.Builder
			b.pages(t, fmt.Sprintf(`"handle": %q, "limit": %d`, m.Handle, limit), func(s string) { got.WriteString(s) })
			if got.String() != whole {
				t.Errorf("size %d, limit %d: %q came back as %q", size, limit, whole, got.String())
			}
		}
		raw, err := f.Put(t.Context(), result.Meta{Owner: "ann", Media: "application/zip"}, strings.NewReader("\x00"+whole))
		if err != nil {
			t.Fatal(err)
		}
		var joined strings.Builder
		b.pages(t, fmt.Sprintf(`"handle": %q`, raw.Handle), func(s string) { joined.WriteString(s) })
		got, err := base64.StdEncoding.DecodeString(joined.String())
		if string(got) != "\x00"+whole || err != nil {
			t.Errorf("size %d: %q, %v", size, got, err)
		}
	}
}

func TestRead(t *testing.T) {
	f := folder(t)
	b := newBench(f, 1000)
	json3 := put(t, f, "ann", `{"items": [{"id": 1}, {"id": 22, "é": "漢"}, {}], "text": "line one\nline two"}`)
	plain := put(t, f, "ann", "first line\nsecond line é\nThird line\r\nfourth\nfifth line")
	zip, err := f.Put(t.Context(), result.Meta{Owner: "ann", Media: "application/zip"}, strings.NewReader("\x00\x01\x02\x03\x04"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := put(t, f, "bob", "secret")
	const unknown = ": it is unknown or has expired\nCopy the handle exactly as the notice writes it, or call the tool again that gave the result, if it changes nothing."
	cases := []struct{ handle, more, want string }{
		{plain.Handle, ``, "[bytes 0–55 of 55; the end]\nfirst line\nsecond line é\nThird line\r\nfourth\nfifth line"},
		{plain.Handle, `, "offset": 11, "limit": 6`, "[bytes 11–17 of 55; next: offset 17]\nsecond"},
		{plain.Handle, `, "offset": 11.0, "limit": 6e0`, "[bytes 11–17 of 55; next: offset 17]\nsecond"},
		{plain.Handle, `, "offset": 24, "limit": 1`, "[bytes 23–25 of 55; next: offset 25]\né"},
		{plain.Handle, `, "offset": 55`, "[bytes 55–55 of 55; the end]\n"},
		{plain.Handle, `, "offset": 56`, "Error: offset 56 lies behind the end: there are 55 bytes\nOffsets count from 0, and with a path within what it selects."},
		{plain.Handle, `, "offset": -1`, "Error: offset must be a whole number from 0 to 9223372036854775807"},
		{plain.Handle, `, "offset": 1.5`, "Error: offset must be a whole number from 0 to 9223372036854775807"},
		{plain.Handle, `, "limit": 0`, "Error: limit must be a whole number from 1 to 9223372036854775807"},
		{plain.Handle, `, "context": 21`, "Error: context must be a whole number from 0 to 20"},
		{plain.Handle, `, "grep": 5`, "Error: grep must be a text"},
		{plain.Handle, `, "path": "a"`, "Error: the result is not JSON: no value is written like this (byte 1)\nLeave \"path\" out and read it as text, with \"offset\" or \"grep\"."},
		{plain.Handle, `, "grep": "line$"`, "[3 matches as line:byte:text; the end]\n1:0:first line\n3:26:Third line\n5:45:fifth line"},
		{plain.Handle, `, "grep": "^third", "ignore_case": true`, "[1 matches as line:byte:text; the end]\n3:26:Third line"},
		{plain.Handle, `, "grep": "third|nothing"`, "[no match in bytes 0–55 of 55; the end]"},
		{plain.Handle, `, "grep": "line", "offset": 26`, "[2 matches as line:byte:text; the end]\n3:26:Third line\n5:45:fifth line"},
		{plain.Handle, `, "grep": "second|fifth", "context": 1`, "[2 matches as line:byte:text; the end]\n1-0-first line\n2:11:second line é\n3-26-Third line\n4-38-fourth\n5:45:fifth line"},
		{plain.Handle, `, "grep": "first|fifth", "context": 1`, "[2 matches as line:byte:text; the end]\n1:0:first line\n2-11-second line é\n--\n4-38-fourth\n5:45:fifth line"},
		{plain.Handle, `, "grep": "a(?=b)"`, "Error: the pattern cannot be read: error parsing regexp: invalid or unsupported Perl syntax: `(?=`\n"},
		{plain.Handle, `, "grep": "(?:abc{9}){100}"`, "Error: the pattern repeats too much\nUse smaller counts in braces, or * and +."},
		{plain.Handle, `, "grep": "` + strings.Repeat("a", 501) + `"`, "Error: the pattern has 501 bytes, more than 500\nSearch for a shorter part of it."},
		{json3.Handle, `, "path": "items[1]"`, "[bytes 0–23 of 23; the end]\n{\"id\": 22, \"é\": \"漢\"}"},
		{json3.Handle, `, "path": "items[1]", "offset": 7, "limit": 2`, "[bytes 7–9 of 23; next: offset 9]\n22"},
		{json3.Handle, `, "path": "items[*].id"`, "[bytes 0–6 of 6; 1 values without this path are left out; the end]\n[1,22]"},
		{json3.Handle, `, "path": "items[*]", "offset": 23, "limit": 3`, "[bytes 23–27 of 38; next: offset 27]\né\":"},
		{json3.Handle, `, "path": "items[*]", "offset": 24, "limit": 3`, "[bytes 23–27 of 38; next: offset 27]\né\":"},
		{json3.Handle, `, "path": "items[*]", "offset": 38`, "[bytes 38–38 of 38; the end]\n"},
		{json3.Handle, `, "path": "items[*]", "offset": 40`, "Error: offset 40 lies behind the end: there are 38 bytes\n"},
		{json3.Handle, `, "path": "itms"`, "Error: there is no key \"itms\" in the result\nIts keys are \"items\", \"text\"."},
		{json3.Handle, `, "path": "text", "grep": "two"`, "[1 matches as line:byte:text; the end]\n1:0:\"line one\\nline two\""},
		{json3.Handle, `, "path": "items[*].id", "grep": "22"`, "[1 matches as line:byte:text; 1 values without this path are left out; the end]\n1:0:[1,22]"},
		{zip.Handle, ``, "[bytes 0–5 of 5 of application/zip, as base64; the end]\nAAECAwQ="},
		{zip.Handle, `, "limit": 7`, "[bytes 0–3 of 5 of application/zip, as base64; next: offset 3]\nAAEC"},
		{zip.Handle, `, "offset": 4`, "[bytes 4–5 of 5 of application/zip, as base64; the end]\nBA=="},
		{zip.Handle, `, "offset": 6`, "Error: offset 6 lies behind the end: there are 5 bytes\n"},
		{zip.Handle, `, "grep": "x"`, "Error: this result is application/zip and not text, so it has neither lines nor paths\n"},
		{zip.Handle, `, "path": "x"`, "Error: this result is application/zip and not text, so it has neither lines nor paths\n"},
		{foreign.Handle, ``, `Error: no result is kept under "` + foreign.Handle + `"` + unknown},
		{"r_aaaaaaaaaaaaaaaaaaaaaaaaaa", ``, `Error: no result is kept under "r_aaaaaaaaaaaaaaaaaaaaaaaaaa"` + unknown},
		{"../../etc/passwd", ``, `Error: no result is kept under "../../etc/passwd"` + unknown},
		{strings.Repeat("x", 5000), ``, `Error: no result is kept under "` + strings.Repeat("x", 60) + `"` + unknown},
	}
	for _, c := range cases {
		got := b.shown(t, fmt.Sprintf(`{"handle": %q%s}`, c.handle, c.more))
		if strings.HasSuffix(c.want, "\n") && strings.HasPrefix(c.want, "Error") {
			got = got[:min(len(got), len(c.want))] // the hint is told elsewhere
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.20s %s: %s", c.handle, c.more, diff)
		}
	}
}

func TestReadFailures(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newBench(folder(t), 1000).read(over, "ann", `{"handle": "r_aaaaaaaaaaaaaaaaaaaaaaaaaa"}`)
	if e := tool.AsError(err); e.Code != tool.Cancelled {
		t.Error(e)
	}
	_, err = newBench(brokenStore{}, 1000).read(t.Context(), "ann", `{"handle": "r_aaaaaaaaaaaaaaaaaaaaaaaaaa"}`)
	if e := tool.AsError(err); e.Code != tool.Internal || !errors.Is(e, errBroken) || strings.Contains(e.Text(), "broken") {
		t.Error(e)
	}
}

func TestReadExpired(t *testing.T) {
	c := newClock()
	f := open(t, t.TempDir(), result.Options{Now: c.Now, Keep: time.Hour})
	m := put(t, f, "ann", "text")
	b := newBench(f, 1000)
	if got := b.shown(t, fmt.Sprintf(`{"handle": %q}`, m.Handle)); got != "[bytes 0–4 of 4; the end]\ntext" {
		t.Error(got)
	}
	c.pass(time.Hour)
	if got := b.shown(t, fmt.Sprintf(`{"handle": %q}`, m.Handle)); !strings.HasPrefix(got, "Error: no result is kept under") {
		t.Error(got)
	}
}
