package result

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolgate/toolgate/gateway/tool"
)

// ToolName is the name of the builtin tool that reads kept results.
const ToolName = "read_result"

const (
	// headerRoom is what is kept free for the header of an answer, in characters.
	headerRoom = 300
	minLimit   = 100 // characters that an answer may have beside its header, however small the limit
	maxHandle  = 60  // bytes of a handle that are shown again
)

const description = `Read more of a result that was too large to show. The notice in that result names its handle, for example r_k3v….
Without "path" and "grep" it answers one page, from byte "offset" on; the header of the answer says the next offset.
"path" selects a part of a JSON result, and "offset" counts within that part. "grep" lists the lines that match a pattern, with their numbers and byte offsets: read around one with its offset.
Results that are not text come as base64. A handle works for the caller whose call made it, until it expires.`

const parameters = `{
  "type": "object",
  "properties": {
    "handle": {"type": "string", "description": "The handle from the notice, for example r_k3v…"},
    "offset": {"type": "integer", "minimum": 0, "description": "Where to start, in bytes (default 0)"},
    "limit": {"type": "integer", "minimum": 1, "description": "The most characters to answer (default: as many as fit; more is not answered)"},
    "path": {"type": "string", "description": "A part of a JSON result: items[3].name, items[10:20], items[*].id, [\"odd key\"]"},
    "grep": {"type": "string", "description": "An RE2 pattern; lines that match are listed as line:byte:text"},
    "context": {"type": "integer", "minimum": 0, "maximum": 20, "description": "Lines to show before and after a match (default 0)"},
    "ignore_case": {"type": "boolean", "description": "Upper and lower case are the same to grep (default false)"}
  },
  "required": ["handle"],
  "additionalProperties": false
}`

// NewTool returns the builtin tool read_result over a store. An answer has two
// text blocks: a header in brackets, then exactly the text or the base64 that
// was read; a search that finds nothing has the header only. Both together have
// at most Spec.MaxResultSize characters (when that is at least 400), so that
// the answer is never cut; the gateway must not fit it.
func NewTool(store Store) (*tool.Spec, tool.Runner) {
	return &tool.Spec{
		Name:            ToolName,
		Title:           "Read a kept result",
		Description:     description,
		Parameters:      json.RawMessage(parameters),
		Tags:            []string{tool.TagReadOnly},
		Method:          ToolName,
		Source:          tool.SourceBuiltin,
		Timeout:         tool.DefaultTimeout,
		MaxOutput:       tool.DefaultMaxOutput,
		MaxResultSize:   tool.DefaultMaxResultSize,
		ConcurrencySafe: true,
	}, &reader{store: store}
}

// reader runs read_result.
type reader struct{ store Store }

// Run reads a piece of a result of the call's caller.
func (r *reader) Run(ctx context.Context, in tool.Input) (tool.Output, error) {
	if ctx.Err() != nil {
		return tool.Output{}, tool.Ended(ctx)
	}
	q, err := newRequest(in)
	if err != nil {
		return tool.Output{}, err
	}
	meta, blob, err := r.store.Open(ctx, in.Call.Caller.ID, q.handle)
	if err != nil {
		return tool.Output{}, failure(q.handle, err)
	}
	defer func() { _ = blob.Close() }() // it was only read
	out, err := q.answer(meta, blob, func() error {
		if ctx.Err() != nil {
			return tool.Ended(ctx)
		}
		return nil
	})
	if _, ok := errors.AsType[*tool.Error](err); err != nil && !ok {
		err = failure(q.handle, err)
	}
	return out, err
}

// failure words why a store does not give a result.
func failure(handle string, err error) error {
	if errors.Is(err, ErrNone) {
		return tool.Errorf(tool.InvalidArgs, "no result is kept under %s: it is unknown or has expired", quoteKey(clip(handle, maxHandle))).
			WithHint("Copy the handle exactly as the notice writes it, or call the tool again that gave the result, if it changes nothing.")
	}
	return tool.Errorf(tool.Internal, "the kept result cannot be read at the moment").Because(err).
		WithHint("If the tool that gave the result changes nothing, call it again and ask it for less.")
}
