// Package python is the gateway's side of the code interpreter: processes that each
// have one interpreter ready, a queue before them, the time limit, and the
// replacement of processes that are used up.
//
// # Processes
//
// A pool keeps one process more than programs may run at a time. It is no different
// from the others: while as many programs run as may, it says of those that
// wait whether they compile, so that a mistake is told without waiting; and when a process has to be killed, the next
// program goes to it at once, and another is started in its place.
//
// A process is trusted with nothing. What it says is read within bounds and held
// against what may be said at that time; one that says anything else, that is late, or
// that ends is killed with its whole group and replaced. A program's result or its
// failure never depends on what became of the process after its reply.
//
// # Waiting
//
// At most [Config.Queue] programs wait. The callers take turns, whoever has sent more;
// when the queue is full, a caller with fewer waiting programs takes the place of the last one of the caller with
// the most. A caller whose last program ran into the time limit has all processes but one
// until a program of its ends in time, so that endless loops leave room for the
// others.
package python
