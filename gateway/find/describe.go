package find

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	// maxListed is the most characters of the lines about tools in the description.
	maxListed = 2000
	// maxHint is the most characters of what such a line says of its tool, and
	// maxExample where only some tools have a line.
	maxHint, maxExample = 120, 80
	// maxSources is how many sources have a line of their own.
	maxSources = 20
	// maxTopics is the most characters of what such a line says its tools are about.
	// Together they have at most half of maxListed.
	maxTopics = 500
	// maxExamples is of how many tools of a source it is thought about giving them a
	// line: there is no room for more.
	maxExamples = maxListed / 10
	// exampleWords is how many words the name of a tool has at most that is the example
	// of a query.
	exampleWords = 5
)

const about = `Find tools that are not in your tool list, when none that you have does what you need. Search for one capability at a time%s; search again for the next one. The exact name of a tool gives the tool with its schema. The answer has the tools that fit, the best first, and says how to call them.`

// describe says what discover_tools is for and which tools it finds: each of them
// where there is room, else what each source is about, with some examples of each.
func describe(deferred []*tool.Spec) string {
	text := fmt.Sprintf(about, example(deferred))
	if len(deferred) == 0 {
		return text
	}
	room, lines := maxListed, ""
	for _, s := range deferred {
		line := lineOf(s, maxHint)
		if room -= len([]rune(line)); room < 0 {
			return text + some(sourcesOf(deferred))
		}
		lines += line
	}
	return text + "\nTools to find:" + lines
}

// lineOf is the line of one tool.
func lineOf(s *tool.Spec, most int) string {
	if hint := hintOf(s, most); hint != "" {
		return "\n- " + s.Name + ": " + hint
	}
	return "\n- " + s.Name
}

// hintOf is what a line says of its tool: the hint that the configuration gives, else
// the first sentence of the description.
func hintOf(s *tool.Spec, most int) string {
	words := strings.Join(strings.Fields(s.SearchHint), " ")
	if words == "" {
		words = strings.Join(strings.Fields(s.Description), " ")
		if first, _, more := strings.Cut(words, ". "); more {
			words = first + "."
		}
	}
	return cut(strings.Join(strings.Fields(visible(words)), " "), most)
}

// visible leaves out what no reader sees and terminals obey: control and format
// characters. The two joiners stay between the letters and signs of scripts that are
// written with them.
func visible(text string) string {
	if !strings.ContainsFunc(text, unseen) {
		return text
	}
	all := []rune(text)
	out := make([]rune, 0, len(all))
	for i, r := range all {
		if !unseen(r) || joins(r) && i > 0 && i+1 < len(all) && joined(all[i-1]) && joined(all[i+1]) {
			out = append(out, r)
		}
	}
	return string(out)
}

func unseen(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }

func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joined reports whether a joiner beside the character may change how it is written.
func joined(r rune) bool { return r > unicode.MaxASCII && !unseen(r) && !unicode.IsSpace(r) }

// cut keeps at most that many characters of a text.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if r := []rune(text); len(r) > most {
		return strings.TrimRight(string(r[:most-1]), " ") + "…"
	}
	return text
}

// example is how a query for one of the tools may read.
func example(deferred []*tool.Spec) string {
	sources := sourcesOf(deferred)
	if len(sources) == 0 {
		return `, for example "list open issues"`
	}
	if at := slices.IndexFunc(sources, func(s *source) bool { return s.name != "" }); at > 0 {
		sources[0] = sources[at]
	}
	words := nameWords(sources[0].specs[0])
	for _, s := range sources[0].specs {
		if w := nameWords(s); len(w) > 1 && len(w) <= exampleWords {
			words = w
			break
		}
	}
	words = words[:min(len(words), exampleWords)]
	if sources[0].name == "" {
		return fmt.Sprintf(", for example %q", strings.Join(words, " "))
	}
	return fmt.Sprintf(" and name the system, for example %q", sources[0].name+": "+strings.Join(words, " "))
}

// source is what is deferred of one source.
type source struct {
	name   string // empty for that of declared tools
	specs  []*tool.Spec
	topics []string // what they are about, the most frequent first
	shown  []*tool.Spec

	byTopic map[string][]*tool.Spec // in list order
	others  []*tool.Spec            // of no topic
}

// ownTools stands for the source of declared tools.
const ownTools = "others"

// title is how the source is named in a line.
func (s *source) title() string { return cmp.Or(s.name, ownTools) }

// sourcesOf are the sources of the tools, those with the most first.
func sourcesOf(deferred []*tool.Spec) []*source {
	byName := map[string]*source{}
	var all []*source
	for _, s := range deferred {
		of := byName[s.Namespace]
		if of == nil {
			of = &source{name: s.Namespace}
			byName[s.Namespace] = of
			all = append(all, of)
		}
		of.specs = append(of.specs, s)
	}
	slices.SortFunc(all, func(a, b *source) int {
		return cmp.Or(cmp.Compare(len(b.specs), len(a.specs)), strings.Compare(a.name, b.name))
	})
	return all
}

