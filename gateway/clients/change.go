package clients

import (
	"bytes"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Change is what became of an entry that was there.
type Change struct {
	Address bool     // it stood for another address, or another program
	Kept    []string // the members of it that stay as they were, sorted; headers too where only the token's is another
	Dropped []string // those that are gone, sorted, and credentials in whose place others are
}

// Members of entries, of any client, that are not the user's alone.
var (
	// transport says where a server is, or how it is started.
	transport = []string{"type", "url", "httpUrl", "command", "args"}
	// credentials are for the server that the entry stood for, and no other may see
	// them; nor is another one trusted because that was (Gemini CLI's trust: calls
	// without a question).
	credentials = []string{"headers", "oauth", "auth", "trust"}
)

// planned is an entry that takes the place of another one.
type planned struct {
	set  []string       // members to write, sorted
	drop []string       // members to take out, sorted
	want map[string]any // the whole
}

// plan sets what own says and keeps all else that was there, but for another
// transport, and for credentials where the server is another one.
func plan(was, own map[string]any) (planned, Change) {
	p, c := planned{want: maps.Clone(was)}, Change{Address: !sameAddress(was, own)}
	same := sameOrigin(address(was), address(own))
	for _, name := range slices.Sorted(maps.Keys(was)) {
		_, ours := own[name]
		secret := slices.Contains(credentials, name)
		switch {
		case ours && !secret:
		case ours && (!same || name != "headers"):
			if !reflect.DeepEqual(was[name], own[name]) {
				c.Dropped = append(c.Dropped, name)
			}
		case slices.Contains(transport, name), secret && !same:
			delete(p.want, name)
			p.drop, c.Dropped = append(p.drop, name), append(c.Dropped, name)
		default:
			c.Kept = append(c.Kept, name)
		}
	}
	for name, value := range own {
		if name == "headers" && same {
			value = withHeaders(was[name], value)
		}
		if !reflect.DeepEqual(was[name], value) {
			p.want[name], p.set = value, append(p.set, name)
		}
	}
	slices.Sort(p.set)
	return p, c
}

// address is the URL of an entry; empty where it has none.
func address(entry map[string]any) string {
	for _, name := range []string{"httpUrl", "url"} {
		if text, ok := entry[name].(string); ok {
			return text
		}
	}
	return ""
}

// sameAddress reports whether two entries stand for the same URL, or the same
// program with the same arguments.
func sameAddress(a, b map[string]any) bool {
	return address(a) == address(b) && reflect.DeepEqual(a["command"], b["command"]) && reflect.DeepEqual(a["args"], b["args"])
}

// sameOrigin reports whether what was sent to one URL may be sent to the other.
func sameOrigin(a, b string) bool {
	one, err := url.Parse(a)
	other, errOther := url.Parse(b)
	return err == nil && errOther == nil && one.Host != "" && one.Scheme == other.Scheme && strings.EqualFold(one.Host, other.Host)
}

// withHeaders puts headers in place of those of their names.
func withHeaders(was, own any) any {
	out := map[string]any{}
	mine, _ := own.(map[string]any)
	old, _ := was.(map[string]any)
	for name, value := range old {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(mine)), func(m string) bool { return strings.EqualFold(m, name) }) {
			out[name] = value
		}
	}
	maps.Copy(out, mine)
	return out
}

// apply changes the entry at path in a text. Whatever else stands there stays,
// comments and order too.
func (p *planned) apply(text []byte, st style, path ...string) ([]byte, error) {
	for _, name := range p.set {
		entry, err := entryAt(text, path)
		if err != nil {
			return nil, err
		}
		if text, err = p.put(text, entry, st, name); err != nil {
			return nil, err
		}
	}
	for _, name := range p.drop {
		entry, err := entryAt(text, path)
		if err != nil {
			return nil, err
		}
		text = remove(text, entry, name)
	}
	return text, nil
}

func (p *planned) put(text []byte, entry *value, st style, name string) ([]byte, error) {
	there := entry.find(name)
	if there == nil {
		return insert(text, entry, st, name, p.want[name])
	}
	if !bytes.Contains(text[entry.start:entry.end], []byte("\n")) {
		st = style{}
	}
	content, err := write(p.want[name], indentAt(text, there.value.start), st)
	return splice(text, there.value.start, there.value.end, content), err
}

func entryAt(text []byte, path []string) (*value, error) {
	v, err := parse(text)
	for _, name := range path {
		if err != nil {
			return nil, err
		}
		v = v.find(name).value
	}
	return v, err
}

// remove takes a member out, with the comma that is its own and the line that it
// leaves empty. Comments stay.
func remove(text []byte, v *value, name string) []byte {
	i := slices.IndexFunc(v.members, func(m member) bool { return m.key == name })
	from, to := v.members[i].start, v.members[i].value.end
	if comma := commaAfter(text, to); comma >= 0 {
		text = splice(text, comma, comma+1, "")
	} else if i > 0 {
		if comma := commaAfter(text, v.members[i-1].value.end); comma >= 0 {
			text, from, to = splice(text, comma, comma+1, ""), from-1, to-1
		}
	}
	before := bytes.TrimRight(text[:from], " \t")
	after := bytes.TrimLeft(text[to:], " \t")
	switch {
	case bytes.HasSuffix(before, []byte("\n")) && len(after) > 0 && (after[0] == '\n' || after[0] == '\r'):
		return splice(text, len(before), to+bytes.IndexByte(text[to:], '\n')+1, "")
	case len(after) > 0 && after[0] == '}':
		return splice(text, len(before), to, "")
	}
	return splice(text, from, len(text)-len(after), "")
}
