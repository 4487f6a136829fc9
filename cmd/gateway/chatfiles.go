package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/chat"
)

// fileHouse is where files of chats are: the store, or a server. A key without a
// caller is about a chat of whoever asks.
type fileHouse interface {
	// files gives the files of a chat, by path.
	files(ctx context.Context, key chat.Key) ([]chat.File, error)
	// openFile gives a file, to be closed, and its size and digest.
	openFile(ctx context.Context, key chat.Key, path string) (chat.File, io.ReadCloser, error)
	// putFile puts a file; fresh is whether there was none.
	putFile(ctx context.Context, key chat.Key, up chat.Upload) (file chat.File, fresh bool, err error)
	// deleteFile takes a file out.
	deleteFile(ctx context.Context, key chat.Key, path string) error
}

// stdStream is the name of standard input and output.
const stdStream = "-"

func chatFilesCommand(io streams) *cli.Command {
	command := func(name, usage, args string, count int, writes bool, run func(context.Context, streams, *cli.Command, chatHouse, chat.Key) error, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: args, Flags: chatFlags(flags...),
			Action: func(ctx context.Context, cmd *cli.Command) error {
				if cmd.Args().Len() != count {
					return usagef("%s takes %s", cmd.FullName(), args)
				}
				return inChatHouse(ctx, io, cmd, writes, func(h chatHouse) error {
					key, err := fileKey(ctx, cmd, h)
					if err != nil {
						return err
					}
					return run(ctx, io, cmd, h, key)
				})
			},
		}
	}
	return &cli.Command{
		Name: "files", Usage: "list, put, get and delete files of a chat", Action: noCommand,
		Commands: []*cli.Command{
			command("list", "list the files of a chat", "CHAT", 1, false, listChatFiles),
			command("put", "put a file into a chat, in place of the one of that path", "CHAT FILE", 2, true, putChatFile,
				&cli.StringFlag{Name: "as", Usage: "its `PATH` in the chat; the name of FILE when absent, and needed where that is - (standard input)"},
				&cli.StringFlag{Name: "type", Usage: "its media `TYPE`; told from its extension and first bytes when absent"},
			),
			command("get", "write a file of a chat to standard output", "CHAT PATH", 2, false, getChatFile,
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write it to this `FILE`, or into this folder, instead"},
				&cli.BoolFlag{Name: "force", Usage: "write over a file that is there"},
			),
			command("delete", "delete a file of a chat", "CHAT PATH", 2, true, deleteChatFile),
		},
	}
}

// fileKey finds out whose chat is meant: with a server that of the caller whose token it
// is, unless --caller says otherwise.
func fileKey(ctx context.Context, cmd *cli.Command, h chatHouse) (chat.Key, error) {
	if cmd.IsSet("server") {
		return chat.Key{Caller: cmd.String("caller"), ID: cmd.Args().First()}, nil
	}
	return keyOf(ctx, cmd, h)
}

func listChatFiles(ctx context.Context, io streams, cmd *cli.Command, h chatHouse, key chat.Key) error {
	files, err := h.files(ctx, key)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(io.out, map[string]any{"files": append([]chat.File{}, files...)})
	}
	if len(files) == 0 {
		_, _ = fmt.Fprintln(io.err, "this chat has no files")
		return nil
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "PATH\tBYTES\tTYPE\tPUT")
	for i := range files {
		f := &files[i]
		_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", plain(f.Path), f.Size, plain(f.Media), f.Changed.Format(time.RFC3339))
	}
	return w.Flush()
}

func putChatFile(ctx context.Context, std streams, cmd *cli.Command, h chatHouse, key chat.Key) error {
	from := cmd.Args().Get(1)
	up := chat.Upload{Path: cmd.String("as"), Media: cmd.String("type"), Body: std.in}
	if up.Path == "" && from == stdStream {
		return usagef("--as PATH has to say where standard input goes")
	}
	if up.Path == "" {
		up.Path = filepath.Base(from)
	}
	if err := chat.CheckFilePath(up.Path); err != nil {
		return usagef("the path %q %w (--as PATH gives it another one)", up.Path, err)
	}
	if from != stdStream {
		file, err := openRegular(from)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		up.Body = file
	}
	put, fresh, err := h.putFile(ctx, key, up)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(std.out, put)
	}
	word := "replaced"
	if fresh {
		word = "put"
	}
	_, err = fmt.Fprintf(std.out, "%s %s (%d bytes, %s)\n", word, plain(put.Path), put.Size, plain(put.Media))
	return err
}

// openRegular opens a file to read, and nothing that would never end.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: put - reads standard input", name)
	}
	return os.Open(name)
}

func getChatFile(ctx context.Context, std streams, cmd *cli.Command, h chatHouse, key chat.Key) error {
	name := cmd.Args().Get(1)
	file, content, err := h.openFile(ctx, key, name)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	to := cmd.String("output")
	if to == "" || to == stdStream {
		return copyWhole(std.out, content, &file)
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, path.Base(name))
	}
	if err := saveWhole(to, cmd.Bool("force"), func(w io.Writer) error { return copyWhole(w, content, &file) }); err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(std.out, file)
	}
	_, err = fmt.Fprintf(std.err, "wrote %s (%d bytes)\n", plain(to), file.Size)
	return err
}

// copyWhole copies a file, and fails where it is not what it is said to be.
func copyWhole(to io.Writer, from io.Reader, file *chat.File) error {
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, hash), from); err != nil {
		return fmt.Errorf("the file could not be read to its end: %w", err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != file.Digest {
		return errors.New("the file came with other bytes than it has: get it again")
	}
	return nil
}

// saveWhole makes a file, whole or not at all. One that is there is left, unless it is
// forced: then the new one takes its name when it is complete.
func saveWhole(name string, force bool, write func(io.Writer) error) error {
	temp := name
	if force {
		temp = filepath.Join(filepath.Dir(name), "."+filepath.Base(name)[:min(100, len(filepath.Base(name)))]+"."+rand.Text())
	}
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: --force writes over it", name)
	}
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Close())
	if err == nil && force {
		err = os.Rename(temp, name)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

func deleteChatFile(ctx context.Context, io streams, cmd *cli.Command, h chatHouse, key chat.Key) error {
	name := cmd.Args().Get(1)
	if err := h.deleteFile(ctx, key, name); err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(io.out, map[string]string{"path": name, "status": "deleted"})
	}
	_, err := fmt.Fprintf(io.out, "deleted %s\n", plain(name))
	return err
}
