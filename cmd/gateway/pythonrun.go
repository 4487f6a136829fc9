package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/interpreter"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python"
	"github.com/toolgate/toolgate/wasm/python/cpython"
	"github.com/toolgate/toolgate/wasm/python/packages"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

const (
	maxScript    = 4 << 20   // bytes of a script
	scriptOutput = 64 << 20  // bytes of each stream that a script may print
	scriptFiles  = 4000      // files that a script may leave
	scriptBytes  = 256 << 20 // bytes of them
)

// script is what gateway python run is asked for.
type script struct {
	job      wire.Job
	out      string // folder for what it leaves; empty for none
	timeout  time.Duration
	memory   tool.Size
	runtime  string
	packages []string
}

func pythonRunCommand(io streams) *cli.Command {
	first := 1
	return &cli.Command{
		Name: "run", Usage: "run a script in the sandbox of the code interpreter; what stands behind FILE is for the script", ArgsUsage: "FILE [ARG…]",
		StopOnNthArg: &first,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "files", Usage: "give it the file or folder `PATH` under /files, read-only; may be repeated"},
			&cli.StringFlag{Name: "out", Usage: "put what it writes to /out into the folder `DIR`"},
			&cli.StringSliceFlag{Name: "package", Usage: "let it import from the wheel or folder `PATH`; may be repeated"},
			&cli.DurationFlag{Name: "timeout", Value: config.DefaultProgramTimeout, Usage: "end it after so long: `DURATION`"},
			&cli.StringFlag{Name: "memory", Value: "256MiB", Usage: "the most memory that it may have: `SIZE`"},
			&cli.StringFlag{Name: "runtime", Usage: "take the interpreter in the folder `DIR`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s, err := readScript(cmd)
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			return runScript(ctx, io, s)
		},
	}
}

// readScript reads the script and what it is given.
func readScript(cmd *cli.Command) (*script, error) {
	path := cmd.Args().First()
	if path == "" {
		return nil, usagef("%s needs the path of a script", cmd.FullName())
	}
	s := &script{out: cmd.String("out"), timeout: cmd.Duration("timeout"), runtime: cmd.String("runtime")}
	var err error
	if s.memory, err = tool.ParseSize(cmd.String("memory")); err != nil || s.memory < config.MinProgramMemory || s.memory > config.MaxProgramMemory {
		return nil, usagef("--memory must be 32MiB to 4GiB, got %q", cmd.String("memory"))
	}
	if s.timeout <= 0 || s.timeout > config.MaxProgramTimeout {
		return nil, usagef("--timeout must be more than 0 and at most %v, got %v", config.MaxProgramTimeout, s.timeout)
	}
	if s.packages, err = checkedPackages(cmd.StringSlice("package")); err != nil {
		return nil, err
	}
	source, err := readFile(path, filepath.Base(path), maxScript)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	s.job = wire.Job{Code: string(source.Data), Name: source.Name, Argv: cmd.Args().Tail(), Limits: wire.Limits{Value: assembly.MaxValue, Artifacts: scriptFiles, Bytes: scriptBytes}}
	s.job.Files, err = givenFiles(cmd.StringSlice("files"))
	return s, err
}

// checkedPackages are the absolute paths of packages that are well.
func checkedPackages(paths []string) ([]string, error) {
	if _, mistakes := packages.Load(paths, ""); len(mistakes) > 0 {
		return nil, usagef("--package: %w", mistakes[0])
	}
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		out = append(out, abs)
	}
	return out, nil
}

// givenFiles reads the files that a script is given: one by its name, those of a
// folder by their paths in it, below its name.
func givenFiles(paths []string) ([]wire.File, error) {
	var all []wire.File
	room := int64(interpreter.MaxInput)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		base := filepath.Base(filepath.Clean(path))
		var files []wire.File
		if info.IsDir() {
			files, err = readFolder(path, room)
			for i := range files {
				files[i].Name = base + "/" + files[i].Name
			}
		} else {
			files = make([]wire.File, 1)
			files[0], err = readFile(path, base, room)
		}
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		for i := range files {
			room -= files[i].Size
		}
		all = append(all, files...)
	}
	return all, nil
}

