package tool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind says by which kind of door a caller came in.
type Kind string

// The kinds of callers.
const (
	KindMCP  Kind = "mcp"
	KindHTTP Kind = "http"
	KindCLI  Kind = "cli"
	KindGo   Kind = "go"
)

// Via says how a call was made by its caller.
type Via string

// The ways of a call.
const (
	ViaDirect Via = "direct" // a call that names its tool itself
	ViaBatch  Via = "batch"  // one of several calls that were sent together
	// ViaCallTool is the way of a call that came inside of one of call_tool, or of
	// call_read_tool.
	ViaCallTool Via = "call_tool"
)

// View is who asks for a list of tools, and from where.
type View struct {
	Caller  Caller
	Profile string // the fixed subset of tools that is asked for; empty for all
	Chat    Chat   // DefaultChat when its ID is empty
	// Steady leaves out what the chat has found: a list of the Model Context Protocol
	// does not change by what was called (2026-07-28, server/tools, Capabilities).
	Steady bool
}

// Chat is the conversation that a call belongs to.
type Chat struct {
	ID      string         // as the client named it, or DefaultChat
	Groups  []string       // groups of tools that the user activated
	Context map[string]any // fields that the client or the server set, JSON values
	Found   []string       // deferred tools that searches have found in it, in that order
	// Session says that the chat is that of one connection, which named none: what is
	// found in it is not kept for longer than that.
	Session bool
}

// DefaultChat is the chat of a call whose client named none.
const DefaultChat = "default"

// MaxChatID is the most characters of a chat's name.
const MaxChatID = 128

// CheckChatID reports a name of a chat that logs and URLs could not carry as it
// is: one has 1 to MaxChatID printable ASCII characters without spaces.
func CheckChatID(id string) error {
	switch {
	case id == "":
		return errors.New("the name of the chat is empty")
	case len(id) > MaxChatID:
		return fmt.Errorf("the name of the chat has %d bytes", len(id))
	case strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }):
		return fmt.Errorf("%q cannot name a chat", id)
	}
	return nil
}

// Call is one request to run one tool.
type Call struct {
	ID        string          // unique; the gateway makes one when it is empty
	Tool      string          // the exact name, as sent
	Arguments json.RawMessage // as sent, unchecked; may be empty
	Caller    Caller
	Via       Via    // ViaDirect when empty
	Parent    string // ID of the call this one was made from, or empty
	Depth     int    // calls that lie between the caller and this one
	Profile   string // the fixed subset of tools that the call came through; empty for all
	Chat      Chat   // DefaultChat when its ID is empty
}

// NewCallID makes an identifier of a call that no other call has and nobody can
// guess: it ends in 130 random bits. Identifiers of later milliseconds sort behind earlier ones, so that an
// index of many is only added to at its end.
func NewCallID() string {
	const digits, timeBits, randomDigits = "0123456789abcdefghijklmnopqrstuv", 50, 26
	var random [randomDigits]byte
	_, _ = rand.Read(random[:]) // it never fails
	id := make([]byte, 0, len("call_")+timeBits/5+randomDigits)
	id = append(id, "call_"...)
	ms := uint64(time.Now().UnixMilli())
	for shift := timeBits - 5; shift >= 0; shift -= 5 {
		id = append(id, digits[ms>>shift&31])
	}
	for _, b := range random {
		id = append(id, digits[b&31])
	}
	return string(id)
}

// Input is what a runner is given: checked arguments, and the call they belong
// to for the sake of its identifiers.
type Input struct {
	// Args holds JSON values as encoding/json decodes them with UseNumber:
	// numbers are json.Number and keep every digit. The runner must not
	// change it.
	Args map[string]any
	Call *Call
	Spec *Spec
}

// Runner runs one tool. It ends with its context, reads at most
// Spec.MaxOutput bytes of an answer, and is safe for concurrent use. A failure
// is an *Error; any other error is taken for [Internal]. A runner never logs,
// decides or trims: the gateway does.
type Runner interface {
	Run(ctx context.Context, in Input) (Output, error)
}
