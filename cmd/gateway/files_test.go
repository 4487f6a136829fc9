package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const filesFile = groupsFile + `chats: {files: {most: 5, size: 1KiB, total: 2KiB, types: ["text/*", .bin]}}
`

// answered is what a request for a file was answered.
type answered struct {
	status int
	header http.Header
	body   string
}

// request sends a request with headers, in pairs.
func (s *guardedServer) request(t *testing.T, caller, method, path, body string, header ...string) answered {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+tokenOf(caller))
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{res.StatusCode, res.Header, string(data)}
}

func tagOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// TestFilesOverHTTP holds what requests for files are answered by the real server, one
// after another.
func TestFilesOverHTTP(t *testing.T) {
	t.Parallel()
	s, _ := serveGroups(t, groupsFolder(t, filesFile))
	const get, put, drop, at = http.MethodGet, http.MethodPut, http.MethodDelete, "/v1/chats/c/files"
	kilo := strings.Repeat("x", 1<<10)
	for i, step := range []struct {
		caller, method, path, body, header string
		status                             int
		want                               string // that the body begins with
		answer                             string // a header
	}{
		{"agent", get, at, "", "", 200, `{"files":[]}`, "Cache-Control: no-store"},
		{"agent", get, at + "/a.csv", "", "", 404, `{"error":{"error_type":"not_found","message":"this chat has no such file"`, ""},
		{"agent", put, at + "/data/a.csv", "1,2", "", 201, `{"path":"data/a.csv","size":3,"media_type":"text/csv","sha256":"`, "Location: " + at + "/data/a.csv"},
		{"agent", get, at + "/data/a.csv", "", "", 200, "1,2", "ETag: " + tagOf("1,2")},
		{"agent", get, at + "/data/a.csv", "", "", 200, "1,2", "Content-Type: text/csv"},
		{"agent", get, at + "/data/a.csv", "", "", 200, "1,2", "Content-Disposition: attachment; filename*=UTF-8''a.csv"},
		{"agent", get, at + "/data/a.csv", "", "", 200, "1,2", "X-Content-Type-Options: nosniff"},
		{"agent", http.MethodHead, at + "/data/a.csv", "", "", 200, "", "Content-Length: 3"},
		{"agent", get, at + "/data%2Fa.csv", "", "", 200, "1,2", ""},
		{"agent", get, at + "/data/a.csv", "", "Range: bytes=1-", 206, ",2", "Content-Range: bytes 1-2/3"},
		{"agent", get, at + "/data/a.csv", "", "Range: bytes=-1", 206, "2", "Content-Range: bytes 2-2/3"},
		{"agent", get, at + "/data/a.csv", "", "Range: bytes=3-", 416, `{"error":{"error_type":"bad_request"`, "Content-Range: bytes */3"},
		{"agent", get, at + "/data/a.csv", "", "If-None-Match: " + tagOf("1,2"), 304, "", ""},
		{"agent", get, at + "/data/a.csv", "", "If-None-Match: " + tagOf("x"), 200, "1,2", ""},
		{"agent", get, at + "/data/a.csv", "", "If-Match: " + tagOf("x"), 412, `{"error":{"error_type":"precondition_failed"`, ""},
		{"agent", get, at + "/data", "", "", 404, `{"error":{"error_type":"not_found"`, ""},
		{"agent", put, at + "/data/a.csv", "3", "If-None-Match: *", 412, `{"error":{"error_type":"precondition_failed","message":"the file \"data/a.csv\" is not, or not any more,`, ""},
		{"agent", put, at + "/data/a.csv", "3", "If-Match: " + tagOf("x"), 412, `{"error":{"error_type":"precondition_failed"`, ""},
		{"agent", put, at + "/data/a.csv", "3", "If-Match: " + tagOf("1,2"), 200, `{"path":"data/a.csv","size":1,`, "ETag: " + tagOf("3")},
		{"agent", put, at + "/new", "3", "If-Match: *", 412, `{"error":{"error_type":"precondition_failed"`, ""},
		{"agent", put, at + "/new", "x", "If-None-Match: *", 201, `{"path":"new","size":1,"media_type":"text/plain"`, ""},
		{"agent", drop, at + "/new", "", "If-Match: " + tagOf("1,2"), 412, `{"error":{"error_type":"precondition_failed"`, ""},
		{"agent", drop, at + "/new", "", "If-Match: " + tagOf("x"), 200, `{"path":"new","status":"deleted"}`, ""},
		{"agent", drop, at + "/new", "", "", 404, `{"error":{"error_type":"not_found"`, ""},
		// What a browser would run.
		{"agent", put, at + "/p.html", "<script>", "", 201, `{"path":"p.html","size":8,"media_type":"text/html"`, ""},
		{"agent", get, at + "/p.html", "", "", 200, "<script>", "Content-Type: text/plain; charset=utf-8"},
		{"agent", get, at + "/p.html", "", "", 200, "<script>", "Content-Security-Policy: default-src 'none'; sandbox"},
		{"agent", put, at + "/p.html", "<svg>", "Content-Type: image/svg+xml", 415, `{"error":{"error_type":"unsupported_media_type","message":"the file \"p.html\" is image/svg+xml, and such files are not taken","hint":"Taken are: text/*, .bin."`, ""},
		{"agent", put, at + "/p.html", "<x>", "Content-Type: text/xml; charset=utf-8", 200, `{"path":"p.html","size":3,"media_type":"text/xml"`, ""},
		{"agent", get, at + "/p.html", "", "", 200, "<x>", "Content-Type: text/plain; charset=utf-8"},
		{"agent", put, at + "/p.html", "", "Content-Type: nonsense", 415, `{"error":{"error_type":"unsupported_media_type","message":"\"nonsense\" is no media type"`, ""},
		{"agent", put, at + "/p.html", "", "Content-Encoding: gzip", 415, `{"error":{"error_type":"unsupported_media_type","message":"the content encoding`, ""},
		{"agent", put, at + "/p.html", "", "Content-Range: bytes 0-1/2", 400, `{"error":{"error_type":"bad_request","message":"a part of a file cannot be put"`, ""},
		{"agent", put, at + "/p.html", "a=b", "Content-Type: application/x-www-form-urlencoded", 200, `{"path":"p.html","size":3,"media_type":"text/html"`, ""},
		{"agent", drop, at + "/p.html", "", "", 200, `{"path":"p.html"`, ""},
		// Names.
		{"agent", put, at + "/%C3%A9%20%E6%97%A5.bin", "\x00\x01", "", 201, `{"path":"é 日.bin","size":2,"media_type":"application/octet-stream"`, "Location: " + at + "/%C3%A9%20%E6%97%A5.bin"},
		{"agent", get, at + "/%C3%A9%20%E6%97%A5.bin", "", "", 200, "\x00\x01", "Content-Disposition: attachment; filename*=UTF-8''%C3%A9%20%E6%97%A5.bin"},
		{"agent", drop, at + "/%C3%A9%20%E6%97%A5.bin", "", "", 200, `{"path":"é 日.bin"`, ""},
		{"agent", put, at + "/e%CC%81", "x", "", 400, `{"error":{"error_type":"bad_request","message":"the path \"e`, ""},
		{"agent", put, at + "/a%00", "x", "", 400, `{"error":{"error_type":"bad_request"`, ""},
		{"agent", put, at + "/a%5Cb", "x", "", 400, `{"error":{"error_type":"bad_request"`, ""},
		{"agent", put, at + "/a%0D%0Ab", "x", "", 400, `{"error":{"error_type":"bad_request"`, ""},
		{"agent", put, at + "/a%FF", "x", "", 400, `{"error":{"error_type":"bad_request"`, ""},
		{"agent", put, at + "/%2E%2E/x", "x", "", 404, `{"error":{"error_type":"no_such_route"`, ""},
		{"agent", put, at + "/%2E%2E%2Fx", "x", "", 404, `{"error":{"error_type":"no_such_route"`, ""},
		{"agent", put, at + "/a//b", "x", "", 404, `{"error":{"error_type":"no_such_route"`, ""},
		{"agent", put, at + "/%2Fa", "x", "", 404, `{"error":{"error_type":"no_such_route"`, ""},
		{"agent", put, at + "/a/", "x", "", 404, `{"error":{"error_type":"no_such_route"`, ""},
		{"agent", put, at + "/", "x", "", 404, `{"error":{"error_type":"no_such_route"`, ""},
		{"agent", put, at + "/a%252Fb.txt", "x", "", 201, `{"path":"a%2Fb.txt"`, ""},
		{"agent", drop, at + "/a%252Fb.txt", "", "", 200, `{"path":"a%2Fb.txt"`, ""},
		{"agent", put, at + "/data", "x", "", 422, `{"error":{"error_type":"invalid_args","message":"\"data\" would be a file, and the folder of`, ""},
		{"agent", http.MethodPost, at + "/x", "x", "", 405, `{"error":{"error_type":"method_not_allowed","message":"this path takes DELETE, GET, HEAD, PUT only"`, ""},
		{"agent", put, at, "x", "", 405, `{"error":{"error_type":"method_not_allowed"`, ""},
		{"agent", put, at + "/x?as=y", "x", "", 400, `{"error":{"error_type":"bad_request","message":"unknown query parameter \"as\""`, ""},
		{"agent", put, "/v1/chats/a%20b/files/x", "x", "", 400, `{"error":{"error_type":"bad_request","message":"\"a b\" cannot name a chat"`, ""},
		{"agent", put, "/v1/chats/a%2Fb/files/x", "x", "", 201, `{"path":"x"`, ""},
		{"agent", get, "/v1/chats/a%2Fb/files", "", "", 200, `{"files":[{"path":"x"`, ""},
		// Quotas.
		{"agent", put, at + "/k", kilo + "x", "", 413, `{"error":{"error_type":"bad_request","message":"the file \"k\" has more than 1024 bytes, which is the most of one file"`, ""},
		{"agent", put, at + "/k", kilo, "", 201, `{"path":"k","size":1024`, ""},
		{"agent", put, at + "/l", kilo, "", 403, `{"error":{"error_type":"denied","message":"the files of the chat may have 2048 bytes together: with 1025 bytes that are there, 1024 bytes more do not fit"`, ""},
		{"agent", put, at + "/l", kilo[1:], "", 201, `{"path":"l"`, ""},
		{"agent", put, at + "/m", "", "", 201, `{"path":"m","size":0`, ""},
		{"agent", get, at + "/m", "", "", 200, "", "Content-Length: 0"},
		{"agent", put, at + "/n", "", "", 201, `{"path":"n"`, ""},
		{"agent", put, at + "/o", "", "", 403, `{"error":{"error_type":"denied","message":"the chat may have 5 files, and this would be more"`, ""},
		// Whose they are.
		{"other", get, at, "", "", 200, `{"files":[]}`, ""},
		{"other", get, at + "/k", "", "", 404, `{"error":{"error_type":"not_found","message":"this chat has no such file"`, ""},
		{"other", drop, at + "/k", "", "", 404, `{"error":{"error_type":"not_found"`, ""},
		{"other", get, at + "?caller=agent", "", "", 403, `{"error":{"error_type":"forbidden"`, ""},
		{"other", get, at + "/k?caller=agent", "", "", 403, `{"error":{"error_type":"forbidden"`, ""},
		{"user", get, at + "/k?caller=agent", "", "", 403, `{"error":{"error_type":"forbidden"`, ""},
		{"user", put, at + "/k", "", "", 403, `{"error":{"error_type":"forbidden"`, ""},
		{"other", put, at + "/k", "mine", "", 201, `{"path":"k","size":4`, ""},
		{"admin", get, at + "/k?caller=other", "", "", 200, "mine", ""},
		{"admin", get, at + "/k", "", "", 404, `{"error":{"error_type":"not_found"`, ""},
		{"agent", get, "/v1/chats/c", "", "", 200, `{"id":"c","context":{},`, ""},
		{"other", http.MethodDelete, "/v1/chats/c", "", "", 200, `{"id":"c","status":"deleted"}`, ""},
		{"other", get, at, "", "", 200, `{"files":[]}`, ""},
		{"agent", http.MethodDelete, "/v1/chats/c", "", "", 200, `{"id":"c"`, ""},
		{"agent", get, at + "/k", "", "", 404, `{"error":{"error_type":"not_found"`, ""},
	} {
		header := strings.SplitN(step.header, ": ", 2)
		got := s.request(t, step.caller, step.method, step.path, step.body, header...)
		name, value, _ := strings.Cut(step.answer, ": ")
		if got.status != step.status || !strings.HasPrefix(got.body, step.want) || got.header.Get(name) != value {
			t.Errorf("%d: %s %s %s (%s): %d %q %.300s\nwant %d %s %s", i, step.caller, step.method, step.path, step.header, got.status, got.header.Get(name), got.body, step.status, step.answer, step.want)
		}
	}
}

