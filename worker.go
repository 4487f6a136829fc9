package toolgate

import (
	"os"

	"github.com/toolgate/toolgate/gateway/host"
)

// Worker says which program is started for the processes that run programs of
// code_interpreter: CPython in a sandbox is a process of its own, which can be ended. The
// zero value is none.
type Worker struct{ command func() ([]string, error) }

// ThisProgram starts the program itself again for them. It has to be called first thing
// in main, before flags are read: in such a process it does the process's work and then
// exits, and everywhere else it returns at once.
//
//	func main() {
//		worker := toolgate.ThisProgram()
//		…
//		gw, err := toolgate.Open(ctx, toolgate.Options{Files: files, Worker: worker})
func ThisProgram() Worker {
	if code, ok := host.ServeWorker(os.Args); ok {
		os.Exit(code)
	}
	return Worker{host.ThisProgram}
}

// GatewayProgram starts the program gateway at a path for them, which is to be of the
// same version as this module.
func GatewayProgram(path string) Worker {
	return Worker{func() ([]string, error) { return host.Program(path), nil }}
}
