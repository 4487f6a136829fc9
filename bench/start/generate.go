package main

import (
	"fmt"
	"strings"
)

// header is what stands above the tools.
const header = `version: 1
networks: {allow: [10.20.0.0/16]}
upstreams:
  crm: {url: "https://crm.internal/api", timeout: 10s, retries: 2}
policy:
  default: deny
  rules:
    - {name: no deletes, tags: [destructive], action: deny}
    - {name: not all at once, tags: [read_only], when: (args.limit ?? 0) > 100, action: deny}
    - {name: reads, tags: [read_only], action: allow}
tools:
`

// properties are those that schemas are made of.
var properties = []string{
	`id: {type: string, description: "Identifier of the record, as other tools return it", minLength: 1, maxLength: 64}`,
	`query: {type: string, description: Words to look for in titles and texts}`,
	`limit: {type: integer, description: Most records to return, minimum: 1, maximum: 100, default: 20}`,
	`state: {type: string, enum: [open, closed, waiting, archived], description: Only records in this state}`,
	`labels: {type: array, items: {type: string, maxLength: 50}, description: Labels that a record has to carry, maxItems: 20}`,
	`since: {type: string, format: date-time, description: Only what changed after this time}`,
	`exact: {type: boolean, description: "Whether words have to be spelled the same", default: false}`,
	`owner: {type: object, description: Whose records, properties: {team: {type: string}, person: {type: string, pattern: "^[a-z0-9._-]+$"}}, additionalProperties: false}`,
	`amount: {type: number, description: Sum in the currency of the account, exclusiveMinimum: 0}`,
}

var nouns = []string{"customer", "order", "invoice", "ticket", "shipment", "contract", "report", "device", "project", "document"}

// configuration is a file with so many tools. Every file with the same number is
// the same.
func configuration(tools int) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range tools {
		noun := nouns[i%len(nouns)]
		fmt.Fprintf(&b, "  find_%s_%d:\n    title: Find %ss\n", noun, i, noun)
		fmt.Fprintf(&b, "    description: Find the %ss of region %d by their id, their state or words in them, newest first.\n", noun, i)
		b.WriteString("    tags: [read_only, network]\n    parameters:\n      type: object\n      properties:\n")
		for j := range 3 + i%4 {
			b.WriteString("        " + properties[(i+j)%len(properties)] + "\n")
		}
		first, _, _ := strings.Cut(properties[i%len(properties)], ":")
		fmt.Fprintf(&b, "      required: [%s]\n", first)
		b.WriteString(kind(i, first))
	}
	return b.String()
}

// kind is what a tool runs, with its first argument.
func kind(i int, arg string) string {
	switch {
	case i%2 == 0:
		return fmt.Sprintf("    http:\n      upstream: crm\n      path: /regions/%d/records\n      query: {%s: \"${args.%s}\", page: \"1\"}\n      result: body.items\n", i, arg, arg)
	case i%4 == 1:
		return fmt.Sprintf("    command: {argv: [records, --region, \"%d\", --, \"${args.%s}\"]}\n", i, arg)
	}
	return fmt.Sprintf("    expr: '{region: %d, value: args.%s}'\n", i, arg)
}
