// Package packages reads the pure-Python packages that a sandboxed interpreter is
// given beside its standard library: wheels and folders, checked, as one tree of
// files. Nothing of them is run here, nothing is fetched, and nothing is written.
package packages
