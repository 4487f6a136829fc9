package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// start is one start.
type start struct {
	took      time.Duration // until it was ready, or done
	processor time.Duration // until then, where it is over; else until it was stopped
	resident  int64         // bytes
	highest   int64         // bytes, at any time
}

const limit = time.Minute // for one start

// version runs "gateway version" twice: once for its time, and once writing to a
// pipe that is full, so that its memory can be read while it is whole.
func version(program string) (start, error) {
	r, err := once(program, "version")
	if err != nil {
		return r, err
	}
	in, out, err := fullPipe()
	if err != nil {
		return start{}, err
	}
	defer func() { _, _ = in.Close(), out.Close() }()
	cmd := exec.Command(program, "version")
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		return start{}, err
	}
	time.Sleep(100 * time.Millisecond) // it takes a few, and then it waits for us
	err = r.readMemory(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
	return r, err
}

// once runs a program that ends by itself, and so leaves nothing to read its
// memory from.
func once(program string, args ...string) (start, error) {
	var said bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stderr = &said
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return start{}, fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	return start{took: time.Since(began), processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// fullPipe is a pipe that takes no more.
func fullPipe() (in, out *os.File, err error) {
	if in, out, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	raw, err := out.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	page := bytes.Repeat([]byte{'\n'}, 4096)
	err = raw.Write(func(fd uintptr) bool {
		for err == nil {
			_, err = syscall.Write(int(fd), page)
		}
		return true
	})
	return in, out, err
}

// serve starts a gateway, waits until it is ready, leaves it alone for a while
// and reads its memory.
func serve(program, file string, idle time.Duration) (r start, err error) {
	address, err := freeAddress()
	if err != nil {
		return r, err
	}
	var said bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "serve", "--config", file, "--set", "server.listen="+address)
	cmd.Dir, cmd.Stderr = filepath.Dir(file), &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	err = await(ctx, address)
	r.took = time.Since(began)
	if err == nil {
		time.Sleep(idle)
		err = r.readMemory(cmd.Process.Pid)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return r, fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	r.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, nil
}

// freeAddress finds one below the ports that systems give out by themselves. A gateway
// with many tools listens seconds later, and on such a port another program's server
// could by then be the one that answers.
func freeAddress() (address string, err error) {
	const first, beyond, tries = 10_000, 32_000, 100
	for range tries {
		address = fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(beyond-first))
		var l net.Listener
		if l, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", err
}

// await asks whether the gateway is ready until it is.
func await(ctx context.Context, address string) error {
	client := http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		if res, err := client.Get("http://" + address + "/readyz"); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("the gateway does not become ready")
}

// readMemory reads what a process holds of memory. Linux tells it; what it tells
// of a process that has ended is not used, since it counts the one who started it.
func (r *start) readMemory(pid int) error {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		var kib int64
		_, _ = fmt.Sscan(value, &kib) // 0 where it is none
		switch name {
		case "VmRSS":
			r.resident = kib << 10
		case "VmHWM":
			r.highest = kib << 10
		}
	}
	if r.resident == 0 {
		return errors.New("the memory of a process cannot be read")
	}
	return nil
}
