package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func deployed(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestUnit: what the unit starts has the flags that it is given, its keys say where it may
// write, and systemd, where it is there, finds nothing wrong.
func TestUnit(t *testing.T) {
	t.Parallel()
	unit := deployed(t, "gateway.service")
	start := regexp.MustCompile(`(?m)^ExecStart=(/usr/local/bin/)(.*)$`).FindStringSubmatch(unit)
	if start == nil {
		t.Fatal("no ExecStart")
	}
	flagsExist(t, start[2])
	if !strings.Contains(start[2], "sqlite:/var/lib/toolgate/") || !strings.Contains(unit, "\nStateDirectory=toolgate\n") {
		t.Error("the store is not in the StateDirectory")
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // checked above
	}
	path := filepath.Join(t.TempDir(), "gateway.service")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(unit, "/usr/local/bin/gateway", "/bin/true")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestContainerfile: the image is built as .ci/run builds the program, and the variables that
// it sets are keys of the file.
func TestContainerfile(t *testing.T) {
	t.Parallel()
	file := deployed(t, "Containerfile")
	ci, err := os.ReadFile(filepath.Join(repository, ".ci/run"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^RUN (.*go build.*)$`).FindStringSubmatch(file)
	if line == nil || !strings.Contains(string(ci), "\t"+line[1]+"\n") {
		t.Errorf(".ci/run does not build by %q", line)
	}
	set := []string{"gateway", "config", "print", "--config", filepath.Join(repository, "examples/tools.yaml")}
	for _, m := range regexp.MustCompile(`(?m)^ENV TOOLGATE_(\w+)=(\S+)$`).FindAllStringSubmatch(file, -1) {
		set = append(set, "--set", strings.ToLower(strings.ReplaceAll(m[1], "__", "."))+"="+m[2])
	}
	if len(set) < 9 {
		t.Fatalf("only %q", set)
	}
	// That it starts only with tokens is what the page says, too.
	err = run(t.Context(), set, streams{http.NoBody, io.Discard, io.Discard})
	if err == nil || !strings.Contains(err.Error(), "without tokens") {
		t.Errorf("%v", err)
	}
}

// TestAlerts: every metric in the alerts, and in the page that shows them, is one.
func TestAlerts(t *testing.T) {
	t.Parallel()
	d := servedFolder(t)
	address := d.server(t, "http://127.0.0.1:8080")
	if err := d.command(t.Context(), "curl -s "+address+"/v1/tools/NAME/call --json '{}'").Run(); err != nil {
		t.Fatal(err)
	}
	metrics, err := d.command(t.Context(), "curl -s "+address+"/metrics").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`toolgate_[a-z_]+`).FindAllString(deployed(t, "alerts.yaml"), -1)
	if len(names) < 6 {
		t.Errorf("only %q", names)
	}
	for _, name := range names {
		if !bytes.Contains(metrics, []byte("# TYPE "+name+" ")) {
			t.Errorf("no metric is named %s", name)
		}
	}
}

// servedFolder is a folder in which a gateway can be started, with no section.
func servedFolder(t *testing.T) *docDesk {
	t.Helper()
	bin := t.TempDir()
	if err := os.Symlink(build(t, "github.com/toolgate/toolgate/cmd/gateway"), filepath.Join(bin, "gateway")); err != nil {
		t.Fatal(err)
	}
	return openDesk(t, docSection{}, bin, "http://127.0.0.1:9090")
}

// TestBackup: a backup that is made while calls are made has, restored elsewhere, every call
// that had been answered when it began.
func TestBackup(t *testing.T) {
	t.Parallel()
	d := servedFolder(t)
	address := d.server(t, "http://127.0.0.1:8080")
	const before = 200
	halfway, done, failed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for i := 0; ; i++ {
			if i == before {
				close(halfway)
			}
			select {
			case <-done:
				failed <- err
				return
			default:
			}
			err = errors.Join(err, callEmpty(t, fmt.Sprintf("%s/v1/tools/NAME/call", address)))
		}
	}()
	<-halfway
	out, err := d.command(t.Context(), "deploy/backup gateway.db backup").CombinedOutput()
	close(done)
	if err := errors.Join(err, <-failed); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = d.command(t.Context(), "mkdir other && cp tools.yaml SPEC github.yaml other && cp -R backup/. other && cd other && gateway log --json --limit 1000").Output()
	var log struct{ Calls []any }
	if err := errors.Join(err, json.Unmarshal(out, &log)); err != nil || len(log.Calls) < before {
		t.Errorf("%d calls after the restore, not %d: %v", len(log.Calls), before, err)
	}
}

func callEmpty(t *testing.T, url string) error {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
