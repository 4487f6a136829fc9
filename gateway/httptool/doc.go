// Package httptool runs a tool as an HTTP request, or as the few that one call
// stands for: the pages of a list, or a job and the questions whether it is
// over. A request goes to the origin that the configuration names, whatever
// arguments, redirects and answers say.
package httptool
