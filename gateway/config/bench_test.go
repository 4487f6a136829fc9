package config

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// manyTools is a file of n tools of ordinary size, about 400 bytes each.
func manyTools(n int) []byte {
	var b strings.Builder
	b.WriteString("version: 1\ntools:\n")
	for i := range n {
		fmt.Fprintf(&b, `  tool_%d:
    description: Find a customer by id in the system number %d.
    tags: [read_only, network]
    parameters:
      type: object
      properties:
        id: {type: string, description: Customer id}
        limit: {type: integer, minimum: 1, maximum: 50, default: 20}
      required: [id]
    http:
      url: https://crm.example.com/api
      path: /customers/${args.id}
      query: {limit: "${args.limit}"}
      result: body.customer
`, i, i)
	}
	return []byte(b.String())
}

// BenchmarkParse measures the cost of a tool in a file of 1,000 and of 10,000,
// beside what the YAML parser alone takes for the same bytes.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		data := manyTools(n)
		b.Run(fmt.Sprintf("yaml/%d", n), func(b *testing.B) {
			for b.Loop() {
				var doc yaml.Node
				if err := yaml.Load(data, &doc); err != nil {
					b.Fatal(err)
				}
			}
			perTool(b, n)
		})
		b.Run(fmt.Sprintf("config/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, problems := Parse("tools.yaml", data); problems.Err() != nil {
					b.Fatal(problems)
				}
			}
			perTool(b, n)
		})
	}
}

func perTool(b *testing.B, tools int) {
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(tools), "µs/tool")
}
