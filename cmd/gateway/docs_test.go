package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/urfave/cli/v3"
)

// repository is the root of this repository.
const repository = "../.."

// docEnding is how a command of the documentation ends where it does not simply end well.
type docEnding struct {
	command string // what the command begins with
	exit    int    // as the text beside it says
	prints  string // what is in its output
	before  string // what runs before it, in the same shell: it makes what the text takes for granted
	stops   bool   // the gateways of the section are stopped before it
	watches bool   // it goes on until it is interrupted, which is done when it has printed something
}

// docEndings are found by page and section, the first that fits. curl ends with 22 where the
// answer is a failure.
var docEndings = map[string][]docEnding{
	"README.md/Your first tool": {{command: "gateway tools call slug", prints: "hello-world\n"}},
	"README.md/Your own API in ten minutes": {
		{command: "gateway lint", prints: "tools.yaml: ok, 2 tools"},
		{command: "gateway tools call find_customer", prints: "ada@example.com"},
		{command: "gateway test", prints: "2 passed, 0 failed"},
		{command: "gateway tools call pay", exit: exitRefused, prints: "Over 100 euros a person pays; this is 200"},
		{command: "curl -s http://127.0.0.1:8080/v1/tools/pay", exit: 22, prints: "Over 100 euros a person pays"},
		{command: "gateway log", prints: "big payments"},
		{command: "gateway mcp add claude-desktop", prints: "--stdio"},
	},
	"approvals.md/": {
		{command: "curl -s http://127.0.0.1:8080/v1/tools/pay", exit: 22, prints: "needs_approval"},
		{command: "gateway approvals --watch", watches: true},
	},
	"chats.md/Tools of some chats only": {
		{command: "gateway chats decline", before: `curl -s -o asked.json http://127.0.0.1:8080/v1/tools/request_tool_activation/call -H 'X-Chat-Id: c-17' --json '{"group": "payments", "reason": "to pay"}'`},
		{command: "gateway chats activate c-17 payments --caller", before: `export TOOLGATE_SERVER__CALLERS='{agent: {token: "${secret.agent}"}}' TOOLGATE_SECRETS__AGENT='{env: AGENT_TOKEN}'`},
	},
	"cli.md/": {
		{command: "source <(gateway completion zsh)", before: "compdef() { :; }"}, // of zsh
		{command: "gateway log --call ID", exit: exitFailed},
		{command: "gateway log --follow", watches: true},
	},
	"clients.md/": {
		{command: "gateway mcp add claude-desktop", exit: map[bool]int{false: exitUsage}[runtime.GOOS == "darwin"]}, // its file is known on macOS only
	},
	"running.md/Backup and restore": {
		{command: "deploy/backup", before: "curl -s http://127.0.0.1:8080/v1/tools/NAME/call --json '{}'"},
		{command: "mv gateway.db", stops: true},
		{command: "gateway log", prints: "NAME"},
	},
	"policy.md/": {
		{command: "gateway policy diff", exit: exitFailed, prints: "NAME"},
	},
}

// notRun are commands that no test can run, why, and what is checked of them instead.
var notRun = []struct {
	command, because string
	check            func(t *testing.T, command string)
}{
	{"scripts/demo", "it serves on fixed ports until it is interrupted; .ci/run runs it", isProgram},
	{"scripts/test", "it runs this test", isProgram},
	{"go install ./cmd/gateway", "this test builds the same package", isPackage},
	{"go run ./examples/upstream", "it serves on a fixed port until it is interrupted; this test starts the same package", isPackage},
	{"npx -y @modelcontextprotocol/inspector@", "npm brings it; .ci/run runs it with the same flags", inspects},
	{"go build -trimpath", "this test builds the same package", func(t *testing.T, command string) { isPackage(t, "go run ./cmd/gateway") }},
	{"source <(gateway completion zsh)", "it is a line for zsh", func(*testing.T, string) {}},
	{"sudo ", "it needs root and systemd", filesOfDeploy},
	{"systemctl ", "it needs systemd", filesOfDeploy},
	{"journalctl ", "it needs systemd", filesOfDeploy},
	{"podman ", "it needs a registry; the file it builds is held against .ci/run", filesOfDeploy},
	{"gateway python install", "it downloads; package cpython tests it", func(*testing.T, string) {}}, // its flags are checked like all
}

func isProgram(t *testing.T, command string) {
	if info, err := os.Stat(filepath.Join(repository, strings.Fields(command)[0])); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%s: no program: %v", command, err)
	}
}

func isPackage(t *testing.T, command string) {
	if _, err := os.Stat(filepath.Join(repository, strings.Fields(command)[2], "main.go")); err != nil {
		t.Error(err)
	}
}

