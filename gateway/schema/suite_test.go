package schema

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// suites are the drafts under testdata with the number of their tests, so that
// a lost file is noticed.
var suites = []struct {
	folder string
	size   int
	draft  string // written into schemas that do not say; empty for the default
}{
	{"draft2020-12", 1099, ""},
	{"draft7", 913, "http://json-schema.org/draft-07/schema#"},
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// remotes serves the documents that the suite expects at localhost:1234, under
// a draft where they name none.
func remotes(draft string) loader {
	return func(address string) (any, error) {
		name, ok := strings.CutPrefix(address, "http://localhost:1234/")
		if !ok {
			return nil, errors.New("not a remote of the suite: " + address)
		}
		raw, err := os.ReadFile(filepath.Join("testdata", "remotes", filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		doc, p := decode(withDraft(raw, draft), schemaBounds())
		if p != nil {
			return nil, errors.New(p.sentence())
		}
		return doc, nil
	}
}

func compileAny(raw []byte, remote loader) (*Schema, error) {
	doc, p := decode(raw, schemaBounds())
	if p != nil {
		return nil, p.mistake()
	}
	return compile(raw, doc, remote)
}

func TestOfficialSuite(t *testing.T) {
	for _, suite := range suites {
		t.Run(suite.folder, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join("testdata", suite.folder, "*.json"))
			if err != nil || len(files) == 0 {
				t.Fatal("no suite files:", err)
			}
			total, passed := 0, 0
			for _, file := range files {
				for _, group := range readSuite(t, file) {
					group.Description = filepath.Base(file) + ": " + group.Description
					n, ok := runGroup(t, group, suite.draft)
					total, passed = total+n, passed+ok
				}
			}
			t.Logf("%d of %d tests pass", passed, total)
			if total != suite.size {
				t.Errorf("the suite has %d tests, want %d", total, suite.size)
			}
		})
	}
}

func readSuite(t testing.TB, file string) []suiteGroup {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// withDraft names a draft in a schema that names none.
func withDraft(raw json.RawMessage, draft string) json.RawMessage {
	rest, isObject := strings.CutPrefix(strings.TrimSpace(string(raw)), "{")
	if draft == "" || !isObject || strings.Contains(rest, `"$schema"`) {
		return raw
	}
	if strings.TrimSpace(rest) != "}" {
		rest = "," + rest
	}
	return json.RawMessage(`{"$schema":"` + draft + `"` + rest)
}

func runGroup(t *testing.T, group suiteGroup, draft string) (total, passed int) {
	t.Helper()
	s, err := compileAny(withDraft(group.Schema, draft), remotes(draft))
	if err != nil {
		t.Errorf("%s: compile: %v", group.Description, err)
		return len(group.Tests), 0
	}
	if p := s.body().endless(); p != nil {
		t.Errorf("%s: taken for endless: %s", group.Description, p.sentence())
	}
	for _, test := range group.Tests {
		v, p := decode(test.Data, argsBounds())
		if p != nil {
			t.Errorf("%s: %s: %s", group.Description, test.Description, p.sentence())
			continue
		}
		problems, err := s.check(v)
		if err != nil || (len(problems) == 0) != test.Valid {
			t.Errorf("%s: %s: valid is %v, want %v (%v)", group.Description, test.Description, len(problems) == 0, test.Valid, err)
			continue
		}
		passed++
	}
	return len(group.Tests), passed
}
