package pythontest

import (
	"os"
	"strconv"
	"strings"
)

// Worked is how much processor time a process has used, in ticks of the system: 10 ms, as
// a rule. False is that it is not there.
func Worked(pid string) (ticks int64, there bool) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, false
	}
	_, after, _ := strings.Cut(string(stat), ") ") // its name
	fields := strings.Fields(after)
	if len(fields) < 13 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	for _, field := range fields[11:13] { // utime, stime
		n, _ := strconv.ParseInt(field, 10, 64)
		ticks += n
	}
	return ticks, true
}
