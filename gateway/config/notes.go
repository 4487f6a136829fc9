package config

import "strings"

// note is what a type cannot say of a value.
type note struct {
	required   string   // not empty: the key must be there, and this is the hint when it is not
	oneOf      []string // the words a text may be
	example    string   // a value, for the hint where something else than a text stands
	filled     bool     // a text or list must not be empty
	expression bool     // the text is an expression
	private    bool     // the value may be a secret written in the wrong place: never show it
}

var actions = []string{"allow", "ask", "deny"}

// notes are by path; * stands for a name or an index.
var notes = map[string]note{
	"version":       {required: "write version: 1"},
	"secrets":       {private: true},
	"secrets.*":     {private: true},
	"secrets.*.env": {private: true, filled: true}, "secrets.*.file": {private: true, filled: true},
	"server.listen":        {filled: true, example: `"` + DefaultListen + `"`},
	"store.url":            {filled: true},
	"tools.*.tags.*":       {filled: true},
	"tools.*.output":       {oneOf: []string{"auto", "content", "json", "text"}},
	"tools.*.expr":         {filled: true, expression: true},
	"tools.*.http.headers": {private: true},
	"tools.*.http.ok":      {filled: true, expression: true},
	"tools.*.http.result":  {filled: true, expression: true},
	"policy.default":       {oneOf: actions},
	"policy.rules.*.name":  {required: "a rule is known by its name in lists, records and answers", filled: true},
	"policy.rules.*.action": {
		required: "write action: allow, deny or ask", oneOf: actions,
	},
	"policy.rules.*.when":  {filled: true, expression: true},
	"policy.rules.*.tools": {filled: true}, "policy.rules.*.tools.*": {filled: true},
	"policy.rules.*.tags": {filled: true}, "policy.rules.*.tags.*": {filled: true},
	"policy.rules.*.callers": {filled: true}, "policy.rules.*.callers.*": {filled: true},
}

// unbuilt are the keys of the format that this version does not read yet, by
// the path of the map they belong to. A key that gets built moves from here to
// a field of a Config type.
var unbuilt = unbuiltKeys(map[string]string{
	"":         "include upstreams admit sources groups profiles inject hooks chats approvals discovery code_interpreter log",
	"server":   "url token admin_token hosts origins tls instructions callers",
	"defaults": "max_result_size think_augment retries schema log",
	"tools.*": "search_hint core defer output_schema concurrency_safe exclusive max_result_size think_augment retries " +
		"rate_limit requires hints log extra tests python wasm",
	"tools.*.http":      "upstream auth error pages poll",
	"tools.*.http.body": "form multipart text base64",
	"tools.*.command":   "cwd env env_only exit progress",
	"policy":            "data tests",
	"policy.rules.*": "preset groups via show expires wait approve_by approvers remember notify summary rate_limit " +
		"before after",
	"store": "keep",
})

func unbuiltKeys(table map[string]string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for pattern, keys := range table {
		out[pattern] = map[string]bool{}
		for key := range strings.FieldsSeq(keys) {
			out[pattern][key] = true
		}
	}
	return out
}

// kindBlocks are the keys of a tool that say how it runs; a tool has exactly
// one of them. Those that are not built yet count too, so that such a tool is
// not also told that it has none.
var kindBlocks = []string{"http", "command", "expr", "python", "wasm"}
