package gateway

import (
	"github.com/toolgate/toolgate/discovery"
	"github.com/toolgate/toolgate/gateway/registry"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Documents are what searches read of the tools, in list order: of all but the
// gateway's own.
func Documents(r *registry.Registry) []discovery.Document {
	var docs []discovery.Document
	for _, e := range r.All() {
		s := e.Spec
		if s.Source == tool.SourceBuiltin {
			continue
		}
		docs = append(docs, discovery.Document{
			Name: s.Name, Namespace: s.Namespace, Description: s.Description, Hint: s.SearchHint, Tags: s.Tags, Parameters: s.Parameters,
		})
	}
	return docs
}