// filesOfDeploy: the files below deploy/ that a command names are there.
func filesOfDeploy(t *testing.T, command string) {
	for _, name := range regexp.MustCompile(`deploy/\S+`).FindAllString(command, -1) {
		if _, err := os.Stat(filepath.Join(repository, name)); err != nil {
			t.Error(err)
		}
	}
}

// inspects: the Inspector is called as in the script that calls it in CI.
func inspects(t *testing.T, command string) {
	script, err := os.ReadFile(filepath.Join(repository, "testdata/inspector/run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(repository, "testdata/inspector/package.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(strings.Fields(command)[2][1:], "@")
	if !strings.Contains(string(manifest), `"@modelcontextprotocol/inspector": "`+version+`"`) {
		t.Errorf("%s: testdata/inspector has another version", command)
	}
	for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(command, -1) {
		if !strings.Contains(string(script), flag) {
			t.Errorf("%s: testdata/inspector/run.sh has no %s", command, flag)
		}
	}
}

// docSection is a section of a page: its heading, its first configuration, its commands.
type docSection struct {
	page, heading, configuration string
	commands                     []string
}

// sections are those of a page that have commands. A section is what stands under a heading
// of the second level; what stands before the first one has none.
func (p docPage) sections() (found []docSection) {
	for i, text := range strings.Split("\n"+p.text, "\n## ") {
		part := docPage{p.path, text}
		s := docSection{page: filepath.Base(p.path)}
		if i > 0 {
			s.heading, _, _ = strings.Cut(text, "\n")
		}
		if blocks := part.blocks("yaml"); len(blocks) > 0 {
			s.configuration = blocks[0]
		}
		for _, block := range part.blocks("sh") {
			s.commands = append(s.commands, commandsOf(block)...)
		}
		if len(s.commands) > 0 {
			found = append(found, s)
		}
	}
	return found
}

// commandsOf are the commands of a block: one a line, with the lines of a here-document and
// those behind a backslash. Lines of comments are none.
func commandsOf(block string) (commands []string) {
	end := "" // of a here-document
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		last := len(commands) - 1
		switch {
		case end != "":
			commands[last] += "\n" + line
			if line == end {
				end = ""
			}
			continue
		case last >= 0 && strings.HasSuffix(commands[last], "\\"):
			commands[last] += "\n" + line
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
			continue
		default:
			commands = append(commands, line)
		}
		if m := regexp.MustCompile(`<<'?(\w+)'?`).FindStringSubmatch(line); m != nil {
			end = m[1]
		}
	}
	return commands
}

// TestDocsCommands runs every command of every page, in order, each section in a folder of
// its own. What cannot run is in notRun. In it, and in it alone, addresses and the id of an
// approval are replaced by those that there are.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := os.Symlink(build(t, "github.com/toolgate/toolgate/cmd/gateway"), filepath.Join(bin, "gateway")); err != nil {
		t.Fatal(err)
	}
	// That a failure of HTTP is one of the command, too.
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "curl"), []byte("#!/bin/sh\nexec "+curl+" --fail-with-body \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	upstream := start(t, build(t, "github.com/toolgate/toolgate/examples/upstream"), "-listen", "127.0.0.1:0")
	used := map[string]bool{}
	for _, p := range pages(t) {
		for _, s := range p.sections() {
			t.Run(s.page+"/"+s.heading, func(t *testing.T) {
				d := openDesk(t, s, bin, upstream.url)
				for _, command := range s.commands {
					flagsExist(t, command)
					d.try(t, command, used)
				}
			})
		}
	}
	for _, n := range notRun {
		if !used[n.command] {
			t.Errorf("%s is in no page", n.command)
		}
	}
}

// docDesk is where the commands of a section run.
type docDesk struct {
	section  docSection
	dir, bin string
	env      []string
	servers  map[string]*process // by the address in the text
	asked    int                 // calls that were made to wait for a person
}

// own are the sections whose configuration is the one that their commands are about.
var own = []string{"Your first tool", "Your own API in ten minutes"}

