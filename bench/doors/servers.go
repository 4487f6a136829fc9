package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// file is the configuration of the gateway: its address and more tools go in.
const file = `
version: 1
server: {listen: %q}
tools:
  echo:
    description: Say it again.
    tags: [read_only]
    parameters: {type: object, properties: {text: {type: string}}, required: [text]}
    expr: args.text
%spolicy:
  default: deny
  rules:
    - {name: no deletes, tags: [destructive], action: deny}
    - {name: not too long, tags: [read_only], when: len(args.text) > 1000, action: deny}
    - {name: reads, tags: [read_only], action: allow}
`

const (
	startTimeout = 20 * time.Second // of a server
	stopTimeout  = 20 * time.Second
	profileName  = "cpu.profile" // in the folder of the servers
	buildTimeout = 5 * time.Minute
)

//go:embed testdata/profile.go
var profiler []byte

// server is a process that serves.
type server struct {
	name, address string
	cmd           *exec.Cmd
	log           string // file of what it said
}

type servers map[string]*server

// start starts what is asked for; what was started is returned with the error,
// too.
func start(dir string, opts *options) (servers, error) {
	all := servers{}
	program, err := program(dir, opts)
	if err != nil {
		return all, err
	}
	self, err := os.Executable()
	if err != nil {
		return all, err
	}
	if opts.proxy {
		return all, all.startProxies(dir, program, self)
	}
	address, err := freeAddress()
	if err != nil {
		return all, err
	}
	config := filepath.Join(dir, "tools.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, file, address, moreTools(opts.others())), 0o600); err != nil {
		return all, err
	}
	if err := all.add(dir, "gateway", address, nil, program, "serve", "--config", config); err != nil || opts.profile != "" {
		return all, err
	}
	if err := all.keepList(dir); err != nil {
		return all, err
	}
	names := []string{"mcp-go", "go-sdk"}
	if opts.list > 0 {
		names = append(names, "static")
	}
	for _, name := range names {
		if err := all.addBare(dir, name, self, opts.others()); err != nil {
			return all, err
		}
	}
	return all, nil
}

// addBare starts one of the servers that this program itself can be.
func (all servers) addBare(dir, name, self string, tools int) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	return all.add(dir, name, address, []string{envTools + "=" + strconv.Itoa(tools)}, self, name, address)
}

// moreTools is the part of the configuration for so many tools.
func moreTools(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  %s: {description: %q, tags: [read_only], parameters: %s, expr: args.text}\n", toolName(i), listed, schema)
	}
	return b.String()
}

// keepList keeps the gateway's list in a file.
func (all servers) keepList(dir string) error {
	res, err := http.Get("http://" + all["gateway"].address + "/v1/tools?format=mcp")
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return errors.Join(err, os.WriteFile(filepath.Join(dir, listFile), body, 0o600))
}

// program builds the gateway of the checkout unless one is given. For a profile
// one file is laid over it, which makes the profile when a signal says so.
func program(dir string, opts *options) (string, error) {
	if opts.gateway != "" {
		return filepath.Abs(opts.gateway)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "gateway")
	args := []string{"build", "-trimpath", "-o", out}
	if opts.profile != "" {
		overlay, err := overlay(dir, filepath.Join(root, "cmd/gateway/bench_profile.go"))
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	ctx, cancel := context.WithTimeout(context.Background(), buildTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/gateway")...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return out, cmd.Run()
}

// overlay writes the description that puts the profiler in the place of a file.
func overlay(dir, place string) (string, error) {
	source := filepath.Join(dir, "profile.go")
	description, err := json.Marshal(map[string]any{"Replace": map[string]string{place: source}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, errors.Join(os.WriteFile(source, profiler, 0o600), os.WriteFile(name, description, 0o600))
}

// freeAddress is one that nobody listens at now.
func freeAddress() (string, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// add starts one server, in an environment that has more in it, and waits until it
// serves.
func (all servers) add(dir, name, address string, env []string, command ...string) error {
	s := &server{name: name, address: address, log: filepath.Join(dir, name+".log")}
	out, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }() // the process has its own
	s.cmd = exec.Command(command[0], command[1:]...)
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = dir, out, out
	s.cmd.Env = append(append(os.Environ(), envProfile+"="+filepath.Join(dir, profileName)), env...)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	all[name] = s
	return s.await()
}

func (s *server) await() error {
	client := http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	var last error
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		res, err := client.Get("http://" + s.address + "/readyz")
		if err != nil {
			last = err
			continue
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return nil
		}
		last = errors.New(res.Status)
	}
	said, _ := os.ReadFile(s.log)
	return fmt.Errorf("%s does not serve: %w\n%s", s.name, last, said)
}

// stop ends all servers and waits for them.
func (all servers) stop() error {
	var errs []error
	for _, s := range all {
		timer := time.AfterFunc(stopTimeout, func() { _ = s.cmd.Process.Kill() })
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		if err := s.cmd.Wait(); err != nil && s.name == "gateway" { // the bare ones die of it
			errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
		}
		timer.Stop()
	}
	return errors.Join(errs...)
}
