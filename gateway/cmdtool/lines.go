package cmdtool

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	maxStepLine    = 8 << 10                // bytes of a line that may be a step, its end included; a longer one is output
	maxStepMessage = 500                    // bytes of a step's message
	stepEvery      = 100 * time.Millisecond // least time between two steps that are reported; of those between, the last counts
)

// splitter takes the steps out of what is written to it and passes on the
// other lines, byte for byte.
type splitter struct {
	out     io.Writer
	step    func(tool.Step)
	held    []byte // the start of a line that may be a step
	passing bool   // the line under way is output, whatever it goes on with
}

func (s *splitter) Write(p []byte) (int, error) {
	whole := len(p)
	for len(p) > 0 {
		part := p
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			part = p[:i+1]
		}
		p = p[len(part):]
		if err := s.take(part, part[len(part)-1] == '\n'); err != nil {
			return 0, err
		}
	}
	return whole, nil
}

// close says that nothing more comes: a last line needs no end.
func (s *splitter) close() error {
	if len(s.held) == 0 {
		return nil
	}
	return s.take(nil, true)
}

// take is given a part of one line, the last one where the line ends.
func (s *splitter) take(part []byte, ends bool) error {
	if !s.passing {
		s.held = append(s.held, part...)
		if !ends && mayBeStep(s.held) {
			return nil
		}
		part, s.held = s.held, s.held[:0]
		if step, ok := readStep(part); ok && ends {
			s.step(step)
			return nil
		}
	}
	s.passing = !ends
	_, err := s.out.Write(part)
	return err
}

// mayBeStep reports whether a line that starts like this can be a step.
func mayBeStep(start []byte) bool {
	start, whole := bytes.TrimLeft(start, " \t\r"), len(start)
	return whole <= maxStepLine && (len(start) == 0 || start[0] == '{')
}

// readStep reads a line that is a JSON object with a number "progress". A
// total or a message of another type counts as absent.
func readStep(line []byte) (step tool.Step, ok bool) {
	if !mayBeStep(line) || !bytes.Contains(line, []byte("progress")) {
		return tool.Step{}, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return tool.Step{}, false
	}
	if step.Done, ok = number(members["progress"]); !ok {
		return tool.Step{}, false
	}
	if total, ok := number(members["total"]); ok && total > 0 {
		step.Total = total
	}
	if json.Unmarshal(members["message"], &step.Message) != nil {
		step.Message = ""
	}
	return step, true
}

// number reads a JSON number that a float64 can hold.
func number(raw json.RawMessage) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil
}

// reporter passes steps on, but not more often than one in stepEvery. A step
// that is behind an earlier one is left out.
type reporter struct {
	report func(tool.Step)
	masker *secret.Masker // takes secrets out of messages; nil for none

	mu     sync.Mutex // guards what follows, and that steps are reported one at a time
	done   float64    // of the last step
	next   time.Time  // when another one may be reported
	latest *tool.Step // waits for that; nil for none
	timer  *time.Timer
}

func (r *reporter) step(step tool.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if step.Done < r.done {
		return
	}
	r.done, r.latest = step.Done, &step
	if wait := time.Until(r.next); wait <= 0 {
		r.send()
	} else if r.timer == nil {
		r.timer = time.AfterFunc(wait, r.late)
	}
}

// late reports the step that waited.
func (r *reporter) late() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send()
}

// close reports the step that still waits. Nothing is reported afterwards.
func (r *reporter) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send()
}

// send reports the latest step where there is one. It needs the mutex.
func (r *reporter) send() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	if r.latest == nil {
		return
	}
	step := *r.latest
	step.Message = tool.Excerpt([]byte(r.masker.Text(step.Message)), maxStepMessage)
	r.latest, r.next = nil, time.Now().Add(stepEvery)
	r.report(step)
}
