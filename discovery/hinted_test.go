package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// crowdSize is how many tools there are beside the one that is looked for: a large
// document of an API has as many.
const crowdSize = 1200

// crowdWith is a large catalogue of tools about the same things, one of which has a hint.
func crowdWith(t testing.TB, hint string) *Scope {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"repository", "pull", "request", "user", "branch", "file", "list", "create", "current", "account", "who", "upload", "open", "review", "pr", "page"}
	some := func(n int) (out string) {
		for range n {
			out += words[r.IntN(len(words))] + " "
		}
		return out
	}
	docs := []Document{{Name: "x-wanted", Description: "Does what it is for.", Hint: hint}}
	for i := range crowdSize {
		docs = append(docs, Document{
			Name: fmt.Sprintf("x-%s-%s-%d", words[r.IntN(len(words))], words[r.IntN(len(words))], i), Description: some(12),
			Parameters: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"a":{"description":%q}}}`, some(5))),
		})
	}
	return mustBuild(t, docs).Scope(func(int) bool { return true })
}

// TestHintedFirst looks for a tool by a phrase of its hint, among many that have the
// words of it.
func TestHintedFirst(t *testing.T) {
	t.Parallel()
	scope := crowdWith(t, "open a PR, raise a pull request; who am I, current user\nupload a file, GitHub Pages, 上传文件")
	for query, best := range map[string]int{
		"open a PR":                        1,
		"open a pull request":              1,
		"raise a PR":                       1,
		"get current user":                 1,
		"who am I":                         1,
		"Tell me who I am":                 1,
		"upload a file":                    1,
		"uplaod a file":                    3,
		"upload a file to the repository":  1,
		"please open a PR for this branch": 3,
		"github pages":                     1,
		"GitHub pages":                     1,
		"上传文件":                             1,
	} {
		got := rankOf(t, scope, query, "x-wanted")
		if got == 0 || got > best {
			t.Errorf("%q: rank %d, want %d or better", query, got, best)
		}
	}
}

// TestHintedApart: words of a phrase that stand apart in the query, or are not in it,
// say little.
func TestHintedApart(t *testing.T) {
	t.Parallel()
	scope := crowdWith(t, "open a file by its branch, who am I")
	for _, query := range []string{"open the pull request of the current user with a branch", "who reviews", "I am a user"} {
		if got := rankOf(t, scope, query, "x-wanted"); got > 0 && got <= DefaultLimit {
			t.Errorf("%q: rank %d", query, got)
		}
	}
}

// rankOf is where a tool comes, from 1; 0 where it does not.
func rankOf(t *testing.T, scope *Scope, query, name string) int {
	t.Helper()
	r, err := scope.Search(context.Background(), Query{Text: query, Limit: MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	return 1 + slices.IndexFunc(r.Hits, func(h Hit) bool { return h.Name == name })
}
