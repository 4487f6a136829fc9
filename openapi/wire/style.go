package wire

import (
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// pair is a name and a value, both as they are sent.
type pair struct{ name, text string }

// style writes values as pairs, the way of queries, forms and cookies (Style
// Values and Style Examples).
type style struct {
	arg     string // the argument that has the value, for messages
	name    string // one of spec's
	explode bool
	names   escape // for names, and for keys of objects
	values  escape
	listed  []string // properties of an object, in the order in which they are sent
	raw     bool     // whether delimiters stand as they are
	limit   int      // bytes of all pairs
}

// pairs are those of a value; none of one that is absent. What the table marks
// n/a is written as its neighbour would be: an exploded delimited list as form
// has it, a single value of any style under its name.
func (s *style) pairs(name string, arg any) ([]pair, error) {
	if s.name == spec.StyleDeepObject {
		d := deep{style: s}
		err := d.add(name, arg, s.listed)
		return d.pairs, err
	}
	v, err := valueOf(arg, s.listed)
	if err != nil || v.kind == absent {
		return nil, err
	}
	if v.kind == primitive {
		return []pair{s.pair(name, v.text)}, nil
	}
	if !s.explode {
		return []pair{{s.names.text(name), strings.Join(s.flat(&v), s.delimiter())}}, nil
	}
	out := make([]pair, 0, len(v.items)+len(v.members))
	for _, item := range v.items {
		out = append(out, s.pair(name, item))
	}
	for _, m := range v.members {
		out = append(out, s.pair(m.name, m.text))
	}
	return out, nil
}

func (s *style) pair(name, text string) pair { return pair{s.names.text(name), s.values.text(text)} }

// flat is a list's items, or an object's names and values in turn, encoded.
func (s *style) flat(v *value) []string {
	var out []string
	for _, item := range v.items {
		out = append(out, s.values.text(item))
	}
	for _, m := range v.members {
		out = append(out, s.names.text(m.name), s.values.text(m.text))
	}
	return out
}

// delimiter stands between the items of a list that is one value. In an address
// those of the delimited styles are encoded (Appendix E, Percent-Encoding and
// Illegal or Reserved Delimiters).
func (s *style) delimiter() string {
	delimiter := ","
	switch s.name {
	case spec.StyleSpace:
		delimiter = " "
	case spec.StylePipe:
		delimiter = "|"
	case spec.StyleTab:
		delimiter = "\t"
	}
	if s.raw || delimiter == "," {
		return delimiter
	}
	return strict.text(delimiter)
}

// deep writes a value with brackets: a[b]=c. What is in lists and in further
// objects has brackets too, with indexes from 0; OpenAPI says nothing of those,
// and this is what the servers read that declare them.
type deep struct {
	style *style
	pairs []pair
	size  int // of pairs, in bytes
	names int // bytes of all names that were put together, also of what is empty
}

// maxNames is how many times the limit of the pairs their names may be, with
// those of lists and objects: names grow with the depth, and all of them together
// with its square.
const maxNames = 16

func (d *deep) add(name string, arg any, listed []string) error {
	arg, err := plain(arg)
	if err != nil {
		return err
	}
	if d.names += len(name); d.names > maxNames*d.style.limit {
		return tooLong("text of "+quote(d.style.arg), d.style.limit)
	}
	switch arg := arg.(type) {
	case nil:
		return nil
	case []any:
		index := 0
		for _, item := range arg {
			if item == nil {
				continue
			}
			if err := d.add(name+"["+strconv.Itoa(index)+"]", item, nil); err != nil {
				return err
			}
			index++
		}
		return nil
	case map[string]any:
		for _, key := range inOrder(arg, listed) {
			if err := d.add(name+"["+key+"]", arg[key], nil); err != nil {
				return err
			}
		}
		return nil
	}
	return d.leaf(name, arg)
}

// leaf adds a pair, up to the limit.
func (d *deep) leaf(name string, arg any) error {
	text, err := textOf(arg)
	if err != nil {
		return err
	}
	p := d.style.pair(name, text)
	if d.size += len(p.name) + len(p.text); d.size > d.style.limit {
		return tooLong("text of "+quote(d.style.arg), d.style.limit)
	}
	d.pairs = append(d.pairs, p)
	return nil
}