// some are a line for each source, as far as there are not too many, and below it some
// of its tools: one of each source in turn, as long as there is room.
func some(sources []*source) string {
	own, rest := sources[:min(len(sources), maxSources)], 0
	for _, s := range sources[len(own):] {
		rest += len(s.specs)
	}
	room := maxListed
	titles := make([]string, len(own))
	for i, s := range own {
		s.rank()
		titles[i] = fmt.Sprintf("\n- %s, %s", s.title(), counted(len(s.specs)))
		if topics := s.about(min(maxTopics, maxListed/2/len(own)-len(titles[i]))); topics != "" {
			titles[i] += ": " + topics
		}
		room -= len([]rune(titles[i]))
	}
	share(own, room)
	text := "\nTools to find, by source, with some of them:"
	for i, s := range own {
		text += titles[i]
		for _, spec := range s.shown {
			text += "\n " + lineOf(spec, maxExample)[1:]
		}
	}
	if rest > 0 {
		text += fmt.Sprintf("\n- %d further sources, %s", len(sources)-len(own), counted(rest))
	}
	return text
}

func counted(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}

// share gives the room to tools of the sources in turn.
func share(sources []*source, room int) {
	queues := make([][]*tool.Spec, len(sources))
	for i, s := range sources {
		queues[i] = s.examples()
	}
	for left := true; left; {
		left = false
		for i, s := range sources {
			if len(queues[i]) == 0 {
				continue
			}
			spec := queues[i][0]
			size := len([]rune(lineOf(spec, maxExample))) + 1
			if size > room {
				return
			}
			room -= size
			s.shown, queues[i], left = append(s.shown, spec), queues[i][1:], true
		}
	}
}

// rank finds out what the tools are about: their tags, but for those that every
// source may have, or else the words of their names.
func (s *source) rank() {
	tagged := 0
	for _, spec := range s.specs {
		if len(freeTags(spec)) > 0 {
			tagged++
		}
	}
	of := topicsOf
	if 2*tagged >= len(s.specs) {
		of = freeTags
	}
	s.byTopic = map[string][]*tool.Spec{}
	for _, spec := range s.specs {
		topics := of(spec)
		if len(topics) == 0 {
			s.others = append(s.others, spec)
		}
		for _, t := range topics {
			if s.byTopic[t] == nil {
				s.topics = append(s.topics, t)
			}
			s.byTopic[t] = append(s.byTopic[t], spec)
		}
	}
	slices.SortFunc(s.topics, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(s.byTopic[b]), len(s.byTopic[a])), strings.Compare(a, b))
	})
}

// about are as many of the topics as there is room for.
func (s *source) about(room int) string {
	text := ""
	for i, t := range s.topics {
		if i > 0 {
			t = ", " + t
		}
		if len([]rune(text+t)) > room {
			if i > 0 {
				text += ", …"
			}
			break
		}
		text += t
	}
	return text
}

// examples are the tools in the order in which they are shown: those for which
// somebody wrote a hint, then one of each topic in turn.
func (s *source) examples() []*tool.Spec {
	var out []*tool.Spec
	taken := map[*tool.Spec]bool{}
	take := func(specs []*tool.Spec) (rest []*tool.Spec) {
		for len(specs) > 0 && taken[specs[0]] {
			specs = specs[1:]
		}
		if len(specs) == 0 {
			return nil
		}
		out, taken[specs[0]] = append(out, specs[0]), true
		return specs[1:]
	}
	for i, spec := range s.specs {
		if spec.SearchHint != "" {
			take(s.specs[i : i+1])
		}
	}
	queues := make([][]*tool.Spec, len(s.topics), len(s.topics)+1)
	for i, t := range s.topics {
		queues[i] = s.byTopic[t]
	}
	queues = append(queues, s.others)
	for len(queues) > 0 && len(out) < maxExamples {
		for i := range queues {
			queues[i] = take(queues[i])
		}
		queues = slices.DeleteFunc(queues, func(q []*tool.Spec) bool { return len(q) == 0 })
	}
	return out
}

// freeTags are the tags of a tool that say something of what it is about: all but those
// with a meaning to the gateway.
func freeTags(s *tool.Spec) []string {
	plain := []string{tool.TagReadOnly, tool.TagDestructive, tool.TagNetwork, tool.TagFileSystem, tool.TagSlow, tool.TagPrivileged}
	return slices.DeleteFunc(slices.Clone(s.Tags), func(t string) bool { return slices.Contains(plain, t) })
}

// topicsOf are the words of a tool's name that may say what it is about, each once.
func topicsOf(s *tool.Spec) []string {
	const others = " get list create update delete add set remove search find read write send make show new put post patch by for the and all with from to of in on "
	var out []string
	for _, w := range nameWords(s) {
		w = singular(w)
		if len(w) > 2 && w != strings.ToLower(s.Namespace) && !strings.Contains(others, " "+w+" ") && !slices.Contains(out, w) && !allDigits(w) {
			out = append(out, w)
		}
	}
	return out
}

// singular is an English word without the s of its plural, as far as it looks like one.
func singular(w string) string {
	stem, plural := strings.CutSuffix(w, "s")
	switch {
	case !plural || len(w) < 4 || strings.ContainsAny(stem[len(stem)-1:], "suia"):
		return w
	case strings.HasSuffix(stem, "ie"):
		return strings.TrimSuffix(stem, "ie") + "y"
	}
	return stem
}

func allDigits(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsDigit(r) })
}

// nameWords are the words of a tool's name without its source, in small letters.
func nameWords(s *tool.Spec) []string {
	name := strings.TrimPrefix(s.Name, s.Namespace)
	var b strings.Builder
	last := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteRune(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return strings.Fields(strings.ToLower(b.String()))
}