// TestFilesAtOnce sends 50 files at a time: as many are taken as there may be.
func TestFilesAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := serveGroups(t, groupsFolder(t, filesFile))
	var all sync.WaitGroup
	status := make([]int, 50)
	for i := range status {
		all.Go(func() { // a store that is locked for long, on a slow machine, is no answer
			for status[i] == 0 || status[i] == http.StatusInternalServerError {
				status[i] = s.request(t, "agent", http.MethodPut, fmt.Sprint("/v1/chats/c/files/", i), strings.Repeat("x", 600)).status
			}
		})
	}
	all.Wait()
	count := map[int]int{}
	for _, n := range status {
		count[n]++
	}
	if count[http.StatusCreated] != 3 || count[http.StatusForbidden] != 47 {
		t.Errorf("answered: %v", count)
	}
	list := s.request(t, "agent", http.MethodGet, "/v1/chats/c", "")
	if n := strings.Count(list.body, `"size":600`); n != 3 {
		t.Errorf("%d files: %s", n, list.body)
	}
}

// TestFilesOverServer is the command that asks a server.
func TestFilesOverServer(t *testing.T) {
	dir := groupsFolder(t, filesFile)
	s, _ := serveGroups(t, dir)
	t.Setenv("TOOLGATE_TOKEN", tokenOf("agent"))
	local := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(local, []byte("1,2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args, in string
		want     string
		fails    bool
	}{
		{"list c", "", "this chat has no files\n", false},
		{"put c " + local, "", "put a.csv (3 bytes, text/csv)\n", false},
		{"put c - --as d/é%2F?#.csv --type text/plain", "x", "put d/é%2F?#.csv (1 bytes, text/plain)\n", false},
		{"put c - --as d/é%2F?#.csv", "", "replaced d/é%2F?#.csv (0 bytes, text/csv)\n", false},
		{"get c d/é%2F?#.csv", "", "", false},
		{"get c a.csv", "", "1,2", false},
		{"get c a.csv -o " + local, "", "the gateway refuses", true},
		{"list c --json", "", `{"files":[{"path":"a.csv","size":3,"media_type":"text/csv",`, false},
		{"list c --caller agent", "", "PATH", false},
		{"list c --caller other", "", "the gateway refuses: the chats of another caller are for administrators", true},
		{"get c none", "", "the gateway refuses: this chat has no such file", true},
		{"put c - --as k.bin", strings.Repeat("x", 1<<10+1), `the gateway refuses: the file "k.bin" has more than 1024 bytes`, true},
		{"put c - --as p.png", "", `the gateway refuses: the file "p.png" is image/png, and such files are not taken`, true},
		{"put c - --as d", "", `the gateway refuses: "d" would be a file`, true},
		{"delete c d/é%2F?#.csv", "", "deleted d/é%2F?#.csv\n", false},
		{"delete c d", "", "the gateway refuses: this chat has no such file", true},
		{"list c", "", "PATH   BYTES  TYPE      PUT\na.csv  3      text/csv  ", false},
	} {
		var out bytes.Buffer
		args := append([]string{"gateway", "chats", "files"}, strings.Fields(step.args)...)
		err := run(t.Context(), append(args, "--server", s.url), streams{io.NopCloser(strings.NewReader(step.in)), &out, &out})
		got := out.String()
		if err != nil {
			got = err.Error()
		}
		if strings.Contains(step.args, "--json") {
			got = strings.NewReplacer("\n", "", " ", "").Replace(got)
		}
		if strings.Contains(step.args, " -o ") {
			step.want = local + " is there already: --force writes over it"
		}
		if (err != nil) != step.fails || !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: %s (%v), want %s", step.args, got, err, step.want)
		}
	}
	var out bytes.Buffer
	t.Setenv("TOOLGATE_TOKEN", tokenOf("admin"))
	err := run(t.Context(), []string{"gateway", "chats", "show", "c", "--caller", "agent", "--server", s.url}, streams{http.NoBody, &out, &out})
	if want := "file      a.csv (3 bytes, text/csv)\n"; err != nil || !strings.HasSuffix(out.String(), want) {
		t.Errorf("%v\n%s", err, out.String())
	}
	if text, err := os.ReadFile(local); err != nil || string(text) != "1,2" {
		t.Errorf("%s, %v", text, err)
	}
}
