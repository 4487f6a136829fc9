// Package learn keeps which searches led to calls of which tools, so that later
// searches find them better.
package learn
