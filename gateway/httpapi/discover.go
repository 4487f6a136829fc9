package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// searchTool is the gateway's own tool that searches are calls of.
const searchTool = "discover_tools"

// searchForm is what to send to have tools found.
const searchForm = `Send {"query": "…", "limit": 5, "detail": "schema", "namespace": "…", "tags": ["…"], "explain": true, "chat": "…", "profile": "…", "format": "…", "call_id": "…"}; only the query is needed.`

// searchJSON is the body of POST /v1/discover.
type searchJSON struct {
	searchArguments
	Chat    *string `json:"chat"`
	Profile *string `json:"profile"`
	Format  *string `json:"format"`
	CallID  string  `json:"call_id"`
}

// searchArguments are those of the tool, which says what is wrong with them.
type searchArguments struct {
	Query     json.RawMessage `json:"query,omitempty"`
	Limit     json.RawMessage `json:"limit,omitempty"`
	Detail    json.RawMessage `json:"detail,omitempty"`
	Namespace json.RawMessage `json:"namespace,omitempty"`
	Tags      json.RawMessage `json:"tags,omitempty"`
	Explain   json.RawMessage `json:"explain,omitempty"`
}

// search is one request for tools.
type search struct {
	call   tool.Call
	format string // whose form what was found is answered in, too; empty for none
	write  *shape // of the format
	callID string // the provider's name for the search; empty where there is none
}

// discover finds tools by what they do:
//
//	POST /v1/discover
//	{"query": "refund a payment", "format": "openai-chat"}
//
// It is a call of the tool that models search with, and answers what they read. With
// a format it adds what was found in the provider's form.
func (a *api) discover(w http.ResponseWriter, r *http.Request) {
	asked, p := a.readSearch(w, r)
	if p != nil {
		p.write(w)
		return
	}
	result := a.call(r, asked.call)
	if result.Error != nil {
		writeResult(w, result)
		return
	}
	body, p := a.found(r.Context(), asked, &result)
	if p != nil {
		p.write(w)
		return
	}
	noStore(w)
	send(w, http.StatusOK, body)
}

// readSearch reads a request for tools, or says why it cannot be one.
func (a *api) readSearch(w http.ResponseWriter, r *http.Request) (search, *problem) {
	values, p := query(r, "format", "chat", "profile")
	if p != nil {
		return search{}, p
	}
	body, p := readBody(w, r, noun{plural: "queries", less: "Send a query of a few words."})
	if p != nil {
		return search{}, p
	}
	asked, p := decodeSearch(body)
	if p != nil {
		return search{}, p
	}
	if p := asked.placeIn(values); p != nil {
		return search{}, p
	}
	view, p := a.view(r, values)
	if p != nil {
		return search{}, p
	}
	arguments, err := encode(asked.searchArguments)
	if err != nil {
		return search{}, badQuery("the query cannot be read", searchForm)
	}
	s := search{callID: asked.CallID}
	if values.Has("format") {
		s.format = values.Get("format")
		if s.write, p = chosen(values, shapes()); p != nil {
			return search{}, p
		}
	}
	s.call = tool.Call{Tool: searchTool, Arguments: arguments, Caller: view.Caller, Via: tool.ViaDirect, Chat: view.Chat, Profile: view.Profile}
	return s, nil
}

func decodeSearch(body []byte) (searchJSON, *problem) {
	var asked searchJSON
	dec := json.NewDecoder(bytes.NewReader(body))
	err := dec.Decode(&asked)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	if err == nil {
		err = plainNames(body, "query", "limit", "detail", "namespace", "tags", "explain", "chat", "profile", "format", "call_id")
	}
	if err != nil {
		return searchJSON{}, badQuery("the query cannot be read: "+shown(err.Error()), searchForm)
	}
	return asked, nil
}

// plainNames refuses an object, which has been read once, with a name that stands twice
// or is none of those that are known to the letter: which value was meant is not guessed.
func plainNames(object []byte, known ...string) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch name, _ := token.(string); {
		case !slices.Contains(known, name):
			return fmt.Errorf("json: unknown field %q", name)
		case seen[name]:
			return fmt.Errorf("%q stands in it twice", name)
		default:
			seen[name] = true
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

// placeIn adds what the body says of the place of the search and of the form of its
// answer to what the URL does, as it may at every path.
func (s *searchJSON) placeIn(values url.Values) *problem {
	for _, member := range []struct {
		name string
		text *string
	}{{"chat", s.Chat}, {"profile", s.Profile}, {"format", s.Format}} {
		switch {
		case member.text == nil:
		case values.Has(member.name) && values.Get(member.name) != *member.text:
			return badQuery(fmt.Sprintf("the request names two values for %s, %q and %q", member.name, shown(values.Get(member.name)), shown(*member.text)), "Name it once.")
		default:
			values.Set(member.name, *member.text)
		}
	}
	return nil
}

// foundJSON is what this door adds to the answer of a search.
type foundJSON struct {
	Spared      int `json:"spared_schema_tokens"`
	Definitions any `json:"definitions,omitempty"`

	References any `json:"tool_references,omitempty"`
	Output     any `json:"tool_search_output,omitempty"`
}

// found is the answer to a search: the one that models read, with what belongs to
// the format behind it.
func (a *api) found(ctx context.Context, asked search, result *tool.Result) ([]byte, *problem) {
	object := result.Output.Object()
	var answer struct {
		Tools []foundTool `json:"tools"`
	}
	if object == nil || json.Unmarshal(object, &answer) != nil {
		return nil, &problem{
			status: http.StatusBadGateway, Type: string(tool.UpstreamError), Message: "the answer to the search is not the JSON object that it should be",
			Hint: "Nothing is wrong with the query; tell the user that the gateway fails.",
		}
	}
	var more foundJSON
	if done := result.Output.Search; done != nil {
		more.Spared = done.Spared
	}
	if asked.write != nil {
		view := tool.View{Caller: asked.call.Caller, Chat: asked.call.Chat, Profile: asked.call.Profile}
		more.add(asked, answer.Tools, a.gateway.AllTools(ctx, view))
	}
	tail, err := encode(more)
	if err != nil {
		return nil, unencodable()
	}
	return joined(object, tail), nil
}

// foundTool is what is read of a tool in an answer.
type foundTool struct {
	Name string `json:"name"`
}

// add writes what was found in the form of the provider. Tools that are always in
// the list are left out: whoever sends them twice is refused. Whether one that was
// found before is in the next request hangs on whoever sends that.
func (f *foundJSON) add(asked search, found []foundTool, all []*tool.Spec) {
	specs := make(map[string]*tool.Spec, len(all))
	for _, s := range all {
		specs[s.Name] = s
	}
	var deferred []*tool.Spec
	for _, t := range found {
		if s := specs[t.Name]; s != nil && s.Deferred {
			deferred = append(deferred, s)
		}
	}
	f.Definitions = asked.write.list(deferred)
	switch asked.format {
	case "anthropic":
		f.References = provider.ToolReferences(deferred)
	case "openai-responses":
		f.Output = provider.OpenAIToolSearch(asked.callID, deferred)
	}
}

// joined is one JSON object with the members of two, the second of which has some.
func joined(first, second []byte) []byte {
	head, _ := bytes.CutSuffix(bytes.TrimSpace(first), []byte("}"))
	tail, _ := bytes.CutPrefix(second, []byte("{"))
	if head = bytes.TrimSpace(head); len(head) > 1 {
		head = append(head[:len(head):len(head)], ',')
	}
	return append(head[:len(head):len(head)], tail...)
}
