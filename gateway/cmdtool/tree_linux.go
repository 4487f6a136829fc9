package cmdtool

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxRelatives is the most processes of one command that are looked for beyond
// its group.
const maxRelatives = 4096

// descendants finds what the processes started and what those did, in the
// tree of all processes as it is now.
func descendants(roots []int) []relative {
	children := make(map[int][]relative)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // no /proc: the group is all that is known
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if parent, began, ok := stat(pid); ok {
			children[parent] = append(children[parent], relative{pid, began})
		}
	}
	var out []relative
	for len(roots) > 0 && len(out) < maxRelatives {
		for _, child := range children[roots[0]] {
			out, roots = append(out, child), append(roots, child.pid)
		}
		delete(children, roots[0])
		roots = roots[1:]
	}
	return out
}

// stat reads who started a process and when (proc(5), /proc/pid/stat: fields 4
// and 22; the name in field 2 may hold anything, brackets too).
func stat(pid int) (parent int, began string, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, "", false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 {
		return 0, "", false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, fields[19], err == nil
}

// signal signals the process, unless its number belongs to another by now.
func (r relative) signal(s syscall.Signal) {
	if _, began, ok := stat(r.pid); ok && began == r.began {
		_ = syscall.Kill(r.pid, s) // one that is gone is what was wanted
	}
}
