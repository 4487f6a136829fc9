package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
)

// Merge adds the server to the text of the client's file, or puts it in place of
// the entry of its name, and says what became of that one; nil where there was
// none, or where nothing changes. All else stays byte for byte, comments and order
// too. An empty text makes a whole file. The error says why the file has to be
// changed by hand.
func (s *Setup) Merge(text []byte) (merged []byte, replaced *Change, err error) {
	if s.client.toml {
		merged, err = s.mergeTOML(text)
		return merged, nil, err
	}
	return s.mergeJSON(text)
}

func (s *Setup) mergeJSON(text []byte) ([]byte, *Change, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		whole, err := write(map[string]any{s.client.section: map[string]any{s.server.Name: s.client.entry(&s.server)}}, "", style{"\n", "  "})
		return []byte(whole + "\n"), nil, err
	}
	root, err := parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("it cannot be read as JSON: %w", err)
	}
	if !root.object {
		return nil, nil, errors.New("it is no JSON object")
	}
	own, err := plainOf(s.client.entry(&s.server))
	if err != nil {
		return nil, nil, err
	}
	merged, want, replaced, err := s.put(text, root, own)
	if err != nil {
		return nil, nil, err
	}
	after, err := parse(merged)
	if err != nil {
		return nil, nil, fmt.Errorf("the entry cannot be added without breaking it: %w", err)
	}
	before, _ := root.plain.(map[string]any)
	return merged, replaced, s.verify(before, after.plain, want)
}

// put changes the text of a JSON file. It gives what the entry says then, and
// what became of the one that was there.
func (s *Setup) put(text []byte, root *value, want map[string]any) (merged []byte, entry map[string]any, replaced *Change, err error) {
	st, own := styleOf(text, root), s.client.entry(&s.server)
	section := root.find(s.client.section)
	if section == nil {
		merged, err = insert(text, root, st, s.client.section, map[string]any{s.server.Name: own})
		return merged, want, nil, err
	}
	if !section.value.object {
		return nil, nil, nil, fmt.Errorf("its %q is no JSON object", s.client.section)
	}
	there := section.value.find(s.server.Name)
	if there == nil {
		merged, err = insert(text, section.value, st, s.server.Name, own)
		return merged, want, nil, err
	}
	was, ok := there.value.plain.(map[string]any)
	if !ok {
		content, err := write(own, indentAt(text, there.value.start), st)
		return splice(text, there.value.start, there.value.end, content), want, &Change{Address: true}, err
	}
	p, change := plan(was, want)
	if len(p.set)+len(p.drop) == 0 {
		return text, p.want, nil, nil
	}
	merged, err = p.apply(text, st, s.client.section, s.server.Name)
	return merged, p.want, &change, err
}

// plainOf is what an entry is as JSON.
func plainOf(e entry) (map[string]any, error) {
	text, err := write(e, "", style{})
	if err != nil {
		return nil, err
	}
	read, err := parse([]byte(text))
	if err != nil {
		return nil, err
	}
	plain, _ := read.plain.(map[string]any)
	return plain, nil
}

// verify holds that a file says what it said before, and the entry. Before is
// changed.
func (s *Setup) verify(before map[string]any, after any, own map[string]any) error {
	if before == nil {
		before = map[string]any{}
	}
	section, _ := before[s.client.section].(map[string]any)
	if section == nil {
		section = map[string]any{}
		before[s.client.section] = section
	}
	section[s.server.Name] = own
	if !reflect.DeepEqual(before, after) {
		return errors.New("the entry cannot be added without changing something else")
	}
	return nil
}
