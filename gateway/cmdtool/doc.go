// Package cmdtool runs a tool as a local process.
//
// # What is killed
//
// A process runs in a group of its own, and whatever is left of the group is
// killed when the process has ended. When a call is cancelled or runs too long,
// the group is asked to end first (SIGTERM) and killed a moment later; when the
// process writes too much, it is killed at once. On Linux what has left the
// group by then, for a session of its own, is found in the tree of processes
// and killed too. What escapes is a process that leaves the group and whose
// parent ends before the call does: nothing ties it to the call any more. On
// other systems every process that leaves the group escapes. A service that
// must not leave anything behind has to run in a container.
package cmdtool
