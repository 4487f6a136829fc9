package discovery

import (
	"context"
	"strings"
	"testing"
)

func TestApart(t *testing.T) {
	x, err := Build(context.Background(), []Document{
		{Name: "list_pods"},
		{Name: "create_issue", Description: "Creates an issue of the project."},
		{Name: "search_route", Description: "电车 换乘"},
		{Name: "secret_plan"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	scope := x.Scope(func(i int) bool { return i != 3 })
	for text, want := range map[string]string{
		"listpods":                   "list pods",
		"createissue and others":     "create issue",
		"createissues xyzzy":         "create issues xyzzy",
		"listpodslistpodslist":       "list pods list pods list",
		"listpodslistpodslistpods":   "", // of too many
		"issueof":                    "", // of one that says nothing
		"secretplan":                 "", // hidden
		"isissue":                    "",
		"xyzzy":                      "",
		"":                           "",
		"电换乘车":                       "",
		strings.Repeat("list", 1000): "",
	} {
		read := reader{levers: x.levers}
		if got := scope.apart(&read, scope.collect(&read, []string{text}, telling).terms); got != want {
			t.Errorf("%s is apart %q, want %q", text, got, want)
		}
	}
}

func TestMethod(t *testing.T) {
	for text, want := range map[string]string{
		"POST /orders":    "create /orders",
		"PUT price":       "put update price",
		"PATCH issue":     "update issue",
		"GET issue":       "GET issue",
		"DELETE issue":    "DELETE issue",
		"post a message":  "post a message",
		"POSTAL code":     "POSTAL code",
		"a POST of HTTP":  "a POST of HTTP",
		"POST":            "create ",
		"HTTP POST":       "HTTP POST",
		"POST\tnot space": "POST\tnot space",
	} {
		if got := defaults().method(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
