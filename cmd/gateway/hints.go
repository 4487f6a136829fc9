package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/learn"
)

// hintHouse is where hints are: the store, or a server.
type hintHouse interface {
	// list gives the hints of a group of callers, or all where that is nil.
	list(ctx context.Context, group *string) ([]learn.Hint, error)
	// put takes hints in; see [learn.Book.Import]. Tools that there are not are refused
	// unless they are forced.
	put(ctx context.Context, hints []learn.Hint, group *string, replace, force bool) error
	// close gives up what is open.
	close() error
}

func hintFlags(others ...cli.Flag) []cli.Flag {
	return configFlags(append([]cli.Flag{
		&cli.StringFlag{Name: "server", Usage: "ask the gateway at this `URL` instead of the store; TOOLGATE_TOKEN holds the token of an administrator"},
		&cli.StringFlag{Name: "group", Usage: `only hints of this group of callers: "group:" and its groups with commas between them, "caller:" and an ID, or nothing for those that serve everybody`},
	}, others...)...)
}

// hintsCommand is a part of the tools command.
func hintsCommand(io streams) *cli.Command {
	return &cli.Command{
		Name: "hints", Usage: "export and import what searches of tools have learned, or somebody wrote", Action: noCommand,
		Commands: []*cli.Command{
			{
				Name: "export", Usage: "print all hints, one line of JSON each",
				Flags: hintFlags(&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to this `FILE`", TakesFile: true}),
				Action: func(ctx context.Context, cmd *cli.Command) error {
					if err := noArguments(cmd); err != nil {
						return err
					}
					return inHintHouse(ctx, io, cmd, false, func(h hintHouse) error { return exportHints(ctx, io, cmd, h) })
				},
			},
			{
				Name: "import", Usage: "take in hints from a file: lines of JSON, or a list in YAML; - reads standard input", ArgsUsage: "FILE",
				Flags: hintFlags(
					&cli.BoolFlag{Name: "replace", Usage: "put them in place of all that there are, or of those of the group"},
					&cli.BoolFlag{Name: "force", Usage: "take in hints for tools that there are not"},
				),
				Action: func(ctx context.Context, cmd *cli.Command) error {
					if cmd.Args().Len() != 1 {
						return usagef("%s takes one argument, the file with the hints", cmd.FullName())
					}
					return importHints(ctx, io, cmd)
				},
			},
		},
	}
}

func inHintHouse(ctx context.Context, io streams, cmd *cli.Command, writes bool, use func(hintHouse) error) error {
	h, err := openHints(ctx, io, cmd, writes)
	if err != nil {
		return err
	}
	return errors.Join(use(h), h.close())
}

func openHints(ctx context.Context, io streams, cmd *cli.Command, writes bool) (hintHouse, error) {
	if cmd.IsSet("server") {
		return newRemoteHints(cmd.String("server"))
	}
	return openLocalHints(ctx, io, layers(cmd), writes)
}

// groupFlag is the group that was named; the empty one is that of everybody.
func groupFlag(cmd *cli.Command) *string {
	if !cmd.IsSet("group") {
		return nil
	}
	group := cmd.String("group")
	return &group
}

func exportHints(ctx context.Context, io streams, cmd *cli.Command, h hintHouse) error {
	hints, err := h.list(ctx, groupFlag(cmd))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for i := range hints {
		if err := enc.Encode(&hints[i]); err != nil {
			return err
		}
	}
	if len(hints) == 0 {
		_, _ = fmt.Fprintln(io.err, "there are no such hints")
	}
	if file := cmd.String("output"); file != "" {
		return os.WriteFile(file, out.Bytes(), 0o600) // what people search for is theirs
	}
	_, err = io.out.Write(out.Bytes())
	return err
}

func importHints(ctx context.Context, io streams, cmd *cli.Command) error {
	file := cmd.Args().First()
	data, err := readHintFile(io, file)
	if err != nil {
		return err
	}
	hints, lines, err := parseHints(file, data)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	return inHintHouse(ctx, io, cmd, true, func(h hintHouse) error {
		err := h.put(ctx, hints, groupFlag(cmd), cmd.Bool("replace"), cmd.Bool("force"))
		if wrong, ok := errors.AsType[*learn.HintError](err); ok && wrong.Index < len(lines) {
			return &exitError{exitUsage, diag.Problems{{Place: diag.Place{File: file, Line: lines[wrong.Index]}, Text: wrong.Text, Hint: wrong.Hint}}}
		}
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(io.err, "took in %s\n", count(len(hints), "hint"))
		if !cmd.IsSet("server") {
			_, _ = fmt.Fprintf(io.err, "written to the store; a server that runs on it knows within %v\n", learn.FollowInterval)
		}
		return nil
	})
}

// maxHintFile is the most bytes of a file with hints.
const maxHintFile = 16 << 20

func readHintFile(std streams, file string) ([]byte, error) {
	from := io.Reader(std.in)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, maxHintFile+1)) // one more tells cut from whole
	if err == nil && len(data) > maxHintFile {
		err = usagef("%s has more than %d bytes", file, maxHintFile)
	}
	return data, err
}

// parseHints reads lines of JSON or, where the first is none, a list in YAML, and says in
// which line every hint begins. The error is a [diag.Problems].
func parseHints(file string, data []byte) (hints []learn.Hint, lines []int, err error) {
	items := linesOf(data)
	if first := bytes.TrimSpace(data); len(first) > 0 && first[0] != '{' {
		if items, err = config.Items(file, data); err != nil {
			return nil, nil, err
		}
	}
	for _, item := range items {
		var h learn.Hint
		if text := decodeHint(item.JSON, &h); text != "" {
			return nil, nil, diag.Problems{{Place: diag.Place{File: file, Line: item.Line}, Text: text, Hint: `write {"tool": "its name", "query": "what somebody would search for"}`}}
		}
		hints, lines = append(hints, h), append(lines, item.Line)
	}
	return hints, lines, nil
}

// linesOf are the lines that are not empty.
func linesOf(data []byte) (items []config.Item) {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if text = bytes.TrimSpace(text); len(text) > 0 {
			items = append(items, config.Item{Line: line, JSON: text})
		}
	}
	return items
}

// decodeHint says what is wrong with a hint, or nothing.
func decodeHint(data []byte, h *learn.Hint) string {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(h)
	if err == nil {
		if _, end := dec.Token(); !errors.Is(end, io.EOF) {
			return "there is more than one hint in this line"
		}
		return ""
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fmt.Sprintf("%s is a %s here", wrong.Field, wrong.Value)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the JSON ends too soon"
	}
	return "this is no hint: " + err.Error()
}
