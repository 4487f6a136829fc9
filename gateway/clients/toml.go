package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// ByHand is why a file has to be changed by its owner, where that takes something
// else than adding the snippet.
type ByHand struct {
	Why  string // what is in the way
	How  string // what to do with the text
	Text string // what the file is to say, in whole lines
}

// Error is why.
func (e *ByHand) Error() string { return e.Why }

// mergeTOML adds a table at the end, which belongs to no table before it. An
// entry that is there and says something else is left to its owner: its comments
// would be lost.
func (s *Setup) mergeTOML(text []byte) ([]byte, error) {
	var before map[string]any
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("it cannot be read as TOML: %w", placedTOML(text, err))
	}
	table, err := toml.Marshal(s.client.entry(&s.server))
	if err != nil {
		return nil, err
	}
	var own map[string]any
	if err := toml.Unmarshal(table, &own); err != nil {
		return nil, err
	}
	header := "[" + s.client.section + "." + s.server.Name + "]\n"
	section, there := before[s.client.section]
	servers, isTable := section.(map[string]any)
	if there && !isTable {
		return nil, &ByHand{
			Why:  fmt.Sprintf("its %q is no table", s.client.section),
			How:  "take out what it says of " + s.client.section + ", then add this",
			Text: header + string(table),
		}
	}
	if entry, ok := servers[s.server.Name]; ok {
		if reflect.DeepEqual(entry, any(own)) {
			return text, nil
		}
		return nil, s.otherEntry(own)
	}
	merged := appendTable(text, header+string(table))
	var after map[string]any
	if err := toml.Unmarshal(merged, &after); err != nil {
		return nil, s.insideBraces(own, len(servers) > 0)
	}
	return merged, s.verify(before, any(after), own)
}

// otherEntry leaves an entry of the name to its owner. The members are written in
// one way in tables and between braces, but for what stands between them.
func (s *Setup) otherEntry(own map[string]any) error {
	lines := make([]string, 0, len(own))
	for _, name := range slices.Sorted(maps.Keys(own)) {
		lines = append(lines, inline(name, own[name])+"\n")
	}
	return &ByHand{
		Why:  fmt.Sprintf("it has another entry named %q (change it by hand, or choose another --name)", s.server.Name),
		How:  fmt.Sprintf("let its entry %q say this, in place of another url or command (between braces, with commas between)", s.server.Name),
		Text: strings.Join(lines, ""),
	}
}

// insideBraces is for a section that is written in braces: no table can be added
// to it.
func (s *Setup) insideBraces(own map[string]any, others bool) error {
	how := "put this between the braces of " + s.client.section
	if others {
		how += ", after a comma"
	}
	return &ByHand{
		Why:  fmt.Sprintf("its %q is written in braces, to which no table can be added", s.client.section),
		How:  how,
		Text: inline(s.server.Name, own) + "\n",
	}
}

// inline writes a member on one line. All values are texts, lists of texts and
// tables of these.
func inline(name string, v any) string { return name + " = " + inlineValue(v) }

func inlineValue(v any) string {
	switch v := v.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, inline(name, v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, 0, len(v))
		for _, item := range v {
			parts = append(parts, inlineValue(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text, err := toml.Marshal(map[string]any{"v": v})
	if err != nil {
		return fmt.Sprintf("%q", v) // no text, which none of ours is
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), "v = "), "\n")
}

// placedTOML puts line and column before what is wrong, as [parse] does. The
// library counts a column in bytes.
func placedTOML(text []byte, err error) error {
	wrong, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return err
	}
	line, column := wrong.Position()
	if lines := bytes.Split(text, []byte("\n")); line >= 1 && line <= len(lines) && column >= 1 {
		column = 1 + utf8.RuneCount(lines[line-1][:min(column-1, len(lines[line-1]))])
	}
	return fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
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