func openDesk(t *testing.T, s docSection, bin, upstream string) *docDesk {
	t.Helper()
	dir := t.TempDir()
	archive, err := txtar.ParseFile("testdata/docs/folder.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(own, s.heading) {
		archive.Files = append(archive.Files, txtar.File{Name: "tools.yaml", Data: complete(s.configuration)})
	}
	for _, f := range archive.Files {
		text := strings.ReplaceAll(string(f.Data), "http://127.0.0.1:9090", upstream)
		path := filepath.Join(dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, from := range map[string]string{"SPEC": "shop.yaml", "api.json": "shop.yaml", "github.yaml": "github.yaml"} {
		data, err := os.ReadFile(filepath.Join(repository, "examples/openapi", from))
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, "home")
	for _, folder := range []string{".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions", ".cursor"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(bin, filepath.Join(dir, "bin")), copyFolder(dir, "examples"), copyFolder(dir, "deploy")); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "GITHUB_TOKEN=a-token-of-github",
		"TOOLGATE_TOKEN=an-administrator-of-the-docs", "AGENT_TOKEN=an-agent-of-the-documentation",
	}
	if runtime := os.Getenv("TG_PYTHON"); runtime != "" && s.page == "interpreter.md" {
		env = append(env, "TOOLGATE_CODE_INTERPRETER={enabled: true, runtime: "+runtime+"}")
	}
	return &docDesk{section: s, dir: dir, bin: bin, env: env, servers: map[string]*process{}}
}

// copyFolder copies a folder of the repository.
func copyFolder(dir, name string) error {
	return os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(repository, name)))
}

// command is a line of the shell, to run in the folder.
func (d *docDesk) command(ctx context.Context, line string) *exec.Cmd {
	c := exec.CommandContext(ctx, "bash", "-e", "-o", "pipefail", "-c", line)
	c.Dir, c.Env = d.dir, d.env
	return c
}

// server is the address of the gateway that stands for the one of the text. It runs until
// the section ends.
func (d *docDesk) server(t *testing.T, address string, layers ...string) string {
	t.Helper()
	if d.servers[address] == nil {
		args := append([]string{"serve", "--set", "server.listen=127.0.0.1:0"}, layers...)
		c := exec.CommandContext(t.Context(), filepath.Join(d.bin, "gateway"), args...)
		c.Dir, c.Env = d.dir, d.env
		talk, err := os.CreateTemp(t.TempDir(), "talk")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if said, err := os.ReadFile(talk.Name()); t.Failed() {
				t.Logf("%s%v", said, err)
			}
			_ = talk.Close()
		})
		d.servers[address] = startCommand(t, talk, c)
	}
	return d.servers[address].url
}

// real is a command with what is there in place of what the text calls it.
func (d *docDesk) real(t *testing.T, command string) string {
	t.Helper()
	if open := "http://127.0.0.1:8080"; strings.Contains(command, open) {
		command = strings.ReplaceAll(command, open, d.server(t, open))
	}
	if guarded := "https://tools.example.com"; strings.Contains(command, guarded) {
		command = strings.ReplaceAll(command, guarded, d.server(t, guarded, "--config", "tools.yaml", "--config", "guarded.yaml"))
	}
	if id := "btdqfrtp"; strings.Contains(command, id) {
		command = regexp.MustCompile(`(apr_)?`+id).ReplaceAllString(command, d.waits(t))
	}
	return command
}

// waits is the id of a call that has begun to wait for a person.
func (d *docDesk) waits(t *testing.T) string {
	t.Helper()
	d.asked++
	_ = d.command(t.Context(), fmt.Sprintf("gateway tools call pay amount=%d", d.asked)).Run() // ends with needs_approval
	out, err := d.command(t.Context(), "gateway approvals list --json").Output()
	var list struct{ Approvals []struct{ ID string } }
	if err := errors.Join(err, json.Unmarshal(out, &list)); err != nil || len(list.Approvals) == 0 {
		t.Fatalf("nothing waits: %v\n%s", err, out)
	}
	return list.Approvals[0].ID
}

// ending is how the command is to end.
func (d *docDesk) ending(command string) docEnding {
	for _, key := range []string{d.section.page + "/" + d.section.heading, d.section.page + "/"} {
		for _, e := range docEndings[key] {
			if strings.HasPrefix(command, e.command) {
				return e
			}
		}
	}
	return docEnding{}
}

// try runs a command, and tells when it does not end as it should.
func (d *docDesk) try(t *testing.T, command string, used map[string]bool) {
	for _, n := range notRun {
		if strings.HasPrefix(command, n.command) {
			used[n.command] = true
			n.check(t, command)
			return
		}
	}
	switch {
	case strings.HasPrefix(command, "gateway serve"):
		d.server(t, "http://127.0.0.1:8080")
		return
	case strings.Contains(command, "python run") || strings.Contains(command, "code_interpreter/call"):
		if os.Getenv("TG_PYTHON") == "" {
			return // .ci/run has the interpreter
		}
		command = strings.Replace(command, "python run", "python run --runtime "+os.Getenv("TG_PYTHON"), 1)
	}
	want := d.ending(command)
	if want.stops {
		d.stop(t)
	}
	if want.before != "" {
		command = want.before + "\n" + command
	}
	command = d.real(t, command)
	if want.watches {
		d.watch(t, command)
		return
	}
	out, err := d.command(t.Context(), command).CombinedOutput()
	exit := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		exit, err = failed.ExitCode(), nil
	}
	if err != nil || exit != want.exit || !bytes.Contains(out, []byte(want.prints)) {
		t.Errorf("$ %s\n%s\nexit code %d, not %d: %v; to be printed: %q", command, out, exit, want.exit, err, want.prints)
	}
}

