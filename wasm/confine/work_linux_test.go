package confine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// work is what an honest worker does when it is confined, and how it went.
func work(job) map[string]string {
	outcomes := map[string]string{}
	for name, do := range map[string]func() error{
		"the heap grows and is collected": churn, "goroutines are interrupted": interrupted, "threads": locked,
		"timers": timers, "memory is set back": setBack, "the area is written": area, "the log": logged,
		"randomness": random, "mappings come and go": mappings, "a panic is caught": caught,
	} {
		outcomes[name] = outcome(do())
	}
	return outcomes
}

// churn has 200 goroutines allocate, keep some of it and let go of the rest, while
// collections run.
func churn() error {
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			var kept [8][]byte
			for round := range 100 {
				kept[round%len(kept)] = make([]byte, 1<<(8+round%8))
				deep(round)
			}
			runtime.KeepAlive(&kept)
		})
	}
	for range 5 {
		runtime.GC()
	}
	all.Wait()
	return nil
}

// deep makes the stack grow.
func deep(n int) byte {
	var room [512]byte
	if n > 0 {
		room[n%len(room)] = deep(n - 1)
	}
	return room[0]
}

// interrupted stops the world while a goroutine never looks up by itself.
func interrupted() error {
	var stop atomic.Bool
	done := make(chan int)
	go func() {
		n := 0
		for !stop.Load() {
			n++
		}
		done <- n
	}()
	for range 3 {
		runtime.GC()
	}
	stop.Store(true)
	<-done
	return nil
}

// locked makes threads, and ends them: a goroutine that ends while it has one to
// itself takes it along.
func locked() error {
	var all sync.WaitGroup
	ready := make(chan struct{})
	for range 30 {
		all.Go(func() {
			runtime.LockOSThread()
			<-ready
		})
	}
	close(ready)
	all.Wait()
	return nil
}

func timers() error {
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() { time.Sleep(time.Duration(n) * 100 * time.Microsecond) })
	}
	tick := time.NewTicker(time.Millisecond)
	for range 5 {
		<-tick.C
	}
	tick.Stop()
	all.Wait()
	return nil
}

// setBack maps the area privately, as a guest's memory, over a reservation, changes it
// and maps it anew, and lets go of pages.
func setBack() error {
	if _, err := unix.Pwrite(areaFD, []byte("as it was"), 0); err != nil {
		return err
	}
	space, err := unix.Mmap(-1, 0, areaSize, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	for range 3 {
		at, err := unix.MmapPtr(areaFD, 0, unsafe.Pointer(&space[0]), areaSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
		if err != nil {
			return err
		}
		if at != unsafe.Pointer(&space[0]) || !bytes.HasPrefix(space, []byte("as it was")) {
			return fmt.Errorf("it begins with %q", space[:9])
		}
		copy(space, "has been changed")
		if err := unix.Madvise(space, unix.MADV_DONTNEED); err != nil {
			return err
		}
	}
	return unix.Mprotect(space, unix.PROT_READ)
}

func area() error {
	shared, err := unix.Mmap(areaFD, 0, areaSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	copy(shared[100:], "output")
	read := make([]byte, 6)
	if _, err := unix.Pread(areaFD, read, 100); err != nil || string(read) != "output" {
		return fmt.Errorf("the area has %q: %w", read, err)
	}
	return unix.Munmap(shared)
}

func logged() error {
	_, err := fmt.Fprintln(os.Stderr, "at work")
	return err
}

func random() error {
	_, err := unix.Getrandom(make([]byte, 32), 0)
	return err
}

func mappings() error {
	for range 100 {
		m, err := unix.Mmap(-1, 0, areaSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return err
		}
		m[areaSize-1] = 1
		if err := unix.Munmap(m); err != nil {
			return err
		}
	}
	return nil
}

// caught has a bad address become a panic, which is a signal first.
func caught() (err error) {
	defer func() {
		if recover() == nil {
			err = errors.New("it went through")
		}
	}()
	var nothing *job
	_ = nothing.Do
	return nil
}

// manyThreads tries to open a file in many threads at once, some of which were there
// before the process was confined.
func manyThreads(job) map[string]string {
	outcomes := map[string]string{}
	var mu sync.Mutex
	var all sync.WaitGroup
	ready := make(chan struct{})
	for range 20 {
		all.Go(func() {
			runtime.LockOSThread()
			<-ready
			_, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0)
			mu.Lock()
			defer mu.Unlock()
			outcomes[outcome(err)] = "done"
		})
	}
	close(ready)
	all.Wait()
	return outcomes
}

// takeMemory maps memory until there is no more, and says how much there was.
func takeMemory(job) map[string]string {
	const piece = 16 << 20
	got := 0
	for got < 64<<30 {
		if _, err := unix.Mmap(-1, 0, piece, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE); err != nil {
			return map[string]string{"memory": outcome(err)}
		}
		got += piece
	}
	return map[string]string{"memory": "done"}
}

// openFiles tries what Landlock is there for, without anything else.
func openFiles(j job) map[string]string {
	outcomes := map[string]string{}
	for name, try := range map[string]func(job) error{
		"read":    opening("/etc/passwd", unix.O_RDONLY),
		"write":   opening("/dev/null", unix.O_WRONLY),
		"connect": connecting,
		"signal":  func(j job) error { return unix.Kill(j.Parent, 0) },
		"itself":  func(job) error { return unix.Kill(os.Getpid(), 0) },
	} {
		outcomes[name] = outcome(try(j))
	}
	return outcomes
}

// connecting is a connection to a port that nobody listens at.
func connecting(job) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 1, Addr: [4]byte{127, 0, 0, 1}})
}

// loop says that it runs, and then never comes back to Go's scheduler.
func loop(job) map[string]string {
	fmt.Println("running")
	for turn := uint64(0); ; turn++ {
	}
}
