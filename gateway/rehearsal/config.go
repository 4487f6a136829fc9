// Package rehearsal runs the tests that a configuration has of its tools and hooks. Nothing
// is asked of anybody: requests and processes are answered as the tests say.
package rehearsal

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/policy"
)

// MaxFile is the most bytes of a file that an answer is read from.
const MaxFile = 8 << 20

// ToolConfig is one test of a tool: what it is called with, what it then asks of its
// backend and is answered, and what comes of that. The tool is alone: neither hooks nor
// rules take part. At most one of Result, Content and Error is set.
type ToolConfig struct {
	Name      string               `koanf:"name"`
	Args      json.RawMessage      `koanf:"args"` // as a model sends them; none when absent
	Caller    *policy.CallerConfig `koanf:"caller"`
	Chat      *policy.ChatConfig   `koanf:"chat"`
	Request   *RequestConfig       `koanf:"request"`   // with Answer, short for one of Exchanges
	Answer    *AnswerConfig        `koanf:"answer"`    // to whatever is asked, without Request
	Exchanges []ExchangeConfig     `koanf:"exchanges"` // in this order, and all of them
	Result    json.RawMessage      `koanf:"result"`    // the value, or the text
	Content   json.RawMessage      `koanf:"content"`   // blocks in the form of the Model Context Protocol
	Error     *FailureConfig       `koanf:"error"`
}

// ExchangeConfig is a request or process, and how it is answered.
type ExchangeConfig struct {
	Request *RequestConfig `koanf:"request"` // whatever is asked when nil
	Answer  *AnswerConfig  `koanf:"answer"`
}

// RequestConfig is what a tool has to ask. What is absent is not compared.
type RequestConfig struct {
	// Of an HTTP tool.
	Method  string                      `koanf:"method"`
	URL     string                      `koanf:"url"`     // whole, with its query
	Path    string                      `koanf:"path"`    // in place of URL, from the host on, without the query
	Query   map[string]expression.Texts `koanf:"query"`   // those that are named; an empty list where there is none
	Headers map[string]expression.Texts `koanf:"headers"` // likewise
	Body    *BodyConfig                 `koanf:"body"`
	// Of a command.
	Argv  expression.Texts  `koanf:"argv"` // whole, with the program
	Stdin *string           `koanf:"stdin"`
	Cwd   string            `koanf:"cwd"` // a relative one belongs to the folder of the first file
	Env   map[string]string `koanf:"env"` // those that are named
}

// BodyConfig is the body of a request. Exactly one field is set.
type BodyConfig struct {
	JSON      json.RawMessage             `koanf:"json"`
	Form      map[string]expression.Texts `koanf:"form"` // all of it
	Text      *string                     `koanf:"text"`
	Multipart []PartConfig                `koanf:"multipart"` // all parts, in their order
}

// PartConfig is one part of a multipart body. What is absent is not compared.
type PartConfig struct {
	Name     string  `koanf:"name"`
	Filename string  `koanf:"filename"`
	Type     string  `koanf:"type"` // media type
	Text     *string `koanf:"text"`
}

// AnswerConfig is how a request or a process is answered.
type AnswerConfig struct {
	// Of an HTTP service.
	Status      int                         `koanf:"status"` // 200 when 0
	Headers     map[string]expression.Texts `koanf:"headers"`
	Body        json.RawMessage             `koanf:"body"`        // a text is the body itself, anything else is JSON
	Unreachable bool                        `koanf:"unreachable"` // nobody answers
	// Of a program.
	Stdout *string `koanf:"stdout"`
	Stderr *string `koanf:"stderr"`
	Exit   int     `koanf:"exit"`
	// File holds the body, or what is written to standard output; absolute.
	File string `koanf:"file"`
}

// FailureConfig is how a call has to fail.
type FailureConfig struct {
	Type    string `koanf:"type"`    // an error_type
	Message string `koanf:"message"` // has to stand in what the model reads; * stands for any text
}

// HookConfig is one test of the hooks: what the hooks before a call make of its
// arguments and, where it is given how the tool answered, what those after it make of
// that. The tool is not run, and no rule is asked.
type HookConfig struct {
	Name     string                  `koanf:"name"`
	Call     string                  `koanf:"call"` // name of a tool
	Args     json.RawMessage         `koanf:"args"`
	Caller   *policy.CallerConfig    `koanf:"caller"`
	Chat     *policy.ChatConfig      `koanf:"chat"`
	Via      string                  `koanf:"via"`      // direct when empty
	Webhooks map[string]AnswerConfig `koanf:"webhooks"` // what is answered to hooks that ask, by their names
	Given    *GivenConfig            `koanf:"given"`    // how the tool answered
	Expect   *ExpectConfig           `koanf:"expect"`
}

// GivenConfig is how a tool answered. Exactly one field is set.
type GivenConfig struct {
	Result  json.RawMessage `koanf:"result"`
	Content json.RawMessage `koanf:"content"`
	Error   *FailureConfig  `koanf:"error"`
}

// ExpectConfig is what hooks have to do. At most one of Refuse, Result, Content and
// Error is set, and Args without Refuse only.
type ExpectConfig struct {
	Args    json.RawMessage `koanf:"args"`   // all arguments, as the tool is given them
	Refuse  string          `koanf:"refuse"` // like the message of a FailureConfig
	Result  json.RawMessage `koanf:"result"`
	Content json.RawMessage `koanf:"content"`
	Error   *FailureConfig  `koanf:"error"`
}
