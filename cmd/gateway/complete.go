package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/config"
)

// completeName is the command by which scripts of shells ask what may stand next.
const completeName = "__complete"

// completeCommand answers scripts of shells: its arguments are the words behind the name
// of the program, up to the one at the cursor, which may be empty. It prints one
// candidate a line, with what is said of it behind a tab, or filesMark alone. It never
// fails and never talks: who presses a key must not get an error for it.
func completeCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: completeName, Hidden: true, SkipFlagParsing: true, Usage: "what may stand next on a command line; for scripts of shells",
		Action: func(_ context.Context, cmd *cli.Command) error {
			words := cmd.Args().Slice()
			if len(words) == 0 {
				return nil
			}
			shell := words[0]
			if shell == "bash" {
				words = joined(words[1:])
			} else {
				words = words[1:]
			}
			for _, c := range candidates(cmd.Root(), words) {
				if shell == "bash" {
					c.text = behindBreak(words[len(words)-1], c.text)
				}
				_, _ = fmt.Fprintf(io.out, "%s\t%s\n", plain(c.text), plain(c.about))
			}
			return nil
		},
	}
}

// filesMark is a candidate that stands for the names of files.
const filesMark = ":files"

// candidate is what may stand at the cursor.
type candidate struct{ text, about string }

// joined puts together again what bash has split at its COMP_WORDBREAKS: --config=a.yaml
// is three words to it, and key:=1 two or more.
func joined(words []string) (out []string) {
	breaks := func(w string) bool { return w != "" && strings.Trim(w, "=:") == "" }
	for i, w := range words {
		if len(out) > 0 && (breaks(w) || breaks(words[i-1])) {
			out[len(out)-1] += w
			continue
		}
		out = append(out, w)
	}
	return out
}

// behindBreak is what bash wants in place of the word at the cursor: what stands behind
// the last character at which it splits.
func behindBreak(word, candidate string) string {
	at := strings.LastIndexAny(word, "=:") + 1
	if candidate == filesMark || at == 0 || !strings.HasPrefix(candidate, word[:at]) {
		return candidate
	}
	return candidate[at:]
}

// typed is a command line up to its cursor.
type typed struct {
	command *cli.Command
	above   []*cli.Command // the command and those above it, whose flags it has
	flag    cli.Flag       // whose value is at the cursor; nil for none
	current string         // what stands at the cursor: of a value, the value alone
	before  string         // what of the word at the cursor stands before current
	args    []string       // arguments before the cursor
	config  config.Options
}

// candidates gives what may stand in place of the last word.
func candidates(root *cli.Command, words []string) []candidate {
	if len(words) == 0 {
		return nil
	}
	t := read(root, words)
	var all []candidate
	switch {
	case t.flag != nil:
		all = t.values()
	case strings.HasPrefix(t.current, "-"):
		all = t.flags()
	case len(t.command.VisibleCommands()) > 0:
		for _, c := range t.command.VisibleCommands() {
			all = append(all, candidate{c.Name, c.Usage})
		}
	default:
		all = t.arguments()
	}
	if len(all) == 1 && all[0].text == filesMark {
		return all
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.text, t.current) })
	for i := range all {
		all[i].text = t.before + all[i].text
	}
	return all
}

// read goes through the words as the program would, without minding what is wrong.
func read(root *cli.Command, words []string) typed {
	t := typed{command: root, above: []*cli.Command{root}, config: config.Options{Env: os.Environ()}}
	last := len(words) - 1
	for i := 0; i < last; i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") {
			if sub := t.command.Command(w); sub != nil && len(t.args) == 0 {
				t.command, t.above = sub, append(t.above, sub)
			} else {
				t.args = append(t.args, w)
			}
			continue
		}
		name, value, whole := strings.Cut(strings.TrimLeft(w, "-"), "=")
		f := t.flagNamed(name)
		if f == nil || !takesValue(f) {
			continue
		}
		if !whole && i+1 == last {
			t.flag = f
			break
		}
		if !whole {
			i++
			value = words[i]
		}
		t.note(f, value)
	}
	t.current = words[last]
	if name, value, whole := strings.Cut(strings.TrimLeft(t.current, "-"), "="); t.flag == nil && whole && strings.HasPrefix(t.current, "-") {
		if t.flag = t.flagNamed(name); t.flag != nil {
			t.before, t.current = strings.TrimSuffix(t.current, value), value
		}
	}
	return t
}

// note keeps what a flag says of the configuration.
func (t *typed) note(f cli.Flag, value string) {
	switch f.Names()[0] {
	case "config":
		t.config.Files = append(t.config.Files, value)
	case "set":
		t.config.Set = append(t.config.Set, value)
	}
}

// flagNamed finds a flag of the command or of those above it; nil for none.
func (t *typed) flagNamed(name string) cli.Flag {
	for _, c := range t.above {
		for _, f := range c.Flags {
			if slices.Contains(f.Names(), name) {
				return f
			}
		}
	}
	return nil
}

func takesValue(f cli.Flag) bool {
	v, ok := f.(cli.DocGenerationFlag)
	return ok && v.TakesValue()
}

// flags are those of the command, and then of those above it.
func (t *typed) flags() (all []candidate) {
	for _, c := range slices.Backward(t.above) {
		for _, f := range c.VisibleFlags() {
			if own, ok := f.(cli.LocalFlag); c != t.command && ok && own.IsLocal() {
				continue
			}
			about := ""
			if v, ok := f.(cli.DocGenerationFlag); ok {
				about = strings.ReplaceAll(v.GetUsage(), "`", "")
			}
			if one := (candidate{"--" + f.Names()[0], about}); !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}
