package openapi_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

const cachedMain = head30 + `servers: [{url: https://api.example.com}]
security: [{key: []}, {}]
paths:
  /a: {get: {operationId: a, parameters: [{in: query, name: q, schema: {$ref: 'more.yaml#/q'}}], responses: {200: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}
  /b: {get: {operationId: b, security: [], parameters: [{in: query, name: r, schema: {$ref: 'later.yaml#/r'}}]}}
  /c: {get: gone}
components: {schemas: {A: {type: object, properties: {a: {$ref: '#/components/schemas/A'}}}}, securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
`

// library is a document in a folder and the folder that what is read is kept in.
type library struct {
	*testing.T
	dir, cache string
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{T: t, dir: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache")}
	l.write("api.yaml", cachedMain)
	l.write("more.yaml", "q: {type: integer}\n")
	return l
}

func (l *library) write(name, text string) {
	l.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
}

func (l *library) path() string { return filepath.Join(l.dir, "api.yaml") }

func (l *library) load() *openapi.Document {
	l.Helper()
	d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: l.path(), CacheDir: l.cache})
	if err != nil {
		l.Fatal(err)
	}
	return d
}

// TestCache holds when what was kept is used, and that it is what was read.
func TestCache(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(l *library)
		cached bool
	}{
		{"nothing changed", func(*library) {}, true},
		{"same text again", func(l *library) { l.write("more.yaml", "q: {type: integer}\n") }, true},
		{"main file", func(l *library) { l.write("api.yaml", cachedMain+"# more\n") }, false},
		{"other file", func(l *library) { l.write("more.yaml", "q: {type: string}\n") }, false},
		{"file that appears", func(l *library) { l.write("later.yaml", "r: {type: string}\n") }, false},
		{"file that is gone", func(l *library) { l.must(os.Remove(filepath.Join(l.dir, "more.yaml"))) }, false},
		{"file that nothing names", func(l *library) { l.write("other.yaml", "r: {type: string}\n") }, true},
		{"half of what was kept", func(l *library) { l.rewrite(func(data []byte) []byte { return data[:len(data)/2] }) }, false},
		{"all but a byte", func(l *library) { l.rewrite(func(data []byte) []byte { return data[:len(data)-1] }) }, false},
		{"nothing kept", func(l *library) { l.rewrite(func([]byte) []byte { return nil }) }, false},
		{"garbage", func(l *library) { l.rewrite(func(data []byte) []byte { return bytes.Repeat([]byte{0xff}, len(data)) }) }, false},
		{"text", func(l *library) { l.rewrite(func([]byte) []byte { return []byte("not what was kept") }) }, false},
		{"another word", func(l *library) {
			l.rewrite(func(data []byte) []byte {
				out := bytes.ReplaceAll(data, []byte("api.example.com"), []byte("api.example.net"))
				if bytes.Equal(out, data) {
					l.Error("the address is not there")
				}
				return out
			})
		}, false},
		{"a byte more", func(l *library) { l.rewrite(func(data []byte) []byte { return append(data, 0) }) }, false},
		{"another program", func(l *library) {
			l.rewrite(func([]byte) []byte {
				var b bytes.Buffer
				to := gob.NewEncoder(&b)
				l.must(to.Encode(struct{ Reader string }{"another"}))
				l.must(to.Encode(spec.Document{Title: "of another"}))
				return b.Bytes()
			})
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			if l.load().Cached {
				t.Fatal("cached before it was read")
			}
			c.change(l)
			second := l.load()
			if second.Cached != c.cached {
				t.Errorf("cached: %t", second.Cached)
			}
			anew, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: l.path()})
			if err != nil {
				t.Fatal(err)
			}
			same(t, anew, second)
			if third := l.load(); !third.Cached {
				t.Error("it is not kept")
			} else {
				same(t, anew, third)
			}
		})
	}
}

func (l *library) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// rewrite changes the file in which the document is kept.
func (l *library) rewrite(change func([]byte) []byte) {
	l.Helper()
	file := openapi.Kept(l.cache, l.path())
	data, err := os.ReadFile(file)
	l.must(err)
	l.must(os.WriteFile(file, change(data), 0o600))
}

