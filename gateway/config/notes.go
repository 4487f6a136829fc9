package config

import "strings"

// note is what a type cannot say of a value.
type note struct {
	required   string   // not empty: the key must be there, and this is the hint when it is not
	absent     string   // what is said where a required key is not there; "is missing" when empty
	unless     string   // a key beside it with which a required key may be left out
	oneOf      []string // the words a text may be
	example    string   // a value, for the hint where something else than a text stands
	filled     bool     // a text or list must not be empty; of Texts, the list
	expression bool     // the text is an expression
	literal    bool     // the text is shown as it is and may hold no ${…}
	private    bool     // the value may be a secret written in the wrong place: never show it
}

var actions = []string{"allow", "ask", "deny"}

// webhookURL is the note on the address of a webhook.
var webhookURL = note{required: "write it as https://host or https://host/path", absent: "the webhook has no address"}

// notes are by path; * stands for a name or an index.
var notes = map[string]note{
	"version":       {required: "write version: 1"},
	"include.*":     {filled: true},
	"secrets":       {private: true},
	"secrets.*":     {private: true},
	"secrets.*.env": {private: true, filled: true}, "secrets.*.file": {private: true, filled: true},
	"server.listen":                      {filled: true, example: `"` + DefaultListen + `"`},
	"store.url":                          {filled: true},
	"tools.*.tags.*":                     {filled: true},
	"tools.*.output":                     {oneOf: []string{"auto", "content", "json", "text"}},
	"tools.*.expr":                       {filled: true, expression: true},
	"tools.*.http.url":                   {required: "write it as https://host or https://host/path", absent: "the request has no address", unless: "upstream"},
	"tools.*.command.argv":               {required: "write it as a list: [program, argument, …]", absent: "the command has no program", filled: true},
	"tools.*.http.headers":               {private: true},
	"tools.*.http.upstream":              {filled: true},
	"tools.*.http.ok":                    {filled: true, expression: true},
	"tools.*.http.error":                 {filled: true, expression: true},
	"tools.*.http.result":                {filled: true, expression: true},
	"tools.*.http.pages.next":            {required: "write the expression that gives the next page's address, such as body.next", filled: true, expression: true},
	"tools.*.http.pages.items":           {required: "write the expression that gives the items of a page, such as body.items", filled: true, expression: true},
	"tools.*.http.poll.until":            {required: "write the expression that says when the job is over, such as body.state == \"done\"", filled: true, expression: true},
	"tools.*.http.poll.url":              {filled: true},
	"tools.*.http.body.multipart":        {filled: true},
	"tools.*.http.body.multipart.*.name": {required: "every part has a name", filled: true},
	"tools.*.http.auth":                  {private: true},
	"tools.*.http.auth.oauth2.scopes.*":  {filled: true},
	"tools.*.command.cwd":                {filled: true},
	"tools.*.command.env":                {private: true},
	"tools.*.command.exit.*":             {filled: true, literal: true},
	"tools.*.command.progress":           {oneOf: []string{"json-lines"}},
	"tools.*.exclusive":                  {filled: true},
	"upstreams.*.url":                    {required: "write it as https://host or https://host/path", absent: "the upstream has no address"},
	"upstreams.*.auth":                   {private: true},
	"upstreams.*.headers":                {private: true},
	"upstreams.*.proxy":                  {private: true, filled: true},
	"upstreams.*.tls.ca":                 {filled: true},
	"upstreams.*.tls.cert":               {filled: true},
	"upstreams.*.tls.key":                {filled: true},
	"upstreams.*.tls.server_name":        {filled: true},
	"upstreams.*.auth.oauth2.scopes.*":   {filled: true},
	"policy.default":                     {oneOf: actions},
	"policy.rules.*.name": {
		required: "a rule is known by its name in lists, records and answers", unless: "preset", filled: true,
	},
	"policy.rules.*.action": {oneOf: actions},
	"policy.rules.*.when":   {filled: true, expression: true},
	"policy.rules.*.groups": {filled: true}, "policy.rules.*.groups.*": {filled: true},
	"policy.rules.*.via": {filled: true}, "policy.rules.*.via.*": {oneOf: []string{"batch", "call_tool", "code", "direct"}},
	"policy.rules.*.preset":       {oneOf: []string{"allow_readonly", "ask_destructive", "ask_file_system", "ask_network", "deny_privileged"}},
	"policy.tests.*.name":         {required: "a test is known by its name", filled: true},
	"policy.tests.*.expect":       {oneOf: actions},
	"policy.tests.*.via":          {oneOf: []string{"batch", "call_tool", "code", "direct"}},
	"policy.tests.*.caller.kind":  {oneOf: []string{"cli", "go", "http", "mcp"}},
	"hooks.before.*.name":         {required: "a hook is known by its name in lists and records", filled: true},
	"hooks.before.*.when":         {filled: true, expression: true},
	"hooks.before.*.set.*":        {filled: true, expression: true},
	"hooks.before.*.http.url":     webhookURL,
	"hooks.before.*.refuse":       {filled: true, literal: true},
	"hooks.before.*.on_error":     {oneOf: []string{"deny", "skip"}},
	"hooks.before.*.http.headers": {private: true},
	"hooks.after.*.name":          {required: "a hook is known by its name in lists and records", filled: true},
	"hooks.after.*.when":          {filled: true, expression: true},
	"hooks.after.*.result":        {filled: true, expression: true},
	"hooks.after.*.append":        {filled: true, expression: true},
	"hooks.after.*.http.url":      webhookURL,
	"hooks.after.*.refuse":        {filled: true, literal: true},
	"hooks.after.*.on_error":      {oneOf: []string{"deny", "skip"}},
	"hooks.after.*.http.headers":  {private: true},
	"inject.*.tools":              {required: "name the tools, such as [\"*\"]", filled: true},
	"inject.*.set":                {required: "name the arguments and their expressions"},
	"inject.*.set.*":              {filled: true, expression: true},
	"groups.*.tools":              {required: "name the tools of the group", filled: true},
	"admit.allow.*":               {filled: true}, "admit.deny.*": {filled: true},
	"tools.*.requires.check": {oneOf: []string{"call", "load"}},
	"policy.rules.*.tools":   {filled: true}, "policy.rules.*.tools.*": {filled: true},
	"policy.rules.*.tags": {filled: true}, "policy.rules.*.tags.*": {filled: true},
	"policy.rules.*.callers": {filled: true}, "policy.rules.*.callers.*": {filled: true},
}

// unbuilt are the keys of the format that this version does not read yet, by
// the path of the map they belong to. A key that gets built moves from here to
// a field of a Config type.
var unbuilt = unbuiltKeys(map[string]string{
	"":         "sources profiles chats approvals discovery code_interpreter log",
	"server":   "url token admin_token hosts origins tls instructions callers",
	"defaults": "schema log",
	"tools.*": "search_hint core defer output_schema " +
		"rate_limit log extra tests python wasm",
	"policy.rules.*": "expires wait approve_by approvers remember notify summary rate_limit",
	"store.keep":     "log files",
	"hooks":          "tests",
	"hooks.before.*": "python",
	"hooks.after.*":  "python",
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
