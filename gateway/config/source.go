package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/toolgate/toolgate/gateway/diag"
)

// Limits on a file. They are far above what people write and keep a hostile
// file from taking the machine with it.
const (
	maxFileSize  = 16 << 20 // bytes
	maxFiles     = 256      // files, those that others include among them
	maxTotalSize = 64 << 20 // bytes of all files together
	maxDepth     = 100      // maps and lists inside one another, aliases followed
	maxValues    = 1 << 20  // scalars, lists and maps in a file, what its aliases stand for included
	maxProblems  = 1000     // problems shown
	maxNumber    = 1000     // characters of a number
	maxShown     = 40       // characters of a value shown in a problem
	maxShownKey  = 80       // characters of a key shown in a problem
	maxSuggested = 200      // characters of a line that a hint writes anew
)

// position is a line and a column as YAML counts them, from 1, in characters,
// of a source.
type position struct {
	src          *source
	line, column int
}

// place is the position as problems name it.
func (p position) place() diag.Place {
	if p.src == nil {
		return diag.Place{}
	}
	return p.src.at(p)
}

// seenFrom names the position in a problem that stands elsewhere: by its line
// where both are in one file.
func (p position) seenFrom(other position) string {
	switch {
	case p.src == nil:
		return "elsewhere"
	case p.src.origin != originFile:
		return "in " + p.src.file
	case p.src == other.src:
		return fmt.Sprintf("on line %d", p.line)
	}
	return "at " + p.place().String()
}

// origin is where the text of a source comes from.
type origin int

const (
	originFile origin = iota
	originEnv         // one environment variable
	originSet         // one --set
)

// source is the text of a file, for what nodes do not remember of it. Only a
// file with problems is ever split into lines. The value of an environment
// variable or of a --set is a source too: its file is a name such as "env X",
// and its places have no lines.
type source struct {
	file   string
	text   string
	origin origin
	dir    string // what relative paths in it belong to
	once   sync.Once
	lines  []string // when one was asked for
}

// lineBreaks makes one of all that the YAML scanner takes for the end of a line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func newSource(file string, data []byte) *source {
	return &source{file: file, text: strings.TrimPrefix(string(data), "\ufeff"), dir: filepath.Dir(file)}
}

// position is the place of a line and a column in the source.
func (s *source) position(line, column int) position { return position{s, line, column} }

// at is the place of a position in this source.
func (s *source) at(p position) diag.Place {
	if s.origin != originFile {
		return diag.Place{File: s.file}
	}
	return diag.Place{File: s.file, Line: p.line, Column: p.column}
}

// line returns a line counted from 1, or "".
func (s *source) line(n int) string {
	s.once.Do(func() { s.lines = strings.Split(lineBreaks.Replace(s.text), "\n") })
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// rest returns what stands on the line from the position on.
func (s *source) rest(p position) string {
	line := s.line(p.line)
	for i := 1; i < p.column && line != ""; i++ {
		_, n := utf8.DecodeRuneInString(line)
		line = line[n:]
	}
	return line
}

// plain is what diag.Spot.Plain gives of a value: 0 or 1 where the text stands in the
// file exactly as it is, on one line, without or within quotes; -1 elsewhere.
func (s *source) plain(n *node) int {
	if !n.scalar() || s.origin != originFile {
		return -1
	}
	rest := s.rest(n.place)
	if n.quote == 0 {
		if n.text != "" && strings.HasPrefix(rest, n.text) {
			return 0
		}
		return -1
	}
	quote := string(n.quote)
	if strings.HasPrefix(rest, quote+n.text+quote) {
		return 1
	}
	return -1
}

// comment returns the comment that follows a plain value on its line, or "".
func (s *source) comment(n *node) string {
	if n.quote != 0 || n.text == "" {
		return ""
	}
	after, ok := strings.CutPrefix(s.rest(n.place), n.text)
	if !ok {
		return ""
	}
	after = strings.TrimLeft(after, " \t")
	if !strings.HasPrefix(after, "#") {
		return ""
	}
	return strings.TrimRight(after, " \t")
}
