// Package worker is a process that runs programs in one interpreter: CPython as a
// guest in WebAssembly, which is set back to the same state for every program. It is
// started by a gateway, reads jobs from its standard input, writes replies to its
// standard output (package wire), and holds nothing that a program could want: what it
// drops before it runs anything is in package confine.
package worker
