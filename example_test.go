package toolgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/toolgate/toolgate"
	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/batch"
	"github.com/toolgate/toolgate/gateway/provider"
	"github.com/toolgate/toolgate/gateway/tool"
)

// place is where somebody wants to know the weather.
type place struct {
	City string `json:"city" jsonschema:"The name of the city."`
}

func weather(_ context.Context, in place) (string, error) {
	if in.City == "Atlantis" {
		return "", tool.Failf("there is no weather in %s", in.City)
	}
	return "rain in " + in.City, nil
}

// A gateway with one tool of the program's own, and what becomes of its calls.
func Example() {
	ctx := context.Background()
	gw, err := toolgate.Open(ctx, toolgate.Options{
		Tools: []*tool.Tool{tool.Func("weather", "Say how the weather is.", weather)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	for _, arguments := range []string{`{"city": "Bergen"}`, `{"city": "Atlantis"}`, `{"town": "Bergen"}`} {
		result := gw.Call(ctx, tool.Call{Tool: "weather", Arguments: json.RawMessage(arguments)})
		if result.Error != nil {
			fmt.Println(result.Error.Code, "|", result.Error.Message)
			continue
		}
		fmt.Println(result.Output.Text())
	}
	// Output:
	// rain in Bergen
	// upstream_error | there is no weather in Atlantis
	// invalid_args | invalid arguments for weather: city: is required but missing; town: unknown argument (known: city)
}

// Tools come and go while the gateway is open; the function that Register returns takes
// out what it brought.
func ExampleGateway_Register() {
	ctx := context.Background()
	gw, err := toolgate.Open(ctx, toolgate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	call := tool.Call{Tool: "weather", Arguments: json.RawMessage(`{"city": "Bergen"}`)}
	undo, err := gw.Register(tool.Func("weather", "Say how the weather is.", weather))
	if err != nil {
		log.Fatal(err)
	}
	result := gw.Call(ctx, call)
	fmt.Println(result.Output.Text())
	undo()
	result = gw.Call(ctx, call)
	fmt.Println(result.Error.Code)
	// Output:
	// rain in Bergen
	// not_found
}

// The policy of a text that the program holds, and a caller that its rules let through.
func ExampleOptions_policy() {
	ctx := context.Background()
	gw, err := toolgate.Open(ctx, toolgate.Options{
		Tools: []*tool.Tool{tool.Func("weather", "Say how the weather is.", weather)},
		YAML: `
version: 1
policy:
  default: deny
  rules:
    - {name: staff, tools: [weather], when: '"staff" in caller.groups', action: allow}
`,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	call := tool.Call{Tool: "weather", Arguments: json.RawMessage(`{"city": "Bergen"}`)}
	ann := tool.WithCaller(ctx, tool.Caller{ID: "ann", Groups: []string{"staff"}})
	for _, ctx := range []context.Context{ctx, ann} {
		result := gw.Call(ctx, call)
		fmt.Println(len(gw.Tools(ctx, tool.View{})), "listed |", result.Output.Text())
	}
	// Output:
	// 1 listed | Error: no tool is named "weather"
	// Call one of the tools in your tool list by its exact name.
	// 2 listed | rain in Bergen
}

// counted counts calls by how they ended.
type counted map[tool.Code]int

func (c counted) Began(*tool.Notice) {}

func (c counted) Ended(n *tool.Notice) {
	if n.Result.Error != nil {
		c[n.Result.Error.Code]++
		return
	}
	c["ok"]++
}

// Hooks in Go, behind those of the file, and an observer.
func ExampleOptions_hooks() {
	ctx := context.Background()
	ends := counted{} // calls of this example come one after the other: others need a lock
	gw, err := toolgate.Open(ctx, toolgate.Options{
		Tools: []*tool.Tool{tool.Func("weather", "Say how the weather is.", weather)},
		Before: []gateway.Before{func(_ context.Context, c *gateway.HookCall) error {
			if c.Args["city"] == "Area 51" {
				return tool.Errorf(tool.Denied, "nobody is told the weather there")
			}
			c.Args["city"] = strings.ToUpper(c.Args["city"].(string))
			return nil
		}},
		After: []gateway.After{func(_ context.Context, _ *gateway.HookCall, o *gateway.Outcome) error {
			if o.Err == nil {
				o.Output = tool.TextOutput(o.Output.Text() + ", as far as is known")
			}
			return nil
		}},
		Observe: []gateway.Observer{ends},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	for _, city := range []string{"Bergen", "Area 51"} {
		result := gw.Call(ctx, tool.Call{Tool: "weather", Arguments: json.RawMessage(`{"city": "` + city + `"}`)})
		fmt.Println(result.Output.Text())
	}
	fmt.Println(ends)
	// Output:
	// rain in BERGEN, as far as is known
	// Error: nobody is told the weather there
	// map[denied:1 ok:1]
}

// A call that nobody waits for: its steps as they come, what it gave, and one that is
// cancelled.
func ExampleGateway_Start() {
	ctx := context.Background()
	type length struct {
		Pages int `json:"pages"`
	}
	read := func(ctx context.Context, in length) (string, error) {
		for page := range in.Pages {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			tool.Progress(ctx, tool.Step{Done: float64(page + 1), Total: float64(in.Pages)})
		}
		return "read", nil
	}
	wait := func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	gw, err := toolgate.Open(ctx, toolgate.Options{
		Tools: []*tool.Tool{tool.Func("read", "Read a book.", read), tool.Func("wait", "Wait.", wait)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	told := tool.WithProgress(ctx, func(s tool.Step) { fmt.Println("page", s.Done, "of", s.Total) })
	started, err := gw.Start(told, tool.Call{Tool: "read", Arguments: json.RawMessage(`{"pages": 2}`)})
	if err != nil {
		log.Fatal(err)
	}
	result, err := started.Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Output.Text())

	if started, err = gw.Start(ctx, tool.Call{Tool: "wait"}); err != nil {
		log.Fatal(err)
	}
	status, _ := started.Status()
	fmt.Println(status.State)
	started.Cancel()
	if result, err = started.Result(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Error.Code)
	// Output:
	// page 1 of 2
	// page 2 of 2
	// read
	// running
	// cancelled
}

// The doors on a mux of the program's own, below a prefix.
func ExampleGateway_Handler() {
	gw, err := toolgate.Open(context.Background(), toolgate.Options{
		Tools: []*tool.Tool{tool.Func("weather", "Say how the weather is.", weather)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	mux := http.NewServeMux()
	mux.Handle("/tools/", http.StripPrefix("/tools", gw.Handler())) // /tools/mcp, /tools/v1
	mux.Handle("/mcp", gw.MCP())                                    // or one door where it always is
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "the program's own page") })
	server := httptest.NewServer(mux)
	defer server.Close()

	response, err := http.Post(server.URL+"/tools/v1/tools/weather/call", "application/json", strings.NewReader(`{"city": "Bergen"}`))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, strings.Contains(string(body), "rain in Bergen"))
	// Output:
	// 200 true
}

// An agent: the list in the form of a provider, and the model's calls answered in it.
func Example_agent() {
	ctx := context.Background()
	gw, err := toolgate.Open(ctx, toolgate.Options{
		Tools: []*tool.Tool{tool.Func("weather", "Say how the weather is.", weather)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	specs := gw.Tools(ctx, tool.View{})
	request := map[string]any{"tools": provider.OpenAIChat(specs)} // or provider.Anthropic(specs), provider.Gemini(specs)
	fmt.Println(len(specs), "tools, in a request with", len(request), "key")

	// What the model answered: the message, or the whole response.
	reply := []byte(`{"role": "assistant", "tool_calls": [
		{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Bergen\"}"}},
		{"id": "call_2", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Atlantis\"}"}}]}`)
	asked, err := provider.OpenAIChatCalls(reply)
	if err != nil {
		log.Fatal(err)
	}
	calls := make([]tool.Call, len(asked))
	for i, a := range asked {
		calls[i] = tool.Call{Tool: a.Name, Arguments: a.Arguments, Chat: tool.Chat{ID: "chat-7"}}
	}
	results, err := gw.Batch(ctx, calls, batch.Options{})
	if err != nil {
		log.Fatal(err)
	}
	answers := make([]provider.Answer, len(asked))
	for i, a := range asked {
		answers[i] = provider.Answer{ID: a.ID, Result: results[i]}
	}
	for _, message := range provider.OpenAIChatMessages(answers) { // to append to the conversation
		fmt.Println(message.Role, message.ToolCallID, message.Content)
	}
	// Output:
	// 2 tools, in a request with 1 key
	// tool call_1 rain in Bergen
	// tool call_2 Error: there is no weather in Atlantis
}