// stop ends the gateways of the section, in good order.
func (d *docDesk) stop(t *testing.T) {
	t.Helper()
	for address, p := range d.servers {
		if err := errors.Join(p.cmd.Process.Signal(syscall.SIGTERM), p.cmd.Wait()); err != nil {
			t.Error(err)
		}
		delete(d.servers, address)
	}
}

// watch runs a command until it has printed something, and interrupts it.
func (d *docDesk) watch(t *testing.T, command string) {
	if strings.Contains(command, "approvals") {
		d.waits(t)
	} else if err := d.command(t.Context(), "gateway tools call NAME key=value").Run(); err != nil {
		t.Error(err)
	}
	c := d.command(t.Context(), "exec "+command)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Errorf("$ %s: %v", command, err)
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("$ %s: %v when it is interrupted", command, err)
	}
}

// flagsExist: each command of the gateway and each of its flags is one, wherever in the line
// it stands and also where the line is not run.
func flagsExist(t *testing.T, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " # ")
	for _, part := range regexp.MustCompile(`&&|\|\||[|;()]`).Split(line, -1) {
		if _, rest, ok := strings.Cut(part, "gateway "); ok && !strings.HasPrefix(strings.TrimSpace(rest), "-") {
			flagsOf(t, rest)
		}
	}
}

// flagsOf is flagsExist for the words behind "gateway".
func flagsOf(t *testing.T, rest string) {
	t.Helper()
	cmd := root(streams{})
	flags := map[string]bool{"--help": true}
	for word := range strings.FieldsSeq(rest) {
		if sub := subcommand(cmd, word); sub != nil {
			cmd = sub
		}
		for _, f := range cmd.Flags {
			flags["--"+f.Names()[0]] = true
		}
		if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(name, "--") && !flags[name] {
			t.Errorf("gateway %s: %s has no %s", rest, cmd.Name, name)
		}
	}
}

func subcommand(cmd *cli.Command, name string) *cli.Command {
	i := slices.IndexFunc(cmd.Commands, func(c *cli.Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return cmd.Commands[i]
}

// TestDocsLinks: what a page links to is there, and the anchor, too.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(withoutCode(p.text), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := p.path
			if target != "" {
				path = filepath.Join(filepath.Dir(p.path), target)
			}
			data, err := os.ReadFile(path)
			if info, _ := os.Stat(path); err != nil && (info == nil || !info.IsDir()) {
				t.Errorf("%s: %v", p.path, err)
			}
			if anchor != "" && !slices.Contains(anchors(string(data)), anchor) {
				t.Errorf("%s: %s has no #%s", p.path, path, anchor)
			}
		}
	}
}

// withoutCode is a page without its blocks of code.
func withoutCode(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(text, "")
}

// anchors are the names that code hosts give the headings of a page.
func anchors(text string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(withoutCode(text), -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N}_\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// TestDocsClients: what the pages show of the files of MCP clients is what "gateway mcp add"
// writes, but for the paths of the program and of its configuration.
func TestDocsClients(t *testing.T) {
	all := pages(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("tools.yaml", []byte("version: 1\npolicy: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, p := range all {
		for _, m := range regexp.MustCompile("(?ms)^```json mcp-add (.*?)\n(.*?)^```").FindAllStringSubmatch(p.text, -1) {
			found++
			shown, err := gatewayOutput(t, append([]string{"mcp", "add"}, strings.Fields(m[1])...)...)
			if err != nil {
				t.Fatalf("%s: %v", m[1], err)
			}
			want, got := unplaced(t, shown), unplaced(t, m[2])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s (-written +page):\n%s", p.path, m[1], diff)
			}
		}
	}
	if found == 0 {
		t.Error("no page shows any")
	}
}

// unplaced is a document of JSON in which a path is its last element.
func unplaced(t *testing.T, text string) (v any) {
	t.Helper()
	text = regexp.MustCompile(`"/[^"]*/([^"/]+)"`).ReplaceAllString(text, `"$1"`)
	text = regexp.MustCompile(`"command": *"[^"]+"`).ReplaceAllString(text, `"command": "gateway"`)
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}
