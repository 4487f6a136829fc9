package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// build compiles a command of this module as users get it, without the race
// detector, and returns its path.
func build(t *testing.T, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), filepath.Base(pkg))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// process is a started server and the address it told.
type process struct {
	cmd *exec.Cmd
	url string
}

// start runs a server until the test ends and waits for the line in which it
// tells its address.
func start(t *testing.T, bin string, args ...string) *process {
	t.Helper()
	return startCommand(t, io.Discard, exec.CommandContext(t.Context(), bin, args...))
}

// startCommand is start for a command that was made already; what it writes goes
// to talk.
func startCommand(t *testing.T, talk io.Writer, cmd *exec.Cmd) *process {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = reader.Close()
	})
	address := regexp.MustCompile(`http://[0-9.]+:[0-9]+`)
	told := io.TeeReader(reader, talk)
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, told) }()
			return &process{cmd, url}
		}
	}
	t.Fatalf("%s told no address: %v", cmd.Path, lines.Err())
	return nil
}
