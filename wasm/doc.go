// Package wasm runs WASI modules (WebAssembly System Interface, preview 1) in
// wazero: it prepares and compiles a module, starts it with its memory in a mapping
// of its own, and sets a running one back to a state that was taken earlier, in
// well under a millisecond.
package wasm
