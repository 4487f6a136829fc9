package runlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// BenchmarkAppend writes records, and beside that the same bytes to a file
// opened in the same way: the ratio of the two is the cost of the journal.
func BenchmarkAppend(b *testing.B) {
	rec := full()
	l := newLine(kindEnd, &rec)
	var line bytes.Buffer
	if err := encode(&line, &l); err != nil {
		b.Fatal(err)
	}
	for _, goroutines := range []int{1, 64} {
		b.Run(fmt.Sprintf("journal-%d", goroutines), func(b *testing.B) {
			j, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = j.Close() }()
			hammer(b, goroutines, line.Len(), func() error { return j.End(rec) })
		})
		b.Run(fmt.Sprintf("bare-%d", goroutines), func(b *testing.B) {
			file, err := os.OpenFile(filepath.Join(b.TempDir(), "bare"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, fileMode)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = file.Close() }()
			hammer(b, goroutines, line.Len(), func() error { _, err := file.Write(line.Bytes()); return err })
		})
	}
}

func hammer(b *testing.B, goroutines, size int, write func() error) {
	b.SetBytes(int64(size))
	b.SetParallelism(max(1, goroutines/runtime.GOMAXPROCS(0)))
	b.ReportAllocs()
	if goroutines == 1 {
		for b.Loop() {
			if err := write(); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := write(); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkRead finds the newest fifty of 10,000 calls.
func BenchmarkRead(b *testing.B) {
	const calls = 10_000
	dir := b.TempDir()
	j, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	rec := full()
	for i := range calls {
		rec.CallID, rec.Time = fmt.Sprint(i), noon.Add(time.Duration(i)*time.Second)
		if err := j.End(rec); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if entries, _, err := Read(dir, Query{}); err != nil || len(entries) != DefaultLimit {
			b.Fatal(len(entries), err)
		}
	}
}
