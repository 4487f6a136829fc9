package discovery

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// tools are a small catalogue.
func tools() []Document {
	schema := func(s string) []byte { return []byte(`{"type":"object","properties":` + s + `}`) }
	return []Document{
		{Name: "github__create_issue", Namespace: "github", Description: "Open a new issue in a repository.", Tags: []string{"write"}, Parameters: schema(`{"title":{"description":"Headline of the issue"},"labels":{"enum":["bug","feature"]}}`)},
		{Name: "github__list_issues", Namespace: "github", Description: "List issues of a repository.", Tags: []string{"read_only"}},
		{Name: "github__merge-pull-request", Namespace: "github", Description: "Merge a pull request into its base branch."},
		{Name: "getWeatherForecast", Description: "Tells how warm it will be.", Hint: "umbrella"},
		{Name: "send_email", Description: "Deliver a message to somebody's inbox.", Tags: []string{"write", "mail"}},
		{Name: "files__delete", Namespace: "files", Description: "Erases a file for ever.", Parameters: []byte(`not a schema`)},
		{Name: "web_search", Description: "使用必应搜索网页"},
		{Name: "broken", Description: "a\xffb", Parameters: schema(`{"a":{"type":"object","properties":{"deeply":{"description":"nested words"}}}}`)},
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	cases := []struct {
		query Query
		want  string // names, the first ones
	}{
		{Query{Text: "open an issue on GitHub"}, "github__create_issue"},
		{Query{Text: "Create Issue"}, "github__create_issue"},
		{Query{Text: "  send_email "}, "send_email exact"},
		{Query{Text: "SEND-EMAIL"}, "send_email"},
		{Query{Text: "github__merge_pull_request"}, "github__merge-pull-request"},
		{Query{Text: "headline"}, "github__create_issue"},
		{Query{Text: "feature"}, "github__create_issue"},
		{Query{Text: "nested"}, "broken"},
		{Query{Text: "umbrellas"}, "getWeatherForecast"},
		{Query{Text: "forcast"}, "getWeatherForecast"},
		{Query{Text: "remove files"}, "files__delete"},
		{Query{Text: "write email"}, "send_email"},
		{Query{Text: "write an e-mail"}, "send_email"},
		{Query{Text: "搜索"}, "web_search"},
		{Query{Text: "issue", Namespace: "files"}, ""},
		{Query{Text: "issue", Tags: []string{"read_only"}}, "github__list_issues"},
		{Query{Text: "send_email", Tags: []string{"write", "mail"}}, "send_email exact"},
		{Query{Text: "send_email", Tags: []string{"read_only"}}, ""},
		{Query{Text: "for ever"}, "files__delete"},
		{Query{Text: "how it will be"}, "getWeatherForecast"},
		{Query{Text: "+issue -repository \"list\" name:x ~2 *"}, "github__list_issues github__create_issue"},
		{Query{Text: ""}, ""},
		{Query{Text: " ?! \n"}, ""},
		{Query{Text: "\xff\xfe"}, ""},
		{Query{Text: "emails"}, "send_email"},
	}
	x := mustBuild(t, tools())
	scope := x.Scope(func(int) bool { return true })
	for _, c := range cases {
		t.Run(c.query.Text, func(t *testing.T) {
			r, err := scope.Search(context.Background(), c.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range r.Hits {
				got = append(got, h.Name)
			}
			if r.Exact {
				got = append(got, "exact")
			}
			want := strings.Fields(c.want)
			if diff := cmp.Diff(want, got[:min(len(got), max(1, len(want)))]); diff != "" && len(want)+len(got) > 0 {
				t.Errorf("%s\n%v", diff, got)
			}
		})
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	scope := mustBuild(t, tools()).Scope(func(i int) bool { return i != 1 })
	for text, want := range map[string]string{
		"sendd_emal": "send_email", "webserch": "web_search", "qqq": "", "github__list_isues": "github__create_issue",
	} {
		r, err := scope.Search(context.Background(), Query{Text: text, Tags: nil})
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		for _, h := range r.Hits {
			first = h.Name
			break
		}
		if len(r.Near) > 0 {
			first = r.Near[0]
		}
		if first != want || len(r.Near) > MaxNear {
			t.Errorf("%s: %q, not %q (%v)", text, first, want, r)
		}
	}
}

// TestHuge: of a long query the beginning counts, up to the end of a word, and of a tool
// so much of each field.
func TestHuge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("filler ", maxText)
	docs := append(tools(), Document{Name: "long", Description: long + "aardvark", Parameters: []byte(`{"properties":{"zebra":{"description":"` + long + `okapi"}}}`)})
	scope := mustBuild(t, docs).Scope(func(int) bool { return true })
	for text, want := range map[string]int{
		strings.Repeat("xyzzy ", MaxQuery) + "email": 0, "email " + strings.Repeat("xyzzy ", MaxQuery): 1,
		"filler": 1, "aardvark": 0, "okapi": 0, "zebra": 1, strings.Repeat("q", MaxQuery*2): 0,
	} {
		r, err := scope.Search(context.Background(), Query{Text: text})
		if err != nil || len(r.Hits) != want {
			t.Errorf("%.20s: %d hits, not %d: %v %v", text, len(r.Hits), want, r, err)
		}
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	scope := mustBuild(t, some(120)).Scope(func(int) bool { return true })
	for limit, want := range map[int]int{0: DefaultLimit, -1: DefaultLimit, 1: 1, 50: 50, 51: MaxLimit, 1000: MaxLimit} {
		r, err := scope.Search(context.Background(), Query{Text: "add numbers", Limit: limit})
		if err != nil || len(r.Hits) != want || r.More != 120-want {
			t.Error(limit, len(r.Hits), r.More, err)
		}
		if want == 50 && (r.Hits[0].Name != "tool_0" || r.Hits[2].Name != "tool_10") {
			t.Error("equal scores are not in the order of names")
		}
	}
}

// TestExplain: the parts of a score add up to it.
func TestExplain(t *testing.T) {
	t.Parallel()
	scope := mustBuild(t, tools()).Scope(func(int) bool { return true })
	bonuses, why := map[string]bool{}, map[string]bool{}
	for _, text := range []string{
		"create an issue in a repository and delete files, and forcast", "github issue list", "GITHUB-CREATE-ISSUE", "send_email", "remove repo", "how it will be", "an e-mail",
	} {
		r, err := scope.Search(context.Background(), Query{Text: text, Explain: true})
		if err != nil || len(r.Hits) == 0 {
			t.Fatal(text, r, err)
		}
		for _, h := range r.Hits {
			sum := 0.0
			for _, p := range h.Explained.Terms {
				sum += p.Score
				why[p.Why] = true
				if len(p.Fields) == 0 || p.IDF <= 0 || p.Term == "" || (p.Why == "") != (p.For == "") {
					t.Errorf("%s: %+v", text, p)
				}
			}
			for _, b := range h.Explained.Bonuses {
				sum += b.Score
				bonuses[b.Name] = true
			}
			if math.Abs(sum-h.Score) > rounding {
				t.Errorf("%s: the parts of %s are %v, not %v: %+v", text, h.Name, sum, h.Score, h.Explained)
			}
		}
	}
	if len(bonuses) != 4 || len(why) != 4 {
		t.Error(bonuses, why)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	x, err := Build(context.Background(), tools())
	if err != nil {
		t.Fatal(err)
	}
	scope := x.Scope(func(int) bool { return true })
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := scope.Search(over, Query{Text: "issue"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Build(over, tools()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Error(err)
	}
	if _, err := scope.Search(context.Background(), Query{Text: "issue"}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestTogether searches from many goroutines at once, as callers of different scopes.
func TestTogether(t *testing.T) {
	t.Parallel()
	x := mustBuild(t, tools())
	want := answer(t, x.Scope(func(int) bool { return true }), &Query{Text: "forcast issue emails", Explain: true})
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			scope := x.Scope(func(i int) bool { return k < 4 || i < k })
			for range 20 {
				if got := answer(t, scope, &Query{Text: "forcast issue emails", Explain: true}); k < 4 && got != want {
					t.Error(cmp.Diff(want, got))
				}
			}
		})
	}
	all.Wait()
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"create_issue":                 "creat issu",
		"getHTTPServer2":               "get http server 2 [gethttpserver2]",
		"GitHub's web-hooks":           "git hub [github] web hook",
		"listAPIs":                     "list api [listapi]",
		"Größe naïve ＦＵＬＬ ﬁle":         "große naiv full file",
		"don't":                        "(dont)",
		"検索エンジン":                       "検索 索エ エン ンジ ジン",
		"検":                            "検",
		"パイ":                           "パイ",
		"검색 도구":                        "검색 도구",
		"Привет, МИР":                  "привет мир",
		"كِتَاب":                       "كتاب",
		"a\xff b":                      "(a) b",
		"v1.2.3":                       "v 1 [v1] 2 3",
		"tool__api.name/x":             "(tool) api name x",
		"हिन्दी":                       "हिन्दी",
		"search検索":                     "search 検索",
		"":                             "",
		strings.Repeat("a", 2*maxWord): strings.Repeat("a", maxWord),
	} {
		read := reader{levers: defaults()}
		var got []string
		for _, w := range read.words(text) {
			switch {
			case w.stop:
				got = append(got, "("+w.term+")")
			case w.whole:
				got = append(got, "["+w.term+"]")
			default:
				got = append(got, w.term)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%q: %s, not %s", text, g, want)
		}
	}
}

// FuzzSearch: any text finds the same twice, best first, with scores that are numbers.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"", "create issue", "検索", "+a -b \"c\" name:x ~2 *", "a\xff", "GitHub's. And then, also forcast!", "\u0300", "ー", "'s"} {
		f.Add(text)
	}
	x := mustBuild(f, tools())
	scope := x.Scope(func(i int) bool { return i != 2 })
	f.Fuzz(func(t *testing.T, text string) {
		q := Query{Text: text, Explain: true}
		first, second := answer(t, scope, &q), answer(t, scope, &q)
		if first != second {
			t.Error(cmp.Diff(first, second))
		}
		r, err := scope.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range r.Hits {
			if !(h.Score > 0) || math.IsInf(h.Score, 0) || i > 0 && h.Score > r.Hits[i-1].Score {
				t.Errorf("%v", r.Hits)
			}
		}
		read := reader{levers: defaults()}
		for _, w := range read.words(text) {
			if w.term == "" || !utf8.ValidString(w.term) || len(w.plain) > maxWord {
				t.Errorf("%q: %+v", text, w)
			}
		}
		own := mustBuild(t, []Document{{Name: text, Description: text, Hint: text, Tags: []string{text}, Parameters: []byte(text)}})
		answer(t, own.Scope(func(int) bool { return true }), &q)
	})
}
