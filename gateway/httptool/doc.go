// Package httptool runs a tool as one HTTP request.
package httptool
