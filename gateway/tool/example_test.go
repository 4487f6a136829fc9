package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/tool"
)

// show runs a tool as a gateway does and prints what a model reads. Programs leave that to
// the gateway, which checks the arguments, asks the policy and records the call.
func show(t *tool.Tool, args map[string]any) {
	if t.Err != nil {
		log.Fatal(t.Err)
	}
	call := &tool.Call{ID: "call_1", Tool: t.Spec.Name, Caller: tool.Caller{Name: "ada"}}
	out, err := t.Runner.Run(context.Background(), tool.Input{Args: args, Call: call, Spec: &t.Spec})
	if err != nil {
		fmt.Println(tool.AsError(err).Text())
		return
	}
	fmt.Println(out.Text())
}

// Three tools of a program: of a function, of methods, and of a schema that is there
// already.
func Example() {
	type Add struct {
		A, B float64
	}
	tools := []*tool.Tool{
		tool.Func("add", "Adds two numbers.", func(_ context.Context, in Add) (float64, error) {
			return in.A + in.B, nil
		}, tool.Tags(tool.TagReadOnly)),
		tool.Raw("count", "Counts what was sent.", json.RawMessage(`{"type": "object"}`), func(_ context.Context, in tool.Input) (any, error) {
			return len(in.Args), nil
		}),
	}
	tools = append(tools, tool.Methods(&Counter{}, tool.Doc("Up", "Counts one up and says how far it is."))...)
	for _, t := range tools {
		fmt.Println(t.Spec.Name, t.Spec.Tags, t.Err)
	}
	// Output:
	// add [read_only] <nil>
	// count [] <nil>
	// up [] <nil>
}

// Counter counts.
type Counter struct{ n int }

// Up counts one up.
func (c *Counter) Up() int { c.n++; return c.n }

func ExampleFunc() {
	type Greet struct {
		Name   string `json:"name" jsonschema:"whom to greet" minLength:"1"`
		Tongue string `json:"tongue" enum:"en,de" default:"en"`
	}
	greet := tool.Func("greet", "Greets somebody.", func(_ context.Context, in Greet) (string, error) {
		if in.Tongue == "de" {
			return "Guten Tag, " + in.Name + "!", nil
		}
		return "Good day, " + in.Name + "!", nil
	}, tool.Tags(tool.TagReadOnly), tool.MaxTime(time.Second))

	fmt.Println(string(greet.Spec.Parameters))
	show(greet, map[string]any{"name": "Ada", "tongue": "de"})
	// Output:
	// {"type":"object","properties":{"name":{"type":"string","description":"whom to greet","minLength":1},"tongue":{"type":"string","default":"en","enum":["en","de"]}},"required":["name"],"additionalProperties":false}
	// Guten Tag, Ada!
}

// A struct in the answer is JSON, which a model reads and a program has as it is.
func ExampleFunc_struct() {
	type Order struct {
		Number int       `json:"number"`
		Paid   time.Time `json:"paid,omitzero"`
	}
	last := tool.Func("last_order", "Says which order came last.", func(context.Context, struct{}) (*Order, error) {
		return &Order{Number: 7, Paid: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}, nil
	})
	show(last, nil)
	// Output:
	// {"number":7,"paid":"2026-01-02T00:00:00Z"}
}

// What is wrong with a tool is in its Err.
func ExampleFunc_mistake() {
	type In struct {
		Limit int `json:"limit" default:"many"`
	}
	t := tool.Func("list", "Lists.", func(context.Context, In) (string, error) { return "", nil })
	fmt.Println(t.Err)
	// Output:
	// tool_test.In.Limit: tag default:"many": many is not a value of type int (write texts as they are, all else as JSON)
}

func ExampleRaw() {
	schema := json.RawMessage(`{
		"type": "object",
		"properties": {"words": {"type": "array", "items": {"type": "string"}}},
		"required": ["words"]
	}`)
	join := tool.Raw("join", "Joins words.", schema, func(_ context.Context, in tool.Input) (any, error) {
		var words []string
		for _, w := range in.Args["words"].([]any) {
			words = append(words, w.(string)) // the gateway has checked it
		}
		return strings.Join(words, " "), nil
	})
	show(join, map[string]any{"words": []any{"a", "b"}})
	// Output:
	// a b
}

// Shop is a value with methods that become tools.
type Shop struct{ orders []string }

