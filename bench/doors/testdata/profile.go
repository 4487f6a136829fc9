package main

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// Laid over the gateway by bench/doors: the first SIGUSR1 starts a CPU profile,
// the second ends it. The file has its name when it is whole.
func init() {
	name := os.Getenv("BENCH_PROFILE")
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1)
	go func() {
		<-told
		f, err := os.Create(name + ".part")
		if err != nil {
			panic(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
		<-told
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			panic(err)
		}
		if err := os.Rename(name+".part", name); err != nil {
			panic(err)
		}
	}()
}
