package python

import (
	"os/exec"
	"runtime"
)

// starter starts all processes from one thread, which stays for as long as they do:
// the signal that ends a process with its parent is sent when the thread ends that
// started it, and the threads of a Go program may end before it does.
type starter struct {
	orders chan order
	over   chan struct{}
}

type order struct {
	cmd  *exec.Cmd
	done chan error
}

func newStarter() *starter {
	s := &starter{orders: make(chan order), over: make(chan struct{})}
	go s.work()
	return s
}

func (s *starter) work() {
	defer close(s.over)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for o := range s.orders {
		o.done <- o.cmd.Start()
	}
}

func (s *starter) start(cmd *exec.Cmd) error {
	o := order{cmd: cmd, done: make(chan error, 1)}
	s.orders <- o
	return <-o.done
}

// close ends the thread. No process is left, and none is started any more.
func (s *starter) close() {
	close(s.orders)
	<-s.over
}
