// Package memfs is a file system in memory for one guest of wazero: a tree that the
// host prepares, marks, and brings back to the mark in microseconds. Nothing of the
// host's disk can be reached through it, and what a guest can make of it is bounded:
// bytes, files, open files, lengths of names.
//
// What a program may count on is what Linux gives it on a disk of its own: open files
// outlive their names, holes read as zeros, renames replace, links of both kinds lead
// to places inside the tree only. There are no owners, permissions or locks; a place is
// writable or it is not (EROFS), and reading changes no access time (as with noatime).
//
// Nothing here is safe for concurrent use. A guest is one thread, and the host
// prepares, marks, resets and reads the tree while the guest waits in a call.
package memfs
