package tool

import (
	"encoding/json"
	"strings"
	"time"
)

// ContentType names a kind of content block.
type ContentType string

// The content blocks of the Model Context Protocol (2026-07-28, server/tools).
const (
	ContentText         ContentType = "text"
	ContentImage        ContentType = "image"
	ContentAudio        ContentType = "audio"
	ContentResource     ContentType = "resource"      // an embedded resource
	ContentResourceLink ContentType = "resource_link" // a reference to a resource
)

// Content is one block of an answer. Which fields are set depends on Type:
// Text for text; Data and MIMEType for image and audio; URI, MIMEType and
// either Text or Data for a resource; URI, Name and MIMEType for a link. A
// resource with Data and without URI is what a runner answers with bytes that
// no model can read: the gateway keeps them and shows how to get them.
type Content struct {
	Type        ContentType
	Text        string
	Data        []byte // decoded bytes
	MIMEType    string
	URI         string
	Name        string
	Title       string
	Description string
}

// Output is what a runner returns when it ran.
type Output struct {
	Content []Content
	// Structured is the same answer as a JSON value of any kind, for hooks and
	// other programs, or nil when the answer has no such form or would lose
	// something in it. Clients are sent [Output.Object] of it.
	Structured json.RawMessage
	// Noop says that the tool went well and found nothing to do, or nothing at
	// all.
	Noop bool
	// Notes are for whoever runs the gateway, such as that an answer is not what
	// its upstream declares: the gateway records and logs them with the call, as
	// warnings, and takes them out. No model and no hook sees them.
	Notes []string
	// Search says what a search of tools did; nil for every other tool. It is for doors
	// and metrics: no model and no hook sees it.
	Search *Search
}

// Search is what a search of tools did beside its answer.
type Search struct {
	// Activated are the names of tools that are newly in the list of the call's chat.
	Activated []string
	// Spared is about how many tokens the schemas of all deferred tools take that the
	// caller may find, without those of this answer: one for each four characters of a
	// tool as openai-chat writes it. Every search counts them anew, for a list with
	// them all would be sent with every prompt.
	Spared int
	// Exact says that the query is the name of the one tool that was found.
	Exact bool
}

// Object is Structured where that is a JSON object, else nil: clients of the
// Model Context Protocol take nothing else as structured content, and every
// door shows the same.
func (o *Output) Object() json.RawMessage {
	if len(o.Structured) > 0 && o.Structured[0] == '{' {
		return o.Structured
	}
	return nil
}

// Text joins the text blocks with newlines; other blocks are named by type.
func (o *Output) Text() string {
	parts := make([]string, 0, len(o.Content))
	for i := range o.Content {
		c := &o.Content[i]
		switch {
		case c.Type == ContentText, c.Type == ContentResource && c.Text != "":
			parts = append(parts, c.Text)
		case c.Type == ContentResourceLink:
			parts = append(parts, "["+string(c.Type)+": "+c.URI+"]")
		default:
			parts = append(parts, "["+string(c.Type)+": "+c.MIMEType+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// Status is how a call ended.
type Status string

// The ways a call ends.
const (
	StatusOK    Status = "ok"
	StatusNoop  Status = "noop" // it went well and there was nothing to do or to find
	StatusError Status = "error"
)

// Result is the answer to one call, at every door.
type Result struct {
	CallID   string
	Tool     string // the name as it was called
	Status   Status
	Output   Output // for an error: Error.Answer(), nearly always one text block with Error.Text()
	Error    *Error // nil unless Status is StatusError
	Duration time.Duration
	// MayHaveActed says that a tool that is not read-only was started: whatever
	// the result says, running the call again may do the same thing twice.
	MayHaveActed bool
}

// Text is what a model reads of the answer: [Output.Text], and for a failure the sentence
// and the hint of the error with it.
func (r Result) Text() string { return r.Output.Text() }