// same holds that two documents say the same.
func same(t *testing.T, want, got *openapi.Document) {
	t.Helper()
	if diff := cmp.Diff(want.Document, got.Document); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(append([]string{want.Base, want.Stale}, want.Files...), append([]string{got.Base, got.Stale}, got.Files...)); diff != "" {
		t.Error(diff)
	}
	for i := range min(len(want.Operations), len(got.Operations)) {
		if a, b := string(want.Arguments(want.Operations[i])), string(got.Arguments(got.Operations[i])); a != b {
			t.Errorf("arguments of operation %d:\n%s\n%s", i, a, b)
			return
		}
	}
}

// TestNoCache holds that a folder that cannot be written is no error.
func TestNoCache(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.must(os.WriteFile(l.cache, []byte("a file"), 0o600)) // so that no folder can be there
	for range 2 {
		if l.load().Cached {
			t.Error("it was kept")
		}
	}
	l.cache = ""
	if l.load(); l.load().Cached {
		t.Error("it was kept nowhere")
	}
}

// TestCacheOfAddress holds that what came from an address is kept with it, and not
// the address that it was redirected to before.
func TestCacheOfAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := openapi.LoadOptions{Path: "https://docs.example.com/api", Fetch: served(head30 + "paths: {/a: {get: {}}}\n"), CacheDir: dir}
	for i := range 2 {
		d, err := openapi.Load(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if d.Cached != (i == 1) || d.Base != o.Path {
			t.Errorf("cached %t, base %s", d.Cached, d.Base)
		}
	}
}

// TestCacheAtOnce loads a document many times at once: nobody reads half of what
// another one writes.
func TestCacheAtOnce(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	want := l.load()
	l.must(os.Remove(openapi.Kept(l.cache, l.path())))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 4 {
				d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: l.path(), CacheDir: l.cache})
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(want.Document, d.Document); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	group.Wait()
	left, err := filepath.Glob(filepath.Join(l.cache, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("%q is left: %v", left, err)
	}
}

