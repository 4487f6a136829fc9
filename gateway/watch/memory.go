package watch

import (
	"os"
	"time"
)

const (
	// rehashInterval is how long a file is believed to be the same by its marks. There
	// are file systems on which these do not tell.
	rehashInterval = time.Minute
	// freshTime is how long after a change the marks of a file are not believed: a
	// second change may leave them as they are where the clock of files is coarse.
	freshTime = 2 * time.Second
)

// memory knows what was last read of files, and reads those again whose marks
// differ: that nothing changed is found out every few seconds, and a document may
// have hundreds of megabytes. It is for one goroutine at a time.
type memory struct {
	disk  *Disk
	clock func() time.Time
	files map[string]memo
}

// memo is what was read of one file.
type memo struct {
	marks  os.FileInfo // before it was read
	read   time.Time
	digest Digest
}

// look is [Disk.Look] that reads no more than it must.
func (m *memory) look(s State) State {
	known := m.files
	m.files = make(map[string]memo, len(s.Files)) // others are forgotten
	return m.disk.look(s, func(path string) Digest {
		info, err := os.Stat(path)
		if err != nil {
			return Digest{}
		}
		was, ok := known[path]
		if now := m.clock(); !ok || !was.holds(info, now) {
			was = memo{marks: info, read: now, digest: m.disk.Digest(path)}
		}
		m.files[path] = was
		return was.digest
	})
}

// holds reports whether a file with these marks is surely what was read.
func (m *memo) holds(marks os.FileInfo, now time.Time) bool {
	changed := marks.ModTime()
	if at := changeTime(marks); at.After(changed) {
		changed = at
	}
	age := now.Sub(m.read)
	return age >= 0 && age < rehashInterval && m.read.Sub(changed) > freshTime &&
		os.SameFile(m.marks, marks) && marks.Mode() == m.marks.Mode() && marks.Size() == m.marks.Size() &&
		marks.ModTime().Equal(m.marks.ModTime()) && changeTime(marks).Equal(changeTime(m.marks))
}
