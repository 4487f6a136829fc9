package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// The output area is a file of a fixed size, in no folder, that a gateway makes for
// one process and that the process has as its descriptor [AreaFD]. What a program
// prints is there at once, so that it is not lost with the process, and printing
// costs no system call: the process has the file mapped. The gateway reads it as a file:
// a process that cuts it off then gives short reads, where a mapping would end the gateway.
//
// It starts with 4 KiB of words of 64 bits in the machine's own order: bytes of stdout that are there,
// bytes of stdout that were written by the program, the same two of stderr, and
// whether the job has begun. Then come stdout and stderr, of equal size.

// What a process has beside its standard streams.
const (
	// AreaFD is the descriptor of the output area.
	AreaFD = 3
	// LifelineFD is the descriptor of a pipe that nothing is written to. Its other end is
	// closed when the gateway ends, in whatever way, or wants the process to.
	LifelineFD = 4
)

// Limits of output areas.
const (
	// MaxStream is the most bytes that are kept of stdout, and of stderr.
	MaxStream = 64 << 20

	areaHeader = 4 << 10
	areaWords  = 5
)

// The words of the header.
const (
	wordOut = iota
	wordOutAsked
	wordErr
	wordErrAsked
	wordBegun
)

// Area is the gateway's side of an output area. It is used by one goroutine at a time.
type Area struct {
	file *os.File
	each int64
}

// NewArea makes an output area that keeps so many bytes of stdout, and as many of
// stderr: at least 1, at most [MaxStream]. It has no name in any folder: it is gone with the last descriptor.
func NewArea(each int64) (*Area, error) {
	if each < 1 || each > MaxStream {
		return nil, fmt.Errorf("an output area of %d bytes for each stream; 1 to %d are possible", each, MaxStream)
	}
	size := areaHeader + 2*each
	f, err := areaFile(size)
	if err != nil {
		return nil, fmt.Errorf("the file that output goes through: %w", err)
	}
	return &Area{file: f, each: each}, nil
}

// File is the file to hand down as [AreaFD].
func (a *Area) File() *os.File { return a.file }

// Close gives the file back. The process keeps what it has of it.
func (a *Area) Close() error { return a.file.Close() }

// Reset takes back what an earlier job has left, before the next one is sent.
func (a *Area) Reset() error {
	_, err := a.file.WriteAt(make([]byte, 8*areaWords), 0)
	return err
}

// Output is what a program has printed up to now.
type Output struct {
	Stdout, Stderr         []byte
	DroppedOut, DroppedErr int64 // bytes that were printed and did not fit
	Begun                  bool  // the process has begun to run something for the job
}

// Output reads what is there, also while the process writes to it and when it has
// ended. Every number in the area may have been forged: none leads beyond its stream,
// and a file that was cut off is an error.
func (a *Area) Output() (Output, error) {
	var head [8 * areaWords]byte
	if _, err := a.file.ReadAt(head[:], 0); err != nil {
		return Output{}, fmt.Errorf("output area: %w", cutOff(err))
	}
	var o Output
	var err, err2 error
	o.Stdout, o.DroppedOut, err = a.stream(head[8*wordOut:], areaHeader)
	o.Stderr, o.DroppedErr, err2 = a.stream(head[8*wordErr:], areaHeader+a.each)
	o.Begun = binary.NativeEndian.Uint64(head[8*wordBegun:]) != 0
	return o, errors.Join(err, err2)
}

// stream reads one stream by its two counters.
func (a *Area) stream(words []byte, at int64) (kept []byte, dropped int64, err error) {
	there := int64(min(binary.NativeEndian.Uint64(words), uint64(a.each)))
	asked := int64(min(binary.NativeEndian.Uint64(words[8:]), math.MaxInt64))
	if there > 0 {
		kept = make([]byte, there)
		if n, err := a.file.ReadAt(kept, at); err != nil {
			return kept[:n], 0, fmt.Errorf("output area: %w", cutOff(err))
		}
	}
	return kept, max(0, asked-there), nil
}

// Stream is stdout or stderr of an output area, as the process has it.
type Stream struct {
	room         []byte
	there, asked *word
}

var _ io.Writer = (*Stream)(nil)

// Write keeps as much of p as there is room for and counts the rest. It never fails
// and never waits: a program that prints too much goes on.
func (s *Stream) Write(p []byte) (int, error) {
	at := min(s.there.load(), uint64(len(s.room)))
	n := copy(s.room[at:], p)
	s.there.store(at + uint64(n)) // after the bytes, so that the gateway reads none that are not there
	s.asked.store(s.asked.load() + uint64(len(p)))
	return len(p), nil
}

// Mapped is the side of an output area that writes: the process. It is used by
// one goroutine at a time.
type Mapped struct {
	Stdout, Stderr *Stream

	memory []byte
	begun  *word
}

// Map maps an output area that was handed down and closes its descriptor: the file
// stays for as long as it is mapped.
func Map(f *os.File) (*Mapped, error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("output area: %w", err)
	}
	each := (info.Size() - areaHeader) / 2
	if each < 1 || each > MaxStream || info.Size() != areaHeader+2*each {
		return nil, fmt.Errorf("output area: a file of %d bytes is none", info.Size())
	}
	memory, err := mapShared(f, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("output area: %w", err)
	}
	return &Mapped{
		Stdout: &Stream{room: memory[areaHeader:][:each:each], there: wordAt(memory, wordOut), asked: wordAt(memory, wordOutAsked)},
		Stderr: &Stream{room: memory[areaHeader+each:][:each:each], there: wordAt(memory, wordErr), asked: wordAt(memory, wordErrAsked)},
		memory: memory,
		begun:  wordAt(memory, wordBegun),
	}, nil
}

// Begin marks that the job which was received is about to run. Of a job that was not
// begun nothing has run: a gateway may give it to another process when this one ends.
func (m *Mapped) Begin() { m.begun.store(1) }

// Close takes the mapping back; the streams are not to be written to after it.
func (m *Mapped) Close() error { return unmap(m.memory) }
