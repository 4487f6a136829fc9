package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Merge adds the server to the text of the client's file, or puts it in place of
// the entry of its name, and reports whether that changes anything. All else stays
// byte for byte, comments and order too. An empty text makes a whole file. The
// error says why the file has to be changed by hand.
func (s *Setup) Merge(text []byte) (merged []byte, changed bool, err error) {
	merge := s.mergeJSON
	if s.client.toml {
		merge = s.mergeTOML
	}
	merged, err = merge(text)
	if err != nil {
		return nil, false, err
	}
	return merged, !bytes.Equal(merged, text), nil
}

func (s *Setup) mergeJSON(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		whole, err := write(map[string]any{s.client.section: map[string]any{s.server.Name: s.client.entry(&s.server)}}, "", style{"\n", "  "})
		return []byte(whole + "\n"), err
	}
	root, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read as JSON: %w", err)
	}
	if !root.object {
		return nil, errors.New("it is no JSON object")
	}
	merged, err := s.put(text, root)
	if err != nil {
		return nil, err
	}
	after, err := parse(merged)
	if err != nil {
		return nil, fmt.Errorf("the entry cannot be added without breaking it: %w", err)
	}
	own, err := plainOf(s.client.entry(&s.server))
	if err != nil {
		return nil, err
	}
	before, _ := root.plain.(map[string]any)
	return merged, s.verify(before, after.plain, own)
}

// put changes the text of a JSON file.
func (s *Setup) put(text []byte, root *value) ([]byte, error) {
	st, own := styleOf(text, root), s.client.entry(&s.server)
	section := root.find(s.client.section)
	if section == nil {
		return insert(text, root, st, s.client.section, map[string]any{s.server.Name: own})
	}
	if !section.value.object {
		return nil, fmt.Errorf("its %q is no JSON object", s.client.section)
	}
	there := section.value.find(s.server.Name)
	if there == nil {
		return insert(text, section.value, st, s.server.Name, own)
	}
	want, err := plainOf(own)
	if err != nil || reflect.DeepEqual(there.value.plain, want) {
		return text, err
	}
	content, err := write(own, indentAt(text, there.value.start), st)
	return splice(text, there.value.start, there.value.end, content), err
}

// plainOf is what a value is as JSON.
func plainOf(v any) (any, error) {
	text, err := write(v, "", style{})
	if err != nil {
		return nil, err
	}
	read, err := parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return read.plain, nil
}

// verify holds that a file says what it said before, and the entry. Before is
// changed.
func (s *Setup) verify(before map[string]any, after, own any) error {
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

// mergeTOML adds a table at the end, which belongs to no table before it. An
// entry that is there and says something else is left to its owner: its comments
// would be lost.
func (s *Setup) mergeTOML(text []byte) ([]byte, error) {
	var before map[string]any
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("it cannot be read as TOML: %w", err)
	}
	table, err := toml.Marshal(s.client.entry(&s.server))
	if err != nil {
		return nil, err
	}
	var own map[string]any
	if err := toml.Unmarshal(table, &own); err != nil {
		return nil, err
	}
	if servers, ok := before[s.client.section].(map[string]any); ok {
		if there, ok := servers[s.server.Name]; ok {
			if reflect.DeepEqual(there, any(own)) {
				return text, nil
			}
			return nil, fmt.Errorf("it has another entry named %q (change it by hand, or choose another --name)", s.server.Name)
		}
	}
	merged := appendTable(text, "["+s.client.section+"."+s.server.Name+"]\n"+string(table))
	var after map[string]any
	if err := toml.Unmarshal(merged, &after); err != nil {
		return nil, fmt.Errorf("a table cannot be added at its end: %w", err)
	}
	return merged, s.verify(before, any(after), any(own))
}

// appendTable adds a table after an empty line, with the line breaks of the text.
func appendTable(text []byte, table string) []byte {
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	out := string(text)
	if out != "" {
		if !strings.HasSuffix(out, "\n") {
			out += newline
		}
		out += newline
	}
	return []byte(out + strings.ReplaceAll(table, "\n", newline))
}
