// Package row is how the benchmarks tell their figures to a program: a JSON object
// for each, one in a line, in the file that -json names.
package row

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Usage is what -json says of itself.
const Usage = "write the figures to this `file`, too: a JSON object in each line"

// Row is one figure beside what it is compared with.
type Row struct {
	Bench string `json:"bench"` // the benchmark, as its folder is named
	// What is measured. With Bench it names the row, so that the same one of an
	// earlier run is found: nothing that differs between runs is in it.
	What      string  `json:"what"`
	Ours      float64 `json:"ours"`
	Reference float64 `json:"reference"` // measured in the same run; 0 where there is none
	Unit      string  `json:"unit"`      // of both, such as calls/s, µs p50 or MiB
	Ratio     float64 `json:"ratio"`     // Ours / Reference; 0 where there is no reference
	Note      string  `json:"note"`      // what the reference is, and what else is to be known
}

// File takes rows. A nil one takes none, and is no mistake to use.
type File struct {
	file *os.File
	err  error // the first
}

// Create makes the file anew. An empty path is no file: nil.
func Create(path string) (*File, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &File{file: file}, nil
}

// Add writes a row, after it has computed its ratio. What goes wrong, Close tells.
func (f *File) Add(r Row) {
	if f == nil {
		return
	}
	if r.Ratio = 0; r.Reference != 0 {
		r.Ratio = r.Ours / r.Reference
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = f.file.Write(append(line, '\n'))
	}
	if f.err == nil {
		f.err = err
	}
}

// Close closes the file and tells what went wrong with it at first.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	return errors.Join(f.err, f.file.Close())
}

// Read reads the rows of a file, in their order. An error names the line.
func Read(path string) ([]Row, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []Row
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		var r Row
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if r.Bench == "" || r.What == "" {
			return nil, fmt.Errorf("%s:%d: a row names its bench and what it measures", path, n)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}
