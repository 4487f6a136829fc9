package cpython

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// npmPackage is a package of npm at one version, with what its tarball has to be.
type npmPackage struct {
	name      string // with the version
	integrity string // of the tarball, as npm writes it
}

const (
	npmTime   = 5 * time.Minute // for one package
	npmOutput = 64 << 10        // bytes of its output that are looked at
	maxPacked = 256 << 20       // bytes of a tarball
	shownTail = 600             // bytes of a program's talk in an error
)

// pack has npm put a package's tarball into a folder of its own, and checks that it is
// the one that is meant. Which registry is asked, and how, is in the user's settings.
func (i *installation) pack(ctx context.Context, p npmPackage, into string) (tarball string, err error) {
	if err := os.MkdirAll(into, 0o700); err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeoutCause(ctx, npmTime, fmt.Errorf("npm took longer than %s", npmTime))
	defer stop()
	cmd := command(ctx, or(i.NPM, "npm"), "pack", p.name, "--json", "--pack-destination", into, "--ignore-scripts",
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--loglevel=error", "--update-notifier=false")
	cmd.Dir = into
	out, talk := &tail{limit: npmOutput}, &tail{limit: npmOutput}
	cmd.Stdout, cmd.Stderr = out, talk
	err = i.during("asking npm for "+p.name, cmd.Run)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no command %s, which brings %s", cmd.Args[0], p.name)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", fmt.Errorf("npm could not bring %s: %s", p.name, reasonOf(err, out.String(), talk.String()))
	}
	files, err := filepath.Glob(filepath.Join(into, "*.tgz")) // a name of ours, without signs of a pattern
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("npm said that all is well and left %d tarballs of %s, not one", len(files), p.name)
	}
	return files[0], checkIntegrity(files[0], p)
}

func checkIntegrity(path string, p npmPackage) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is only read
	sum := sha512.New()
	if n, err := io.Copy(sum, io.LimitReader(file, maxPacked+1)); err != nil || n > maxPacked {
		return errors.Join(err, fmt.Errorf("the tarball of %s has more than %d bytes, or cannot be read", p.name, maxPacked))
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != p.integrity {
		return fmt.Errorf("what npm brought is not %s: its integrity is %s, not %s (is another registry, or something between, in the way?)", p.name, got, p.integrity)
	}
	return nil
}

// reasonOf is what npm says went wrong: in JSON on its standard output, or else the end of
// its talk.
func reasonOf(err error, out, talk string) string {
	var said struct {
		Error struct{ Code, Summary, Detail string }
	}
	if json.Unmarshal([]byte(out), &said) == nil && said.Error.Summary != "" {
		text := said.Error.Summary
		if said.Error.Code != "" {
			text = said.Error.Code + ": " + text
		}
		return short(text)
	}
	if text := strings.TrimSpace(talk); text != "" {
		return short(text)
	}
	return err.Error()
}

// short is the end of a text, on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > shownTail {
		text = "…" + strings.ToValidUTF8(text[len(text)-shownTail:], "")
	}
	return text
}

// command is a program that dies with all that it has started when ctx ends.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// tail keeps the end of what is written to it.
type tail struct {
	limit int
	kept  bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept.Write(p[max(0, len(p)-t.limit):])
	t.kept.Next(max(0, t.kept.Len()-t.limit))
	return len(p), nil
}

func (t *tail) String() string { return t.kept.String() }

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
