package discovery

import (
	"context"
	"slices"
	"testing"
)

// TestMeanings says what a query finds among few tools, and what it does not.
func TestMeanings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, query string
		tools       []string // with their descriptions, name by name
		want        []string // all that is found, in any order
	}{
		{"a word that is known is not mistyped", "weather tomorrow", []string{"make_appointment", "Make one, or find an other."}, nil},
		{"another first letter is another word", "mouse", []string{"find_house", "Find a house."}, nil},
		{"a mistyped word", "apointment", []string{"make_appointment", ""}, []string{"make_appointment"}},
		{"a beginning", "organisation", []string{"organize_things", ""}, []string{"organize_things"}},
		{"PR", "PR", []string{"a", "Merge a pull request.", "b", "Pull a rope.", "c", "Make a request."}, []string{"a"}},
		{"pull request", "pull request", []string{"a", "Show a PR."}, []string{"a"}},
		{"text to speech", "TTS", []string{"a", "Turn text to speech."}, []string{"a"}},
		{"the words apart", "PR", []string{"a", "Pull the request."}, []string{"a"}},
		{"open an issue", "open an issue", []string{"create_it", "", "close_it", ""}, []string{"create_it"}},
		{"open issues", "open issues", []string{"create_it", "", "close_it", ""}, nil},
		{"mute words", "who am I", []string{"who_is_on_call", "", "say", "I am here."}, []string{"who_is_on_call"}},
		{"nothing but mute words", "am I", []string{"say", "I am here."}, []string{"say"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var docs []Document
			for i := 0; i < len(c.tools); i += 2 {
				docs = append(docs, Document{Name: c.tools[i], Description: c.tools[i+1]})
			}
			r, err := mustBuild(t, docs).Scope(func(int) bool { return true }).Search(context.Background(), Query{Text: c.query})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range r.Hits {
				got = append(got, h.Name)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

// TestHalves: where all tools are of GitHub, those that write it with two humps are not
// ahead of the others for that.
func TestHalves(t *testing.T) {
	t.Parallel()
	docs := []Document{{Name: "github-make-site", Description: "Sets up pages."}}
	for _, name := range []string{"a", "b", "c"} {
		docs = append(docs, Document{Name: "github-" + name, Description: "A thing of GitHub, the hub of git."})
	}
	scope := mustBuild(t, docs).Scope(func(int) bool { return true })
	for _, query := range []string{"GitHub pages", "github pages", "pages of GitHub"} {
		if got := rankOf(t, scope, query, "github-make-site"); got != 1 {
			t.Errorf("%q: rank %d", query, got)
		}
	}
}

// TestHarm: who names a thing is not shown first what takes it away.
func TestHarm(t *testing.T) {
	t.Parallel()
	scope := mustBuild(t, []Document{{Name: "delete_pod"}, {Name: "list_all_pods"}, {Name: "other_thing"}}).Scope(func(int) bool { return true })
	for query, want := range map[string]string{"delete pods": "delete_pod", "remove the pod": "delete_pod", "kill a pod": "delete_pod", "list pods": "list_all_pods"} {
		if got := rankOf(t, scope, query, want); got != 1 {
			t.Errorf("%q: %s has rank %d", query, want, got)
		}
	}
}
