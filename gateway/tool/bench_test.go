package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolgate/toolgate/gateway/tool"
)

type order struct {
	ID    int64    `json:"id"`
	Name  string   `json:"name"`
	Tags  []string `json:"tags,omitempty"`
	Price float64  `json:"price,omitempty"`
}

const orderText = `{"id": 9007199254740993, "name": "three cups of tea", "tags": ["a", "b", "c"], "price": 2.5}`

func price(_ context.Context, in order) (string, error) { return in.Name, nil }

// BenchmarkFunc is one run of a tool of a function, from decoded arguments to the answer,
// beside what a program does without it: json.Unmarshal of the same arguments' text and
// the call of the function. A tool of a method is called by reflection.
func BenchmarkFunc(b *testing.B) {
	in := input(b, orderText)
	for name, subject := range map[string]*tool.Tool{
		"tool":   tool.Func("price", "Says a price.", price),
		"method": tool.Methods(prices{}, tool.Doc("Price", "Says a price."))[0],
	} {
		if subject.Err != nil {
			b.Fatal(subject.Err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := subject.Runner.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("json.Unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var args order
			if err := json.Unmarshal([]byte(orderText), &args); err != nil {
				b.Fatal(err)
			}
			if _, err := price(b.Context(), args); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type prices struct{}

func (prices) Price(ctx context.Context, in order) (string, error) { return price(ctx, in) }
