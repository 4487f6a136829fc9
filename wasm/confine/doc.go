// Package confine gives up, for good, what a process has no use for any more: its
// environment, its descriptors, its user, its capabilities, files, the network, other
// processes, and memory that can be executed. A worker calls it when its code is
// compiled and before it runs any of it, so that what breaks out of WebAssembly finds
// a process that holds nothing.
//
// What a system cannot take away is not an error: it stands in the report, with the
// reason. What it could take away and did not is one, and the process must not go on.
package confine
