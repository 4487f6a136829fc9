package document

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Codes of [RefError].
const (
	DanglingReference = "dangling-reference" // what it refers to is not there
	OutsideReference  = "outside-reference"  // a file that is not below the folder of the document
	RemoteReference   = "remote-reference"   // another address
	UnreadableFile    = "unreadable-file"    // a file that is not there, or not JSON or YAML
)

// RefError is why a reference cannot be followed.
type RefError struct {
	Ref  string // as it is written
	Code string // one of the codes
	Text string // what is wrong, without the reference
}

// Error names the reference, cut where it is long, and what is wrong.
func (e *RefError) Error() string { return shortened(e.Ref) + ": " + e.Text }

// shortened cuts a text of a document for showing it.
func shortened(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func outside() *RefError {
	return &RefError{Code: OutsideReference, Text: "only files below the folder of the document are read"}
}

func dangling(format string, args ...any) *RefError {
	return &RefError{Code: DanglingReference, Text: fmt.Sprintf(format, args...)}
}

// question is a reference in a file, and found its answer.
type question struct {
	from *File
	ref  string
}

type found struct {
	file *File
	node *Node
	err  *RefError
}

// maxHops bounds how many references one that points through others takes.
const maxHops = 50

// scheme is what an address starts with that is no path.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// Find is what a reference refers to that stands in a file (nil for the main one):
// a JSON pointer (RFC 6901) into it or into another file, an $anchor or an $id.
// The node may be a reference itself, which is left to the caller. No connection
// is ever made. An error is a *[RefError].
func (s *Set) Find(from *File, ref string) (*File, *Node, error) {
	if from == nil {
		from = s.main
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := question{from, ref}
	f, ok := s.found[q]
	if !ok {
		f.file, f.node, f.err = s.find(from, ref, new(int))
		if f.err != nil {
			f.err = &RefError{Ref: ref, Code: f.err.Code, Text: f.err.Text}
		}
		s.found[q] = f
	}
	if f.err != nil {
		return nil, nil, f.err
	}
	return f.file, f.node, nil
}

// find follows a reference; hops counts those that it led through so far.
func (s *Set) find(from *File, ref string, hops *int) (*File, *Node, *RefError) {
	target, fragment, _ := strings.Cut(ref, "#")
	file, node := from, from.Root
	if target != "" {
		if id := s.index(from).ids[target]; id != nil {
			node = id
		} else {
			var err *RefError
			if file, err = s.elsewhere(from, target); err != nil {
				return nil, nil, err
			}
			node = file.Root
		}
	}
	switch {
	case fragment == "":
		return file, node, nil
	case fragment[0] == '/':
		return s.point(file, node, fragment, hops)
	}
	if n := s.index(file).anchors[unescaped(fragment)]; n != nil {
		return file, n, nil
	}
	return nil, nil, dangling("there is no $anchor %q in %s", shortened(fragment), file.Name)
}

// elsewhere is the file that stands before the # of a reference.
func (s *Set) elsewhere(from *File, target string) (*File, *RefError) {
	if scheme.MatchString(target) || strings.HasPrefix(target, "//") {
		return nil, &RefError{Code: RemoteReference, Text: "references to other addresses are not followed"}
	}
	return s.open(from, strings.ReplaceAll(unescaped(target), `\`, "/"))
}

// unescaped is a part of a reference without percent encoding; one that is
// encoded wrongly stays as it is.
func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// point follows a pointer from a node.
func (s *Set) point(file *File, node *Node, pointer string, hops *int) (*File, *Node, *RefError) {
	steps := strings.Split(pointer[1:], "/")
	for i, step := range steps {
		next := s.step(node, step)
		for next == nil {
			ref := node.String("$ref")
			if ref == "" {
				return nil, nil, missing(file, node, steps[:i], step)
			}
			var err *RefError
			if *hops++; *hops > maxHops {
				return nil, nil, dangling("it leads through more than %d other references", maxHops)
			}
			if file, node, err = s.find(file, ref, hops); err != nil {
				return nil, nil, err
			}
			next = s.step(node, step)
		}
		node = next
	}
	return file, node, nil
}

func missing(file *File, node *Node, before []string, step string) *RefError {
	place := file.Name + "#/" + strings.Join(before, "/")
	if len(before) == 0 {
		place = file.Name
	}
	if node.Kind < Array {
		return dangling("there is nothing in %s", shortened(place))
	}
	return dangling("there is no %q in %s", shortened(step), shortened(place))
}

// step is the member that one part of a pointer names; nil for none. A name that
// holds a % is found too where its writer did not encode it.
func (s *Set) step(n *Node, part string) *Node {
	if found := s.member(n, tilde(unescaped(part))); found != nil {
		return found
	}
	if strings.Contains(part, "%") {
		return s.member(n, tilde(part))
	}
	return nil
}

var tildes = strings.NewReplacer("~1", "/", "~0", "~")

func tilde(s string) string {
	if strings.Contains(s, "~") {
		return tildes.Replace(s)
	}
	return s
}

// many is how many members an object may have for a search through all of them to
// be good enough.
const many = 32

func (s *Set) member(n *Node, name string) *Node {
	switch {
	case n.Kind == Array:
		i, err := strconv.ParseUint(name, 10, 31)
		if err != nil || i >= uint64(len(n.Members)) || name != strconv.FormatUint(i, 10) {
			return nil
		}
		return &n.Members[i].Value
	case n.Kind != Object || len(n.Members) <= many:
		return n.Get(name)
	}
	byName, ok := s.large[n]
	if !ok {
		byName = make(map[string]*Node, len(n.Members))
		for i := range n.Members {
			byName[n.Members[i].Name] = &n.Members[i].Value
		}
		s.large[n] = byName
	}
	return byName[name]
}
