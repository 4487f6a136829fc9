// Package host opens a gateway with all that belongs to it: the store, the journal,
// large results, chats, approvals, hints, the code interpreter, metrics, the doors,
// reloading and a stop in good order. The program gateway and Go programs that use
// Toolgate as a library open the same one here.
//
// It prints nothing, handles no signal, ends no process, and leaves the standard
// logger alone: that is for the program. How memory is collected is changed only where
// the program says that it does nothing else (Options.Alone).
package host
