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

// settings is what the driver is told of its process.
type settings struct {
	// Heap is the most memory that the module may have, in bytes; the driver grows its
	// heap to what is left of it.
	Heap uint64 `json:"heap"`
	// Modules are the names of the modules under /packages that are imported before the
	// first job.
	Modules []string `json:"modules,omitempty"`
	// Packages are the names and versions of what is under /packages.
	Packages map[string]string `json:"packages,omitempty"`
}

// firstMessage is what descriptor 0 gives to a guest that was started with bootstrap.
func firstMessage(s settings) ([]byte, error) {
	return json.Marshal(struct {
		Driver   string   `json:"driver"`
		Settings settings `json:"settings"`
	}{driverSource, s})
}
