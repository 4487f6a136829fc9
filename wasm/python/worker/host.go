package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/toolgate/toolgate/wasm"
	"github.com/toolgate/toolgate/wasm/confine"
	"github.com/toolgate/toolgate/wasm/memfs"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// errNoMore is that the gateway has no more jobs.
var errNoMore = errors.New("no more jobs")

// ownMemory is how much address space the process may take after the guest has its
// own, in bytes, without the guest's files. What it needs is some MiB, and
// several times as much under the race detector; it is there for a guest that
// has escaped.
const ownMemory = 4 << 30

// host is what a guest finds around it: its message, its streams, its files. It is
// used on the guest's goroutine only.
type host struct {
	settings Settings
	lifeline int
	area     *wire.Mapped
	jobs     *wire.Reader
	replies  io.Writer
	guest    *wasm.Guest
	files    *memfs.FS
	packages map[string]string // that the guest can import, and their versions

	in             bytes.Reader
	stdout, stderr stream
	answer         answer // what the guest writes behind its mark

	report         confined
	loaded         time.Duration
	began          time.Time // the guest
	greeted        bool
	job            *wire.Job // that runs; nil between jobs
	woken, replied time.Time
}

// confined is what the process says of its confinement.
type confined struct{ held, missing []string }

func newHost(s Settings, pipes Pipes) (*host, error) {
	h := &host{settings: s, lifeline: pipes.Lifeline, jobs: wire.NewReader(pipes.In, wire.Bounds{}), replies: pipes.Out}
	var err error
	if h.area, err = wire.Map(pipes.Area); err != nil {
		return nil, err
	}
	start := driverSettings{Heap: s.Memory}
	if h.files, err = tree(s, &start); err != nil {
		return nil, err
	}
	h.packages = start.Packages
	first, err := firstMessage(start)
	if err != nil {
		return nil, err
	}
	h.in.Reset(first)
	h.stdout, h.stderr = stream{h.area.Stdout, &h.answer}, stream{os.Stderr, nil} // its log, until it is ready
	return h, nil
}

func (h *host) close() { _ = h.area.Close() } // the gateway has it too

// begin is before the guest's first instruction.
func (h *host) begin(keep []int) error {
	debug.FreeOSMemory() // compiling has left some
	report, err := confine.Process(confine.Limits{
		Memory: ownMemory + uint64(h.settings.Files), FileSize: h.settings.Memory, // the guest's state is a file
		Keep: keep, Lifeline: h.lifeline,
	})
	if err != nil {
		return fmt.Errorf("the process cannot be confined: %w", err)
	}
	h.report.held = report.Held
	for _, m := range report.Missing {
		h.report.missing = append(h.report.missing, m.What+": "+m.Why)
	}
	return nil
}

// next says that the guest is ready, and waits for a job.
func (h *host) next(context.Context) error {
	if err := h.ready(); err != nil {
		return err
	}
	m, err := h.jobs.Next()
	if errors.Is(err, io.EOF) {
		return errNoMore
	}
	if err != nil {
		return err
	}
	job, ok := m.(wire.Job)
	if !ok {
		return fmt.Errorf("the gateway sent a %T where a job was expected", m)
	}
	return h.take(job)
}

// ready says so: at first with what there is to know of the process.
func (h *host) ready() error {
	if h.greeted {
		return wire.Write(h.replies, wire.Ready{Resting: h.guest.Resting(), Took: time.Since(h.replied)})
	}
	h.greeted = true
	h.stderr = stream{h.area.Stderr, nil}
	h.files.Mark()
	debug.FreeOSMemory() // starting has left some
	return wire.Write(h.replies, wire.Hello{
		Version: h.settings.Version, Held: h.report.held, Missing: h.report.missing, Resting: h.guest.Resting(),
		Loaded: h.loaded, Started: time.Since(h.began), Packages: h.packages,
	})
}

// take readies everything for a job.
func (h *host) take(job wire.Job) error {
	for _, f := range job.Files {
		if err := h.files.AddFile("/files/"+f.Name, f.Data, false); err != nil {
			return fmt.Errorf("the file %q of a job: %w", f.Name, err)
		}
	}
	if err := h.renew(); err != nil {
		return err
	}
	message, err := json.Marshal(job)
	if err != nil {
		return err
	}
	h.in.Reset(message)
	h.answer.begin(job.Limits)
	h.job, h.woken = &job, time.Now()
	h.area.Begin()
	return nil
}

// reply is the guest's mark: what it writes to its output from now on is its answer.
func (h *host) reply() {
	if h.job != nil {
		h.answer.open()
	}
}

// done is the guest back at its sync point: the gateway gets the answer, and the files
// become those of the start.
func (h *host) done() (int, error) {
	r := h.answer.reply()
	if h.job == nil {
		return 0, errors.New("the guest has answered where nothing was asked")
	}
	if err := h.send(r); err != nil {
		return 0, err
	}
	h.in.Reset(nil)
	return h.files.Reset(), nil
}

// send sends a reply with what only the host knows of the job.
func (h *host) send(r wire.Reply) error {
	r.Ran = time.Since(h.woken)
	if !h.job.Check {
		h.collect(&r)
	}
	h.job = nil
	err := wire.Write(h.replies, r)
	h.replied = time.Now()
	return err
}

// ended is what becomes of a job whose guest has ended. The error is the process's.
func (h *host) ended(err error) error {
	if h.job == nil {
		err = fmt.Errorf("the interpreter ended between programs: %w", err)
		return errors.Join(err, wire.Write(h.replies, wire.Bye{Reason: err.Error()}))
	}
	r := last(err)
	if sent := h.send(r); sent != nil {
		return sent
	}
	return fmt.Errorf("the interpreter ended in a program: %w", err)
}
