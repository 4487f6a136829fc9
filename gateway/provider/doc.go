// Package provider writes tool specs and the answers to calls in the shapes that
// model providers and protocols take, and reads the calls that models make. Its
// functions are pure: what goes in is not changed, and the same specs give the
// same bytes in the same order, which is what prompt caches live on.
//
// Schemas are kept as raw JSON: their keys stay in the order declared and their
// numbers keep every digit.
package provider

import (
	"encoding/json"

	"github.com/toolgate/toolgate/gateway/tool"
)

// noArguments is the schema of a tool that declares no parameters. OpenAI
// wants "properties" even where there are none.
const noArguments = `{"type":"object","properties":{}}`

// parameters gives the schema of the tool's arguments, never nothing: every
// shape requires one.
func parameters(s *tool.Spec) json.RawMessage {
	if len(s.Parameters) == 0 {
		return json.RawMessage(noArguments)
	}
	return s.Parameters
}