// TestStages holds what is told of loading, and that a document is read anew where
// it is to be validated, with what was found then among its warnings.
func TestStages(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for _, c := range []struct {
		validate bool
		want     []string
	}{
		{true, []string{"reading", "parsing", "operations", "operations", "operations", "validating"}},
		{false, []string{"reading"}},
	} {
		var stages []string
		d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: l.path(), CacheDir: l.cache, Validate: c.validate, Progress: func(stage string, done, total int) {
			stages = append(stages, stage)
			if stage == openapi.StageOperations && (total != 2 || done > total) {
				t.Errorf("%d of %d", done, total)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, stages); diff != "" {
			t.Error(diff)
		}
		validated := false
		for _, f := range d.Warnings {
			validated = validated || f.Code == spec.CodeInvalid || f.Code == spec.CodeUnloadable
		}
		if validated != c.validate {
			t.Errorf("validated: %t", validated)
		}
	}
}

// TestCacheOfRealDocuments holds that what is kept of real documents is what was
// read of them; of a part of them with the race detector, under which it is slow.
func TestCacheOfRealDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range tried(realDocuments(t)) {
		o := openapi.LoadOptions{Path: filepath.Join(testdata(t), "openapi/specs", name), CacheDir: dir}
		var read [2]*openapi.Document
		for i := range read {
			d, err := openapi.Load(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			read[i] = d
		}
		if read[0].Cached || !read[1].Cached {
			t.Errorf("%s: cached %t, %t", name, read[0].Cached, read[1].Cached)
		}
		if !reflect.DeepEqual(read[0].Document, read[1].Document) { // a difference takes minutes to show
			t.Errorf("%s is not what was read of it: %.2000s", name, cmp.Diff(read[0].Document, read[1].Document))
		}
	}
}

// TestLoadStops holds that nothing is read on when the context is over, and that
// nothing is kept then.
func TestLoadStops(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for _, stage := range []string{openapi.StageReading, openapi.StageParsing, openapi.StageOperations} {
		l := newLibrary(t)
		ctx, stop := context.WithCancelCause(t.Context())
		var last string
		_, err := openapi.Load(ctx, openapi.LoadOptions{Path: l.path(), CacheDir: l.cache, Progress: func(now string, _, _ int) {
			if last = now; now == stage {
				stop(stopped)
			}
		}})
		if !errors.Is(err, stopped) || last != stage {
			t.Errorf("%s: %v after %s", stage, err, last)
		}
		if _, err := os.Stat(openapi.Kept(l.cache, l.path())); err == nil {
			t.Errorf("%s: it is kept", stage)
		}
	}
}

// TestShownOnce holds that operations that take the same are shown the same, and
// those that differ in one word are not.
func TestShownOnce(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write("api.yaml", head30+`paths:
  /a: {get: {parameters: [{in: query, name: q, description: One}]}}
  /b: {get: {parameters: [{in: query, name: q, description: One}]}}
  /c: {get: {parameters: [{in: query, name: q, description: Two}]}}
  /d: {get: {}}
`)
	d := l.load()
	a, b := d.Operations[0].Shown, d.Operations[1].Shown
	if &a[0] != &b[0] {
		t.Error("it was made twice")
	}
	if c := string(d.Operations[2].Shown); c == string(a) || !strings.Contains(c, "Two") {
		t.Error(c)
	}
}

// TestSweep holds what is removed from a cache, and that what is used stays.
func TestSweep(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.load()
	kept := openapi.Kept(l.cache, l.path())
	now := time.Now()
	age := func(path string, by time.Duration) { l.must(os.Chtimes(path, now.Add(-by), now.Add(-by))) }
	day := 24 * time.Hour
	for name, by := range map[string]time.Duration{
		"openapi-1.tmp": 2 * time.Hour, "openapi-2.tmp": 0, "new-1": 2 * time.Hour, "new-2": 0,
		"openapi-a.gob": 91 * day, "openapi-b.gob": 89 * day, "c.document": 91 * day, "d.document": 89 * day, "mine.yaml": 1000 * day,
	} {
		path := filepath.Join(l.cache, name)
		l.must(os.WriteFile(path, nil, 0o600))
		age(path, by)
	}
	l.must(os.Mkdir(filepath.Join(l.cache, "new-folder"), 0o700))
	age(filepath.Join(l.cache, "new-folder"), 1000*day)
	age(kept, 91*day)
	if !l.load().Cached {
		t.Error("it is not kept")
	}
	if info, err := os.Stat(kept); err != nil || now.Sub(info.ModTime()) > time.Hour {
		t.Errorf("its use is not noted: %v", err)
	}
	l.write("api.yaml", cachedMain+"# more\n")
	l.load()
	entries, err := os.ReadDir(l.cache)
	l.must(err)
	var names []string
	for _, e := range entries {
		if e.Name() != filepath.Base(kept) {
			names = append(names, e.Name())
		}
	}
	if diff := cmp.Diff([]string{"d.document", "mine.yaml", "new-2", "new-folder", "openapi-2.tmp", "openapi-b.gob"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestShownLimit leaves out the operations behind those whose schemas are as large
// together as may be, and says so once.
func TestShownLimit(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 64)
	l := newLibrary(t)
	var text strings.Builder
	text.WriteString(head30 + "paths:\n")
	for i := range 4 {
		fmt.Fprintf(&text, "  /a%d: {get: {parameters: [{in: query, name: %s%d}]}}\n", i, name, i)
	}
	l.write("api.yaml", text.String())
	d := l.load()
	size := 0
	for _, op := range d.Operations[:3] {
		size += len(op.Shown)
	}
	if err := openapi.Arrange(d, size); err != nil || len(d.Operations) != 3 || len(d.Skipped) != 1 {
		t.Fatalf("%v, %d operations, %v", err, len(d.Operations), d.Skipped)
	}
	if f := d.Skipped[0]; f.Operation != "GET /a3" || f.Code != "too-large" || !strings.Contains(f.Text, "1 in all") {
		t.Error(f)
	}
}
