package clients_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/clients"
)

// listing is what a folder holds: contents by name, with the modes of files; the
// time in the name of a copy is left out.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		name := e.Name()
		if strings.HasSuffix(name, ".bak") {
			name = strings.SplitN(name, ".", 3)[0] + ".bak"
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = info.Mode().String() + " " + string(data)
	}
	return out
}

func setupFor(t *testing.T, name string) *clients.Setup {
	t.Helper()
	s, err := clients.New(name, servers()[0], place("linux"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const entryText = `{"mcpServers": {"a": {}, "toolgate": {"url":"http://127.0.0.1:8080/mcp"}}}`

// TestWrite writes into a file, through a link and into the client's own
// folder that is not there, and twice.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real", "file"), filepath.Join(dir, "link")
	for _, err := range []error{
		os.Mkdir(filepath.Dir(real), 0o700), os.WriteFile(real, []byte(`{"mcpServers": {"a": {}}}`), 0o600),
		os.Chmod(real, 0o640), os.Symlink(real, link),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := setupFor(t, "cursor")
	done, err := s.Write(link)
	if err != nil || !done.Changed || done.Backup == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	want := map[string]string{"file": "-rw-r----- " + entryText, "file.bak": `-rw-r----- {"mcpServers": {"a": {}}}`}
	if diff := cmp.Diff(want, listing(t, filepath.Dir(real))); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v, %v", info, err)
	}
	done, err = s.Write(real)
	if err != nil || done.Changed || done.Backup != "" {
		t.Errorf("written again: %+v, %v", done, err)
	}
	at := place("linux")
	at.Home = filepath.Join(dir, "new", "home")
	if s, err = clients.New("cursor", servers()[0], at); err != nil {
		t.Fatal(err)
	}
	fresh := s.File
	if done, err = s.Write(fresh); err != nil || !done.Changed || done.Backup != "" {
		t.Errorf("written anew: %+v, %v", done, err)
	}
	if diff := cmp.Diff(map[string]string{"mcp.json": "-rw------- " + s.Snippet}, listing(t, filepath.Dir(fresh))); diff != "" {
		t.Error(diff)
	}
}

// TestWriteFails holds that a file that cannot be merged is left as it is, with
// nothing beside it.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("{oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := setupFor(t, "cursor").Write(file); err == nil || !strings.Contains(err.Error(), "line 1, column 2: a key in double quotes is missing") {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"file": "-rw------- {oops"}, listing(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := setupFor(t, "cursor").Write(dir); err == nil {
		t.Error("a folder was written")
	}
	gone := filepath.Join(dir, "gone")
	_, err := setupFor(t, "cursor").Write(filepath.Join(gone, "x.json"))
	if want := "there is no folder " + gone + " (make it, or name a file in another one with --file)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
}

// keptMembers holds that of an entry all stays that is not of its address.
func keptMembers(t *testing.T, was map[string]any, now any) {
	t.Helper()
	entry, _ := now.(map[string]any)
	for name, value := range was {
		if slices.Contains([]string{"type", "url", "httpUrl", "command", "args", "headers", "oauth", "auth"}, name) {
			continue
		}
		if diff := cmp.Diff(value, entry[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// FuzzMerge holds that what comes of a merge holds all that was there, to an
// independent reader, wherever that can read what was there.
func FuzzMerge(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"mcpServers":{"a":{"b":[1,{"c":"\\\""}]}},"z":null}`, "{\n\t\"a\": 1.0, // x\n}", "\ufeff{ /* */ \"mcpServers\" : { \n} }", `{"a":"`, `{"mcpServers":{"toolgate":1}}`,
		`{"mcpServers":{"toolgate":{"command":"x", "a":[1,{}], "args":[],"env":{} , "type":"stdio"}}}`,
		"{\"mcpServers\":{\"toolgate\":{\n\"b\":1,\r\n\t\"headers\":{} ,\n\"type\":1\n}}}", `{"mcpServers":{"toolgate":{"type":0}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		setup, err := clients.New("cursor", servers()[0], place("linux"))
		if err != nil {
			t.Fatal(err)
		}
		merged, _, err := setup.Merge([]byte(text))
		var before, after map[string]any
		if err != nil || json.Unmarshal([]byte(text), &before) != nil {
			return
		}
		if err := json.Unmarshal(merged, &after); err != nil {
			t.Fatalf("%q became %q: %v", text, merged, err)
		}
		section, _ := after["mcpServers"].(map[string]any)
		if _, ok := section["toolgate"]; !ok {
			t.Fatalf("no entry in %q", merged)
		}
		if was, ok := before["mcpServers"].(map[string]any); ok {
			if entry, ok := was["toolgate"].(map[string]any); ok {
				keptMembers(t, entry, section["toolgate"])
			}
			delete(was, "toolgate")
		} else {
			delete(after, "mcpServers")
		}
		delete(section, "toolgate")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%q became %q:\n%s", text, merged, diff)
		}
	})
}
