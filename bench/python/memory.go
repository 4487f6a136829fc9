package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// large is a program that needs 200 MB, and touches them.
const large = "x = b'x' * 200_000_000\nprint(len(x))"

// held is what a process holds of memory, in bytes.
type held struct {
	resident int64 // code and files included that others have, too
	share    int64 // the same, with what n processes have counted as 1/n
}

// heldBy reads what a process holds (Linux, proc_pid_smaps(5)).
func heldBy(pid string) (h held, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/smaps_rollup")
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		var kib int64
		_, _ = fmt.Sscan(value, &kib) // 0 where it is none
		switch name {
		case "Rss":
			h.resident = kib << 10
		case "Pss":
			h.share = kib << 10
		}
	}
	return h, nil
}

func (h held) print(name string, base held) {
	const mib = 1 << 20
	fmt.Printf("%-36s %10.2f %10.1f MiB %10.1f MiB\n", name, float64(h.share)/float64(base.share), float64(h.resident)/mib, float64(h.share)/mib)
}

// report prints what is held, and adds it to the rows.
func (h held) report(o *options, name string, base held) {
	const mib = 1 << 20
	h.print(name, base)
	o.rows.Add(row.Row{
		Bench: "python", What: "memory: " + name, Unit: "MiB", Note: "native python3 with 15 modules; memory that is shared counts in part",
		Ours: float64(h.share) / mib, Reference: float64(base.share) / mib,
	})
}

// memoryPart reads what processes hold, beside a native one that has imported the same.
func memoryPart(ctx context.Context, o *options) error {
	if _, err := heldBy("self"); errors.Is(err, fs.ErrNotExist) {
		fmt.Println("not measured: this system does not tell what a process holds")
		return nil
	}
	base, err := nativeMemory(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Println("not measured: there is no python3 to compare with")
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Printf("%-36s %10s %14s %14s\n", "", "ratio", "resident", "its share")
	base.print("native python3, 15 modules", base)
	if err := gatewayMemory(ctx, o, base); err != nil {
		return err
	}
	return processMemory(o, base)
}

// nativeMemory is what a Python holds that has imported what programs do.
func nativeMemory(ctx context.Context) (h held, err error) {
	const code = `import asyncio, csv, dataclasses, datetime, decimal, hashlib, html.parser, inspect, json, pathlib, sqlite3, statistics, typing, xml.etree.ElementTree, zipfile
print(1, flush=True)
input()`
	python := exec.CommandContext(ctx, "python3", "-I", "-c", code)
	in, err := python.StdinPipe()
	if err != nil {
		return h, err
	}
	out, err := python.StdoutPipe()
	if err != nil {
		return h, err
	}
	if err := python.Start(); err != nil {
		return h, err
	}
	_, _ = out.Read(make([]byte, 1)) // it is there
	h, err = heldBy(fmt.Sprint(python.Process.Pid))
	_, _ = fmt.Fprintln(in)
	return h, errors.Join(err, python.Wait())
}

// gatewayMemory reads what this process holds with a gateway in it, and what of it is from
// 1,000 calls.
func gatewayMemory(ctx context.Context, o *options, base held) error {
	g, err := openHouse(ctx, o, 0)
	if err != nil {
		return err
	}
	defer g.close()
	for _, calls := range []int{1, 1000} {
		for range calls {
			if err := g.call(ctx, "bench", "print(1)"); err != nil {
				return err
			}
		}
		debug.FreeOSMemory()
		h, err := heldBy("self")
		if err != nil {
			return err
		}
		h.report(o, fmt.Sprintf("gateway, after %d calls", calls), base)
	}
	return nil
}

// processMemory reads what an interpreter process holds, at several times.
func processMemory(o *options, base held) error {
	argv, err := command(o.python, o.python.Compiled)
	if err != nil {
		return err
	}
	c, err := spawn(argv)
	if err != nil {
		return err
	}
	defer c.close()
	steps := []struct {
		name, code string
		times      int
	}{{"when it is ready", "", 0}, {"after 1,000 calls", "print(1)", 1000}, {"after a program of 200 MB", large, 1}, {"after 1,000 more", "print(1)", 1000}}
	for _, s := range steps {
		began := time.Now()
		for range s.times {
			if err := c.run(s.code); err != nil {
				return err
			}
		}
		took := time.Since(began)
		h, err := heldBy(fmt.Sprint(c.cmd.Process.Pid))
		if err != nil {
			return err
		}
		h.report(o, "interpreter process, "+s.name, base)
		if s.times == 1 {
			fmt.Printf("%-36s took %.0f ms, until it was as before\n", "  that program", millis(took))
		}
	}
	return nil
}
