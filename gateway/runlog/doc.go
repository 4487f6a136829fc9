// Package runlog keeps the record of calls: who called which tool with what,
// what policy said and how it ended.
//
// The record is a folder of journals, one file for each process that wrote to
// it, so that a command line and a server can share it. A file holds one JSON
// object a line and is only ever appended to, each record with a single write:
// what [Journal.Start] or [Journal.End] returned nil for survives a kill of the
// process, though not a loss of power, because nothing waits for the disk. A
// process holds a lock on its file while it lives; that is how [Read] tells a
// call that still runs from one that was interrupted.
//
// Nothing here hides secrets: whoever records masks first.
package runlog
