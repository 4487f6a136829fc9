package assembly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
)

// realHints are written for some of the 1,200 operations of a large document.
const realHints = `version: 1
sources:
  github:
    openapi: {spec: %q, base_url: https://api.example}
    defer: true
    tools:
      users/get-authenticated: {search_hint: "who am I, current user, my account"}
      rate-limit/get: {search_hint: "how many requests do I have left, quota"}
      pulls/create: {search_hint: "open a PR, make a PR, raise a pull request"}
      pulls/create-review: {search_hint: "approve a pull request, request changes, LGTM"}
      repos/create-or-update-file-contents: {search_hint: "upload a file, edit a file"}
      git/create-ref: {search_hint: "create a branch, new branch"}
      repos/create-pages-site: {search_hint: "enable GitHub Pages, turn on pages"}
      repos/update: {search_hint: "rename a repository, archive a repository"}
`

// TestRealHints looks for tools of a large document, which lies in the folder
// TG_TESTDATA, by the hints that were written for them: each is among the first three.
func TestRealHints(t *testing.T) {
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		t.Skip("needs TG_TESTDATA")
	}
	scope := scopeOf(t, fmt.Sprintf(realHints, filepath.Join(folder, "openapi", "specs", "github.json")))
	for query, name := range map[string]string{
		"raise a PR": "pulls_create", "open a PR": "pulls_create", "open a pull request": "pulls_create",
		"upload a file": "repos_create-or-update-file-contents", "edit a file in the repo": "repos_create-or-update-file-contents",
		"approve a pull request": "pulls_create-review", "LGTM": "pulls_create-review",
		"get current user": "users_get-authenticated", "who am I": "users_get-authenticated", "I want to see who I am": "users_get-authenticated",
		"how many requests do I have left": "rate-limit_get", "quota": "rate-limit_get",
		"archive a repository": "repos_update", "rename a repository": "repos_update",
		"create a branch":     "git_create-ref",
		"enable GitHub Pages": "repos_create-pages-site", "enable github pages": "repos_create-pages-site",
	} {
		r, err := scope.Search(t.Context(), discovery.Query{Text: query, Limit: discovery.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		if at := slices.IndexFunc(r.Hits, func(h discovery.Hit) bool { return h.Name == "github-"+name }); at < 0 || at > 2 {
			t.Errorf("%q: %s has place %d of %d", query, name, at, len(r.Hits))
		}
	}
}

// scopeOf is what may be searched of a configuration: all of it.
func scopeOf(t *testing.T, text string) *discovery.Scope {
	t.Helper()
	cfg, problems := config.Parse("tools.yaml", []byte(text))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	a := assembly.BuildWith(cfg, assembly.Options{Secrets: assembly.Resolved, CacheDir: t.TempDir()})
	if err := cfg.Problems().Err(); err != nil {
		t.Fatal(err)
	}
	index, err := discovery.Build(t.Context(), gateway.Documents(a.Generation.Tools))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return index.Scope(func(int) bool { return true })
}
