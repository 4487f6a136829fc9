package dialect

import (
	"net/url"
	"strings"
	"testing"

	"github.com/toolgate/toolgate/openapi/document"
)

// oneFile finds what references of one file refer to.
type oneFile struct{}

func (oneFile) Find(from *document.File, ref string) (*document.File, *document.Node, error) {
	fail := func(code, text string) (*document.File, *document.Node, error) {
		return nil, nil, &document.RefError{Ref: ref, Code: code, Text: text}
	}
	fragment, local := strings.CutPrefix(ref, "#")
	switch {
	case strings.HasPrefix(ref, "http:"), strings.HasPrefix(ref, "https:"):
		return fail(document.RemoteReference, "references to other addresses are not followed")
	case !local:
		return fail(document.UnreadableFile, "the file is not there")
	}
	n := from.Root
	if fragment != "" && fragment[0] != '/' {
		n = anchored(n, fragment)
	} else if fragment != "" {
		for _, token := range strings.Split(fragment[1:], "/") {
			if plain, err := url.PathUnescape(token); err == nil {
				token = plain
			}
			n = member(n, strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
		}
	}
	if n == nil {
		return fail(document.DanglingReference, "nothing is there")
	}
	return from, n, nil
}

// anchored is the schema with an anchor.
func anchored(n *document.Node, name string) *document.Node {
	if n.String("$anchor") == name {
		return n
	}
	for i := range n.Members {
		if found := anchored(&n.Members[i].Value, name); found != nil {
			return found
		}
	}
	return nil
}

// parse reads a document of a test.
func parse(t testing.TB, name, text string) *document.File {
	t.Helper()
	root, err := document.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &document.File{Name: name, Root: root}
}
