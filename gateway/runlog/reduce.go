package runlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"

	"github.com/toolgate/toolgate/gateway/tool"
)

// reduced are the arguments as far as they are to be recorded.
func reduced(args json.RawMessage, how tool.LogArguments) json.RawMessage {
	if len(bytes.TrimSpace(args)) == 0 {
		return args
	}
	switch how {
	case tool.LogArgumentsNone:
		return nil
	case tool.LogArgumentsDigest:
		sum := sha256.Sum256(canonical(args))
		return json.RawMessage(`{"$sha256":"` + hex.EncodeToString(sum[:]) + `"}`)
	case tool.LogArgumentsMasked:
		return masked(args)
	}
	return args
}

// masked keeps the form of JSON and the names of members, and puts the name of its
// type in place of each value. What is not JSON is a text.
func masked(args json.RawMessage) json.RawMessage {
	v, ok := parsed(args)
	if !ok {
		return json.RawMessage(`"text that is not JSON"`)
	}
	out, err := json.Marshal(typed(v))
	if err != nil {
		return nil
	}
	return out
}

func typed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = typed(member)
		}
		return v
	case []any:
		for i, item := range v {
			v[i] = typed(item)
		}
		return v
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// canonical writes JSON in one way however it was written: members sorted by name,
// no spaces, numbers with their own digits. Other text stays as it is.
func canonical(args json.RawMessage) []byte {
	v, ok := parsed(args)
	if !ok {
		return args
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return args
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})
}

func parsed(args json.RawMessage) (v any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, false
	}
	_, err := dec.Token()
	return v, errors.Is(err, io.EOF)
}

// kept is the result as far as it is to be recorded.
func (o Options) kept(result string, how tool.LogResults) string {
	switch how {
	case tool.LogResultsNone:
		return ""
	case tool.LogResultsFull:
		return cut(result, MostKept)
	}
	return cut(result, o.MaxResult)
}
