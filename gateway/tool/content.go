package tool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// resourceJSON is the "resource" member of an embedded resource block.
type resourceJSON struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     string  `json:"blob,omitempty"`
}

// contentJSON is a content block as the Model Context Protocol writes it
// (2026-07-28, schema ContentBlock).
type contentJSON struct {
	Type        ContentType   `json:"type"`
	Text        *string       `json:"text,omitempty"`
	Data        string        `json:"data,omitempty"`
	MIMEType    string        `json:"mimeType,omitempty"`
	Resource    *resourceJSON `json:"resource,omitempty"`
	URI         string        `json:"uri,omitempty"`
	Name        string        `json:"name,omitempty"`
	Title       string        `json:"title,omitempty"`
	Description string        `json:"description,omitempty"`
}

// MarshalJSON writes the block in the form of the Model Context Protocol.
func (c Content) MarshalJSON() ([]byte, error) {
	w := contentJSON{Type: c.Type}
	switch c.Type {
	case ContentText:
		w.Text = &c.Text
	case ContentImage, ContentAudio:
		w.Data, w.MIMEType = base64.StdEncoding.EncodeToString(c.Data), c.MIMEType
	case ContentResource:
		w.Resource = &resourceJSON{URI: c.URI, MIMEType: c.MIMEType}
		if c.Data != nil {
			w.Resource.Blob = base64.StdEncoding.EncodeToString(c.Data)
		} else {
			w.Resource.Text = &c.Text
		}
	case ContentResourceLink:
		w.URI, w.Name, w.Title, w.MIMEType, w.Description = c.URI, c.Name, c.Title, c.MIMEType, c.Description
	default:
		return nil, fmt.Errorf("content block of unknown type %q", c.Type)
	}
	return EncodeJSON(w)
}

// UnmarshalJSON reads a block in the form of the Model Context Protocol and
// refuses one that lacks a member its type needs. Members it does not know,
// annotations among them, are dropped.
func (c *Content) UnmarshalJSON(data []byte) error {
	var w contentJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*c = Content{Type: w.Type}
	switch w.Type {
	case ContentText:
		if w.Text == nil {
			return errors.New(`a text block needs "text"`)
		}
		c.Text = *w.Text
		return nil
	case ContentImage, ContentAudio:
		return c.readMedia(w)
	case ContentResource:
		return c.readResource(w.Resource)
	case ContentResourceLink:
		if w.URI == "" || w.Name == "" {
			return errors.New(`a resource_link block needs "uri" and "name"`)
		}
		c.URI, c.Name, c.Title, c.MIMEType, c.Description = w.URI, w.Name, w.Title, w.MIMEType, w.Description
		return nil
	}
	return fmt.Errorf("unknown type %q of a content block (known: text, image, audio, resource, resource_link)", w.Type)
}

func (c *Content) readMedia(w contentJSON) error {
	if w.Data == "" || w.MIMEType == "" {
		return fmt.Errorf(`an %s block needs "data" (base64) and "mimeType"`, w.Type)
	}
	data, err := base64.StdEncoding.DecodeString(w.Data)
	if err != nil {
		return fmt.Errorf(`"data" of an %s block is not base64: %w`, w.Type, err)
	}
	c.Data, c.MIMEType = data, w.MIMEType
	return nil
}

func (c *Content) readResource(r *resourceJSON) error {
	if r == nil || r.URI == "" || (r.Text == nil && r.Blob == "") {
		return errors.New(`a resource block needs "resource" with "uri" and either "text" or "blob" (base64)`)
	}
	c.URI, c.MIMEType = r.URI, r.MIMEType
	if r.Text != nil {
		c.Text = *r.Text
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(r.Blob)
	if err != nil {
		return fmt.Errorf(`"blob" of a resource block is not base64: %w`, err)
	}
	c.Data = data
	return nil
}

// errorJSON is the structured form of a failure that doors and models read.
type errorJSON struct {
	Type        Code            `json:"error_type"`
	Tool        string          `json:"tool"`
	Message     string          `json:"message"`
	Hint        string          `json:"hint,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	Retryable   bool            `json:"retryable"`
	Fatal       bool            `json:"fatal"`
	RetryAfter  float64         `json:"retry_after,omitempty"` // seconds
	Approval    string          `json:"approval_id,omitempty"`
}

// MarshalJSON writes what a model and a program may read of the failure:
// never the cause.
func (e *Error) MarshalJSON() ([]byte, error) {
	return EncodeJSON(errorJSON{
		Type: e.Code, Tool: e.Tool, Message: e.Message, Hint: e.Hint, InputSchema: e.InputSchema,
		Retryable: e.Retryable, Fatal: e.Fatal, RetryAfter: e.RetryAfter.Seconds(), Approval: e.Approval,
	})
}

// resultJSON is the one result object that the HTTP API and the command line
// print.
type resultJSON struct {
	CallID     string          `json:"call_id"`
	Tool       string          `json:"tool"`
	Status     Status          `json:"status"`
	Content    []Content       `json:"content"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Error      *Error          `json:"error,omitempty"`
	DurationMS float64         `json:"duration_ms"`
}

// MarshalJSON writes the result object of the HTTP API and the command line.
func (r Result) MarshalJSON() ([]byte, error) {
	if text, ok := r.plain(); ok {
		return text, nil
	}
	return r.encode()
}

// encode is MarshalJSON for results of any kind.
func (r *Result) encode() ([]byte, error) {
	content := r.Output.Content
	if content == nil {
		content = []Content{}
	}
	return EncodeJSON(resultJSON{
		CallID: r.CallID, Tool: r.Tool, Status: r.Status, Content: content,
		Structured: r.Output.Object(), Error: r.Error,
		DurationMS: float64(r.Duration.Microseconds()) / 1000,
	})
}

// EncodeJSON encodes without HTML escapes: what a model reads is not a web page.
// There is no line break behind the value.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
