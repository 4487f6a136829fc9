// Package exprtool runs a tool as one expression over its arguments.
package exprtool