// readFolder reads all files of a folder, by their paths in it.
func readFolder(root string, most int64) ([]wire.File, error) {
	var files []wire.File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := readFile(path, filepath.ToSlash(name), most)
		files = append(files, f)
		most -= f.Size
		return err
	})
	return files, err
}

// readFile reads a file that has at most so many bytes.
func readFile(path, name string, most int64) (wire.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return wire.File{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return wire.File{}, err
	case int64(len(data)) > most:
		return wire.File{}, fmt.Errorf("%s is larger than the %d bytes that there is room for", path, most)
	}
	return wire.File{Name: name, Size: int64(len(data)), Data: data}, nil
}

// runScript runs a script and tells what became of it. What it prints is printed when
// it is over.
func runScript(ctx context.Context, io streams, s *script) error {
	found, err := cpython.Find(host.PythonPlaces(s.runtime))
	if err != nil {
		return err
	}
	program, err := host.ThisProgram()
	if err != nil {
		return err
	}
	argv := host.WorkerCommand(program, found, int64(s.memory), s.packages)
	pool := python.Open(python.Config{
		Workers: 1, Timeout: s.timeout, Queue: 1, Output: scriptOutput, Limits: s.job.Limits, Log: slog.New(slog.DiscardHandler),
		Command: func() ([]string, error) { return argv, nil },
	})
	defer pool.Close()
	r, err := pool.Run(ctx, python.Request{Job: s.job})
	_, wrote := io.out.Write(r.Stdout)
	_, said := io.err.Write(r.Stderr)
	if err := errors.Join(wrote, said); err != nil {
		return err
	}
	if n := r.DroppedOut + r.DroppedErr; n > 0 {
		_, _ = fmt.Fprintf(io.err, "gateway: %d further bytes were printed and are lost\n", n)
	}
	if err != nil {
		return scriptFailure(err)
	}
	if err := s.keep(io, &r.Reply); err != nil {
		return err
	}
	return scriptEnd(io, &r.Reply)
}

// scriptFailure is why a script did not come to an end of its own.
func scriptFailure(err error) error {
	e := tool.AsError(err)
	text := e.Message
	if e.Cause != nil {
		text += ": " + plain(e.Cause.Error())
	}
	return &exitError{exitFailed, errors.New(text)}
}

// keep writes what the script left to the folder that was named.
func (s *script) keep(io streams, r *wire.Reply) error {
	for _, note := range r.Notes {
		_, _ = fmt.Fprintf(io.err, "gateway: %s\n", note)
	}
	if len(r.Artifacts) == 0 {
		return nil
	}
	if s.out == "" {
		_, _ = fmt.Fprintf(io.err, "gateway: what it wrote to /out is lost: %s; --out DIR keeps it\n", count(len(r.Artifacts), "file"))
		return nil
	}
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.out) // nothing that a script chose leads out of it
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // what was written is closed by then
	for i := range r.Artifacts {
		f := &r.Artifacts[i]
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(f.Name)), 0o777); err != nil {
			return err
		}
		if err := root.WriteFile(filepath.FromSlash(f.Name), f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// scriptEnd prints what Python would print at the end, and gives its exit code.
func scriptEnd(io streams, r *wire.Reply) error {
	if f := r.Failure; f != nil {
		text := f.Traceback
		if text == "" {
			text = f.Type + ": " + f.Message
		}
		_, _ = fmt.Fprintln(io.err, plainLines(text)) // the script chose some of it
		if f.Hint != "" {
			_, _ = fmt.Fprintln(io.err, plainLines(f.Hint))
		}
	}
	switch r.Outcome {
	case wire.OK:
		return nil
	case wire.Exited:
		if code := r.ExitCode & 0xFF; code != 0 { // as a process has it
			return &exitError{code: code}
		}
		return nil
	}
	return &exitError{code: exitFailed}
}
