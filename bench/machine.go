package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes what the benchmarks ran on, but not which machine it is.
func machine() string {
	text := fmt.Sprintf("%s, %d cores, %s; %s %s; %s %s/%s", cmp.Or(field("/proc/cpuinfo", "model name"), "a processor that does not say its name"),
		runtime.NumCPU(), memory(), runtime.GOOS, kernel(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return text
}

// memory is how much there is.
func memory() string {
	var kib float64
	_, _ = fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kib) // 0 where it is not told
	if kib == 0 {
		return "memory unknown"
	}
	return fmt.Sprintf("%.1f GiB", kib/(1<<20))
}

func kernel() string {
	text, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return cmp.Or(strings.TrimSpace(string(text)), "of a version unknown")
}

// loadAverage is that of the last minute, where the system tells it.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return cmp.Or(first, "unknown")
}

// field is the value of the first line of such a name.
func field(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
