// Package openapi makes tools of OpenAPI documents: it reads a document, keeps
// what it read for the next time, finds out where its operations are and what
// lets a request in there, and runs them through package httptool.
//
// What a document says is read by package spec, from the tree that package
// document makes of its text, with the schemas of package dialect. Package
// argument names the arguments of an operation, and package wire writes the
// request of a call.
package openapi
