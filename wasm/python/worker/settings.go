package worker

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Settings is what a process is started with, as JSON on its command line: its
// environment is empty.
type Settings struct {
	Version string `json:"version"`           // of the interpreter: 3.12.0
	Module  string `json:"module"`            // path of the interpreter's module, without custom sections
	Library string `json:"library,omitempty"` // folder of its standard library; empty where the module has it
	Cache   string `json:"cache"`             // folder of compiled code
	// Compilers is how many processors compile where the cache has no code yet.
	Compilers int `json:"compilers,omitempty"`
	// Memory is the most that the guest may have, in bytes. What a program can use is
	// what the interpreter itself leaves of it.
	Memory uint64 `json:"memory"`
	// Files is the most that the files of one program may have together, in bytes:
	// those under /out and /tmp.
	Files int64 `json:"files"`
	// Packages are the paths of wheels and folders that programs can import.
	Packages []string `json:"packages,omitempty"`
}

// Argument is the settings as one argument of a command line.
func (s Settings) Argument() string {
	text, _ := json.Marshal(s) // strings and numbers: it cannot fail
	return string(text)
}

// parse reads settings from an argument.
func parse(argument string) (s Settings, err error) {
	if err := json.Unmarshal([]byte(argument), &s); err != nil {
		return s, fmt.Errorf("the settings of the process: %w", err)
	}
	if s.Module == "" || s.Memory == 0 {
		return s, errors.New("the settings of the process: module and memory are needed")
	}
	return s, nil
}
