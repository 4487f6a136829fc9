// Command library is a gateway of three Go functions, a tool of a file and a policy.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"

	"github.com/toolgate/toolgate"
	"github.com/toolgate/toolgate/gateway/tool"
)

type order struct {
	Number int     `json:"number" jsonschema:"The number of the order." minimum:"1"`
	Euros  float64 `json:"euros" jsonschema:"How much money." minimum:"0.01"`
}

type shop map[int]order // by number

type which struct {
	Number int `json:"number" jsonschema:"The number of the order."`
}

func (s shop) find(_ context.Context, in which) (order, error) {
	if o, ok := s[in.Number]; ok {
		return o, nil
	}
	return order{}, tool.Failf("no order has the number %d", in.Number)
}

func (s shop) count(context.Context, struct{}) (int, error) { return len(s), nil }

func (shop) refund(context.Context, order) (string, error) { return "paid back", nil }

func options(settings []string) toolgate.Options {
	s := shop{7: {7, 12.5}, 8: {8, 80}}
	return toolgate.Options{
		Files: []string{"tools.yaml"}, Set: settings, Logger: slog.Default(),
		Tools: []*tool.Tool{
			tool.Func("find_order", "Find an order by its number.", s.find, tool.Tags(tool.TagReadOnly)),
			tool.Func("count_orders", "Say how many orders there are.", s.count, tool.Tags(tool.TagReadOnly)),
			tool.Func("refund", "Pay money back for an order.", s.refund, tool.Tags(tool.TagDestructive)),
		},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	gw, err := toolgate.Open(ctx, options(os.Args[1:])) // arguments are settings, such as server.listen=localhost:9000
	if err == nil {
		err = errors.Join(gw.Serve(ctx), gw.Close())
	}
	if err != nil {
		slog.Error("library", "problem", err)
		os.Exit(1)
	}
}
