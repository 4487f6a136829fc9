package tool_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

// shop has methods of every form that a tool can have.
type shop struct{ sold int }

type item struct {
	Name string `json:"name"`
}

func (s *shop) All(_ context.Context, in item) (string, error) { return "all " + in.Name, nil }
func (s *shop) NoContext(in item) (string, error)              { return "no context " + in.Name, nil }
func (s *shop) NoArguments(context.Context) (string, error)    { return "no arguments", nil }
func (s *shop) NoAnswer(_ context.Context, in item) error      { return tool.Failf("no %s", in.Name) }
func (s *shop) NoError(_ context.Context, in item) string      { return "no error " + in.Name }
func (s *shop) Bare()                                          { s.sold++ }
func (s *shop) Pointers(_ context.Context, in *item) (*item, error) {
	return &item{Name: in.Name + "!"}, nil
}

func (s *shop) HTTPStatus(ctx context.Context) (string, error) {
	call, _ := tool.CallFrom(ctx)
	return call.ID, nil
}

// TestMethods calls a method of each form.
func TestMethods(t *testing.T) {
	var s shop
	var docs []tool.Option
	for _, m := range []string{"All", "NoContext", "NoArguments", "NoAnswer", "NoError", "Bare", "Pointers", "HTTPStatus"} {
		docs = append(docs, tool.Doc(m, "Does "+m+"."))
	}
	tools := tool.Methods(&s, append(docs, tool.Tags("read_only"))...)
	var got []string
	for _, m := range tools {
		if m.Err != nil {
			t.Fatal(m.Err)
		}
		args := `{}`
		if strings.Contains(string(m.Spec.Parameters), `"name"`) {
			args = `{"name": "x"}`
		}
		out, err := call(t, m, args)
		line := m.Spec.Name + ": " + m.Spec.Description + " " + out.Text()
		if err != nil {
			line += err.Error()
		}
		got = append(got, line)
		if !m.Spec.ReadOnly() {
			t.Errorf("%s has not the tag of all", m.Spec.Name)
		}
	}
	want := []string{
		"all: Does All. all x",
		"bare: Does Bare. ",
		"http_status: Does HTTPStatus. call_1",
		"no_answer: Does NoAnswer. upstream_error: no x",
		"no_arguments: Does NoArguments. no arguments",
		"no_context: Does NoContext. no context x",
		"no_error: Does NoError. no error x",
		`pointers: Does Pointers. {"name":"x!"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.sold != 1 {
		t.Errorf("the method was called %d times on the value that was given", s.sold)
	}
}

type (
	inner struct{}
	outer struct {
		inner
		sync.Mutex
	}
	stack[T any] struct{ items []T }
	twins        struct{}
	odd          struct{}
	documented   struct{}
)

func (inner) Ping() string { return "pong" }

func (s *stack[T]) Push(in struct {
	Item T `json:"item"`
},
) int {
	s.items = append(s.items, in.Item)
	return len(s.items)
}

func (twins) AB() string { return "" }
func (twins) Ab() string { return "" }

func (odd) Variadic(...string) string         { return "" }
func (odd) Two(item, item) string             { return "" }
func (odd) Three() (string, string, error)    { return "", "", nil }
func (odd) Text(string) string                { return "" }
func (odd) Channel() chan int                 { return nil }
func (odd) Late(item, context.Context) string { return "" }
func (odd) Mine() *tool.Error                 { return nil }
func (odd) Fine() (string, error)             { return "", errors.New("x") }
func (documented) Ping() string               { return "pong" }
func (documented) Close() error               { return nil }
func (documented) ToolDocs() []tool.Option {
	return []tool.Option{tool.Doc("Ping", "Pings.", tool.Tags("read_only"), tool.Name("echo")), tool.Documented(), tool.Title("From the type")}
}

// TestChoices has which methods become tools, their names, and what is said of those that
// cannot.
func TestChoices(t *testing.T) {
	const form = " (write func(context.Context, In) (Out, error), with a struct In, or leave the method out)"
	tests := []struct {
		name  string
		tools []*tool.Tool
		want  []string // names, or what is wrong
	}{
		{"promoted", tool.Methods(&outer{}, tool.Doc("Ping", "Pings."), tool.Documented()), []string{"ping"}},
		{"not described", tool.Methods(inner{}), []string{`the method Ping: there is no description (write tool.Doc("Ping", "what it does"), or leave the method out with tool.Except("Ping"))`}},
		{"left out", tool.Methods(&outer{}, tool.Doc("Ping", "Pings."), tool.Except("Lock", "Unlock", "TryLock")), []string{"ping"}},
		{"only", tool.Methods(&outer{}, tool.Only("Ping"), tool.Doc("Ping", "Pings.")), []string{"ping"}},
		{"prefix", tool.Methods(inner{}, tool.Prefix("net_"), tool.Doc("Ping", "Pings.")), []string{"net_ping"}},
		{"generic", tool.Methods(&stack[int8]{}, tool.Doc("Push", "Pushes.")), []string{"push"}},
		{"described by the type", tool.Methods(documented{}), []string{"echo"}},
		{"same names", tool.Methods(twins{}, tool.Doc("AB", "A."), tool.Doc("Ab", "B.")), []string{
			"ab", "the methods AB and Ab of tool_test.twins would both be called ab (give one another Name in its Doc)",
		}},
		{"same names but for one", tool.Methods(twins{}, tool.Doc("AB", "A."), tool.Doc("Ab", "B.", tool.Name("other"))), []string{"ab", "other"}},
		{"unknown", tool.Methods(inner{}, tool.Doc("Ping", "Pings."), tool.Doc("Pong", "Pongs."), tool.Except("Close")), []string{
			"tool.Methods: tool_test.inner has no exported method Close, of which an option speaks",
			"tool.Methods: tool_test.inner has no exported method Pong, of which an option speaks", "ping",
		}},
		{"no pointer", tool.Methods(outer{}, tool.Doc("Ping", "Pings.")), []string{
			"tool.Methods: the methods of tool_test.outer are called with a pointer (give Methods a pointer to it)", "ping",
		}},
		{"nil", tool.Methods(nil), []string{"tool.Methods: there is no value to make tools of the methods of (give a pointer to one)"}},
		{"nil pointer", tool.Methods((*shop)(nil)), []string{"tool.Methods: the *tool_test.shop is nil (give one that its methods can be called with)"}},
		{"no methods", tool.Methods(nobody{}), []string{"tool.Methods: tool_test.nobody has no methods to make tools of (exported ones, that were chosen)"}},
		{"a doc in a doc", tool.Methods(inner{}, tool.Doc("Ping", "Pings.", tool.Only("Ping"))), []string{
			"the method Ping: Doc, Only, Except, Documented and Prefix are options of Methods (leave them out)",
		}},
		{"odd forms", tool.Methods(odd{}, described("Variadic", "Two", "Three", "Text", "Channel", "Late", "Mine", "Fine")...), []string{
			"the method Channel: the answer is of type chan int, which has no form in JSON (return a text, a struct, a list, bytes, content or an Output)",
			"fine",
			"the method Late: a tool cannot be of the form func(tool_test.item, context.Context) string" + form,
			"the method Mine: the answer is of type *tool.Error, an error (return it as the error, and struct{} as the answer)",
			"the method Text: the arguments are of type string, and have to be a struct with a field for each (struct{} for none)",
			"the method Three: a tool cannot be of the form func() (string, string, error)" + form,
			"the method Two: a tool cannot be of the form func(tool_test.item, tool_test.item) string" + form,
			"the method Variadic: a tool cannot be of the form func(...string) string" + form,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, m := range test.tools {
				if m.Err != nil {
					got = append(got, m.Err.Error())
					continue
				}
				got = append(got, m.Spec.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func described(methods ...string) (opts []tool.Option) {
	for _, m := range methods {
		opts = append(opts, tool.Doc(m, "Does "+m+"."))
	}
	return opts
}

// TestDescribedByType: the options of the type come first, so that the program has the
// last word.
func TestDescribedByType(t *testing.T) {
	m := tool.Methods(documented{}, tool.Doc("Ping", "Pings you."))[0]
	if m.Spec.Description != "Pings you." || m.Spec.Title != "From the type" || m.Spec.Name != "ping" {
		t.Errorf("got %+v", m.Spec)
	}
}

// TestNames has how the names of methods are written.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"Search": "search", "FindOrder": "find_order", "HTTPStatus": "http_status", "StatusHTTP": "status_http", "ListURLs": "list_urls", "URLsOf": "urls_of",
		"Base64Encode": "base64_encode", "V2": "v2", "A": "a", "AB": "ab", "ASet": "a_set", "Get_It": "get_it", "IDStore": "id_store", "OSSync": "os_sync",
	} {
		if got := tool.SnakeCase(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
