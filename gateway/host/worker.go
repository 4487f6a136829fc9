package host

import (
	"context"
	"os"

	"github.com/toolgate/toolgate/wasm/python/wire"
	"github.com/toolgate/toolgate/wasm/python/worker"
)

// NoWorker is what is said of a configuration that wants programs run by a program that
// has not said how.
const NoWorker = "the Go program that opens this configuration has not said which program runs the code interpreter's processes: it sets Options.Worker"

// workerWords stand behind the program's name in the command line of a process of the
// code interpreter, and before its settings.
var workerWords = [...]string{"python", "worker"}

// ThisProgram is the command line of processes that run programs of code_interpreter in
// this program started again: it has to call ServeWorker before all else. Where the
// system has one, it is a path that leads to the program also when another version was
// put in its place.
func ThisProgram() ([]string, error) {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err == nil {
		return Program(own), nil
	}
	path, err := os.Executable()
	return Program(path), err
}

// Program is the command line of such processes in another program: that of the
// gateway, of the same version.
func Program(path string) []string { return append([]string{path}, workerWords[:]...) }

// ServeWorker is what a process of the code interpreter does: it reports false for any
// other process, at once. It is no part of the command line, for it has to start with as
// little as possible. Args are those of the process, with the program's name; code is
// what it is to exit with.
func ServeWorker(args []string) (code int, ok bool) {
	if len(args) != 4 || args[1] != workerWords[0] || args[2] != workerWords[1] {
		return 0, false
	}
	err := worker.Run(context.Background(), args[3], worker.Pipes{In: os.Stdin, Out: os.Stdout, Area: os.NewFile(wire.AreaFD, "output"), Lifeline: wire.LifelineFD})
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n") // it is kept for whoever asks why it has ended
		return 1, true
	}
	return 0, true
}
