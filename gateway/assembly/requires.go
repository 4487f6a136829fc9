package assembly

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/tool"
)

// The values of "requires.check" beside load, which looks at the start only.
const (
	checkCall  = "call"  // looks at each call
	checkWatch = "watch" // looks again and again, and takes the tool in and out
)

// need is one thing that a tool needs around it. It is comparable, so that what
// several tools need is looked for once.
type need struct {
	kind needKind
	name string // variable, program or address
}

type needKind int

const (
	needEnv needKind = iota
	needCommand
	needURL
)

// lack is a need that is not met.
type lack struct {
	need  need
	cause error // for the operator; it never reaches a model
}

// String says what is missing, for the operator.
func (l *lack) String() string {
	switch l.need.kind {
	case needEnv:
		return "environment variable " + l.need.name + " " + l.cause.Error()
	case needCommand:
		return "program " + l.need.name + " is not found: " + l.cause.Error()
	}
	address, _, _ := strings.Cut(l.need.name, "?") // a query may hold what nobody should read
	return address + " does not answer: " + l.cause.Error()
}

// forModel says what is missing. An address may be internal, so it is not
// named.
func (l *lack) forModel() string {
	switch l.need.kind {
	case needEnv:
		return "the environment variable " + l.need.name + " is not set where the gateway runs"
	case needCommand:
		return "the program " + l.need.name + " is not installed where the gateway runs"
	}
	return "a service that it needs does not answer"
}

// needs checks what a tool requires and returns it, without looking for any of
// it.
func (b *builder) needs(at diag.Cursor, r *config.Requires) []need {
	if r == nil {
		return nil
	}
	env := listed(at.Key("env"), needEnv, r.Env, checkVariable)
	command := listed(at.Key("command"), needCommand, r.Command, checkProgram)
	address := listed(at.Key("url"), needURL, r.URL, checkAddress)
	return slices.Concat(env, command, address)
}

// listed makes needs of the texts of one list and reports those that cannot be
// what they stand for.
func listed(at diag.Cursor, kind needKind, names []string, check func(string) error) []need {
	var out []need
	for i, name := range names {
		if err := check(name); err != nil {
			at.Index(i).Errorf("%v", err)
			continue
		}
		out = append(out, need{kind, name})
	}
	return out
}

func checkVariable(name string) error {
	if name == "" || strings.ContainsAny(name, "=\x00 ") {
		return fmt.Errorf("%q cannot be the name of an environment variable", name)
	}
	return nil
}

func checkProgram(name string) error {
	if strings.TrimSpace(name) == "" || strings.Contains(name, "\x00") {
		return fmt.Errorf("%q cannot be the name of a program", name)
	}
	return nil
}

// checkAddress does not repeat an address that may hold a password.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case strings.Contains(address, "${"):
		return errors.New("the address must be literal: this key is no template")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return errors.New("the address must start with http:// or https:// and a host")
	case u.User != nil:
		return errors.New("the address holds a user name or a password, which this key does not take")
	}
	return nil
}

// surroundings look for what tools need. It is safe for concurrent use.
type surroundings struct {
	dir   string // what the path of a program belongs to
	probe func(ctx context.Context, address string) error
}

// look returns what keeps a need from being met, or nil. It starts no program;
// an address gets probeTimeout to answer.
func (s *surroundings) look(ctx context.Context, n need) error {
	switch n.kind {
	case needEnv:
		return lookVariable(n.name)
	case needCommand:
		return s.lookProgram(n.name)
	}
	ctx, stop := context.WithTimeoutCause(ctx, probeTimeout, errNoAnswer)
	defer stop()
	err := s.probe(ctx, n.name)
	if err != nil && errors.Is(context.Cause(ctx), errNoAnswer) {
		return errNoAnswer
	}
	return err
}

var errNoAnswer = fmt.Errorf("no answer within %v", probeTimeout)

func lookVariable(name string) error {
	switch value, set := os.LookupEnv(name); {
	case !set:
		return errors.New("is not set")
	case value == "":
		return errors.New("is empty")
	}
	return nil
}

// lookProgram finds a program as command tools do: in PATH, or in the folder
// of the configuration when its name has a slash.
func (s *surroundings) lookProgram(name string) error {
	path := name
	if strings.ContainsRune(path, filepath.Separator) && !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, path)
	}
	_, err := exec.LookPath(path)
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

// lookAll looks for many needs at once, maxProbes at a time, and returns those
// that are not met.
func (s *surroundings) lookAll(ctx context.Context, wanted map[need]bool) map[need]*lack {
	var (
		mu    sync.Mutex // guards found
		found = map[need]*lack{}
		group sync.WaitGroup
		slots = make(chan struct{}, maxProbes)
	)
	for n := range wanted {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if err := s.look(ctx, n); err != nil {
				mu.Lock()
				defer mu.Unlock()
				found[n] = &lack{n, err}
			}
		})
	}
	group.Wait()
	return found
}

// short says why a tool is left out, or "" when it is not.
func short(needs []need, lacks map[need]*lack) string {
	var out []string
	for _, n := range needs {
		if l := lacks[n]; l != nil {
			out = append(out, l.String())
		}
	}
	return strings.Join(out, "; ")
}

// unmet is the failure of a call whose tool lacks something.
func unmet(in *tool.Input, l *lack) error {
	return tool.Errorf(tool.UpstreamUnavailable, "%s is not available: %s", in.Spec.Name, l.forModel()).
		Because(errors.New(l.String())).
		WithHint("Nothing is wrong with the arguments; use another tool, or tell the user.")
}
