package worker

import (
	_ "embed"
	"encoding/json"
)

// bootstrap is the program of -c that the guest is started with; it takes the first
// message, runs the driver that is in it, and goes on in its main.
//
//go:embed boot.py
var bootstrap string

//go:embed driver.py
var driverSource string

// hints are what programs are told to do instead of what cannot be done here.
//
//go:embed hints.json
var hints json.RawMessage

// driverSettings is what the driver is told of its process.
type driverSettings struct {
	// Heap is the most memory that the module may have, in bytes; the driver grows its
	// heap to what is left of it.
	Heap uint64 `json:"heap"`
	// Modules are the names of the modules under /packages that are imported before the
	// first job.
	Modules []string `json:"modules,omitempty"`
	// Packages are the names and versions of what is under /packages.
	Packages map[string]string `json:"packages,omitempty"`
	// Hints are those of hints.json; firstMessage puts them in.
	Hints json.RawMessage `json:"hints"`
}

// firstMessage is what descriptor 0 gives to a guest that was started with bootstrap.
func firstMessage(s driverSettings) ([]byte, error) {
	s.Hints = hints
	return json.Marshal(struct {
		Driver   string         `json:"driver"`
		Settings driverSettings `json:"settings"`
	}{driverSource, s})
}