// Find finds orders.
func (s *Shop) Find(_ context.Context, in struct {
	Word string `json:"word" jsonschema:"part of an order's text"`
},
) ([]string, error) {
	var found []string
	for _, o := range s.orders {
		if strings.Contains(o, in.Word) {
			found = append(found, o)
		}
	}
	return found, nil
}

// CancelAll cancels all orders.
func (s *Shop) CancelAll(context.Context) error { s.orders = nil; return nil }

// Close is no tool.
func (s *Shop) Close() error { return nil }

// ToolDocs says what the methods do.
func (s *Shop) ToolDocs() []tool.Option {
	return []tool.Option{
		tool.Doc("Find", "Finds orders by a word in them.", tool.Tags(tool.TagReadOnly)),
		tool.Doc("CancelAll", "Cancels all orders for good.", tool.Tags(tool.TagDestructive)),
		tool.Except("Close"),
	}
}

func ExampleMethods() {
	shop := &Shop{orders: []string{"3 cups", "1 pot"}}
	for _, t := range tool.Methods(shop, tool.Prefix("shop_")) {
		fmt.Println(t.Spec.Name, t.Spec.Tags, string(t.Spec.Parameters))
		if t.Spec.Name == "shop_find" {
			show(t, map[string]any{"word": "pot"})
		}
	}
	// Output:
	// shop_cancel_all [destructive] {"type":"object","properties":{},"additionalProperties":false}
	// shop_find [read_only] {"type":"object","properties":{"word":{"type":"string","description":"part of an order's text"}},"required":["word"],"additionalProperties":false}
	// ["1 pot"]
}

func ExampleErrorf() {
	err := tool.Errorf(tool.UpstreamUnavailable, "the shop does not answer").
		Because(fmt.Errorf("dial tcp 10.0.0.7:443: connection refused")).
		WithHint("Try again in a minute.")
	fmt.Println("for the model:", err.Text())
	fmt.Println("for the log:", err)
	// Output:
	// for the model: Error: the shop does not answer
	// Try again in a minute.
	// for the log: upstream_unavailable: the shop does not answer: dial tcp 10.0.0.7:443: connection refused
}

func ExampleFailf() {
	type In struct {
		Number int `json:"number"`
	}
	pay := tool.Func("pay", "Pays an order.", func(_ context.Context, in In) (struct{}, error) {
		return struct{}{}, tool.Failf("no order has the number %d", in.Number).WithHint("Search for it first.")
	})
	show(pay, map[string]any{"number": 7})
	// Output:
	// Error: no order has the number 7
	// Search for it first.
}

func ExampleCallFrom() {
	who := tool.Func("whoami", "Says who calls.", func(ctx context.Context, _ struct{}) (string, error) {
		call, ok := tool.CallFrom(ctx)
		if !ok {
			return "", tool.Failf("nobody called")
		}
		return call.Caller.Name + " in " + call.ID, nil
	})
	show(who, nil)
	// Output:
	// ada in call_1
}

func ExampleJoin() {
	chart := tool.Func("chart", "Draws a chart.", func(context.Context, struct{}) (tool.Output, error) {
		png := []byte("\x89PNG\r\n\x1a\n…")
		return tool.Join(tool.Text("Sales of May:"), tool.Image(png, "image/png"), tool.Link("https://shop.example/may", "May")), nil
	})
	show(chart, nil)
	// Output:
	// Sales of May:
	// [image: image/png]
	// [resource_link: https://shop.example/may]
}

func ExampleNoop() {
	remind := tool.Func("remind", "Sends reminders.", func(context.Context, struct{}) (tool.Output, error) {
		return tool.Noop("every order is paid"), nil
	})
	show(remind, nil)
	// Output:
	// every order is paid
}

// A function that takes long says how far it has come.
func ExampleProgress() {
	pack := tool.Func("pack", "Packs parcels.", func(ctx context.Context, _ struct{}) (string, error) {
		for i := range 2 {
			tool.Progress(ctx, tool.Step{Done: float64(i + 1), Total: 2, Message: "a parcel is packed"})
		}
		return "packed", nil
	})
	ctx := tool.WithProgress(context.Background(), func(s tool.Step) { fmt.Printf("%g of %g: %s\n", s.Done, s.Total, s.Message) })
	out, err := pack.Runner.Run(ctx, tool.Input{Spec: &pack.Spec})
	fmt.Println(out.Text(), err)
	// Output:
	// 1 of 2: a parcel is packed
	// 2 of 2: a parcel is packed
	// packed <nil>
}
