// Package cmdtool runs a tool as a local process.
package cmdtool
