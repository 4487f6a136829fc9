// Package tool holds the words that every other package of the gateway speaks:
// what a tool is ([Spec]), what asks for it ([Call], [Caller]), what runs it
// ([Runner]), what comes back ([Output], [Result]) and how it fails ([Error]).
// And it is where Go programs make tools of their own: [Func], [Raw].
//
// It knows no kind of tool, no protocol and no configuration file.
package tool
