package config

import (
	"slices"
	"strconv"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// What holds of "code_interpreter" where it does not say otherwise.
const (
	DefaultProgramTimeout = 30 * time.Second
	DefaultProgramMemory  = 256 << 20 // bytes
	DefaultWorkers        = 2
	DefaultQueue          = 64 // programs
)

// Bounds of what "code_interpreter" may say.
const (
	minProgramTimeout = 100 * time.Millisecond
	MaxProgramTimeout = time.Hour
	MinProgramMemory  = 32 << 20 // bytes: the interpreter itself takes about half of it
	MaxProgramMemory  = 4 << 30  // bytes: what a 32-bit machine can address
	maxWorkers        = 64
	maxQueue          = 10_000
	maxPackages       = 100
)

// Interpreter is the "code_interpreter" section: the tool of that name, which runs
// Python programs in a sandbox.
type Interpreter struct {
	Enabled  bool          `koanf:"enabled"`
	Timeout  time.Duration `koanf:"timeout"`  // of one program
	Memory   tool.Size     `koanf:"memory"`   // of one program and its interpreter
	Workers  int           `koanf:"workers"`  // programs that run at a time
	Queue    int           `koanf:"queue"`    // programs that wait at most
	Packages []string      `koanf:"packages"` // absolute paths of wheels and folders
	Runtime  string        `koanf:"runtime"`  // absolute path of the folder of an interpreter; where it is installed when absent
}

// checkInterpreter holds the section to its bounds.
func (c *Config) checkInterpreter() {
	path, s := []string{"code_interpreter"}, &c.Interpreter
	c.checkNumber(further(path, "workers"), s.Workers, 1, maxWorkers)
	c.checkNumber(further(path, "queue"), s.Queue, 1, maxQueue)
	if at := further(path, "timeout"); (s.Timeout < minProgramTimeout || s.Timeout > MaxProgramTimeout) && !c.Broken(at...) {
		c.problemAt(at, "write 30s for example", "%v is out of bounds: a program may have %v to %v", s.Timeout, minProgramTimeout, MaxProgramTimeout)
	}
	if at := further(path, "memory"); (s.Memory < MinProgramMemory || s.Memory > MaxProgramMemory) && !c.Broken(at...) {
		c.problemAt(at, "write 256MiB for example", "%d bytes are out of bounds: a program may have 32MiB to 4GiB, its interpreter counted in", int64(s.Memory))
	}
	c.checkPackages(further(path, "packages"), s.Packages)
}

func (c *Config) checkPackages(path, packages []string) {
	if len(packages) > maxPackages {
		c.problemAt(path, "put some into one folder", "there are %d packages, and at most %d are read", len(packages), maxPackages)
		return
	}
	if l := c.tree.get(path...); l == nil || len(l.items) != len(packages) {
		return // an entry that could not be read moves those behind it
	}
	for i, name := range packages {
		if before := slices.Index(packages, name); before < i {
			c.problemAt(further(path, strconv.Itoa(i)), "remove one", "%s is in the list already, at %d", shorten(name, maxShown), before)
		}
	}
}

// completeInterpreter makes its paths absolute.
func (c *Config) completeInterpreter() {
	path, s := []string{"code_interpreter"}, &c.Interpreter
	for i, name := range s.Packages {
		s.Packages[i] = absolute(c.dirOf(further(further(path, "packages"), strconv.Itoa(i))...), name)
	}
	if s.Runtime != "" {
		s.Runtime = absolute(c.dirOf(further(path, "runtime")...), s.Runtime)
	}
}
