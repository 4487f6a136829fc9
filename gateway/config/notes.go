package config

import (
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
)

// note is what a type cannot say of a value.
type note struct {
	required   string   // not empty: the key must be there, and this is the hint when it is not
	absent     string   // what is said where a required key is not there; "is missing" when empty
	unless     string   // a key beside it with which a required key may be left out
	oneOf      []string // the words a text may be
	example    string   // a value, for the hint where something else than a text stands
	instead    string   // what to write where a value of another kind stands; goes before example
	none       bool     // the duration may be 0
	filled     bool     // a text or list must not be empty; of Texts, the list
	expression bool     // the text is an expression
	literal    string   // not empty: the text may hold no ${…}, and this is the hint where it does
	path       bool     // the text is the path of a file, and not what that holds
	private    bool     // the value may be a secret written in the wrong place: never show it
}

// limitedBy are the ways of counting calls against a limit.
var limitedBy = []string{string(tool.LimitByCaller), string(tool.LimitByChat), string(tool.LimitByTool)}

var actions = []string{"allow", "ask", "deny"}

// What may be recorded of arguments and results.
var (
	loggedArguments = []string{string(tool.LogArgumentsDigest), string(tool.LogArgumentsFull), string(tool.LogArgumentsMasked), string(tool.LogArgumentsNone)}
	loggedResults   = []string{string(tool.LogResultsFull), string(tool.LogResultsNone), string(tool.LogResultsPreview)}
)

// webhookURL is the note on the address of a webhook.
var webhookURL = note{required: writeURL, absent: "the webhook has no address"}

// Notes on webhooks that are told of calls that wait: an address may be a credential.
var (
	notifyURL    = note{required: writeURL, absent: "the webhook has no address", private: true, filled: true}
	notifySecret = note{private: true, filled: true, instead: writeCredential}
)

// searchHint is the note on further words that a tool is found by.
var searchHint = note{filled: true, instead: "write words that somebody would search with, as one text"}

// Notes on the limits of tools and of rules.
var (
	limitCalls = note{required: "write how many calls are let through, such as calls: 10"}
	limitPer   = note{required: "write in which time, such as per: 1m", example: "1m"}
)

// Hints of several notes.
const (
	writeSentence   = "write the sentence without ${…}"
	writeRefusal    = writeSentence + "; the reason of a policy rule may hold it"
	writePath       = "write the path itself"
	writeURL        = "write it as https://host or https://host/path"
	writeCredential = "write ${secret.name}, with the name of an entry under secrets"
	writeLogged     = "write {arguments: masked, results: none} for example"
	writeLimit      = "write {calls: 10, per: 1m, by: caller} for example"
	writeWebhook    = "write {url: https://host/path, secret: \"${secret.name}\"} for example"
	writeGolden     = "write a list, such as [{query: open an issue, expect: create_issue}]"
	writeNetworks   = "write {allow: [10.20.0.0/16]} for example"
)

// notes are by path; * stands for a name or an index.
var notes = withTests(withSources(withAuth(map[string]note{
	"version":       {required: "write version: 1"},
	"include.*":     {filled: true},
	"tools":         {instead: "write {name: {description: …, and how it runs}}"},
	"secrets":       {private: true, instead: "write {name: {env: NAME}}"},
	"secrets.*":     {private: true},
	"secrets.*.env": {private: true, filled: true}, "secrets.*.file": {private: true, filled: true},
	"approvals":                          {instead: "write {expires: 30m} for example"},
	"approvals.expires":                  {example: "30m"},
	"approvals.webhook":                  {instead: writeWebhook},
	"approvals.webhook.url":              notifyURL,
	"approvals.webhook.secret":           notifySecret,
	"chats.idle":                         {example: "7d"},
	"chats.most_per_caller":              {instead: "write a number, such as 1000"},
	"code_interpreter":                   {instead: "write {enabled: true} for example"},
	"code_interpreter.timeout":           {example: "30s"},
	"code_interpreter.workers":           {instead: "write a number, such as 2"},
	"code_interpreter.queue":             {instead: "write a number of programs, such as 64"},
	"code_interpreter.packages":          {filled: true, instead: "write a list, such as [./wheels/attrs-25.3.0-py3-none-any.whl, ./helpers]"},
	"code_interpreter.packages.*":        {filled: true, path: true, literal: writePath},
	"code_interpreter.runtime":           {filled: true, path: true, literal: writePath},
	"chats.files":                        {instead: "write {most: 100, size: 10MiB, total: 100MiB} for example"},
	"chats.files.most":                   {instead: "write a number, such as 100"},
	"chats.files.types":                  {filled: true, instead: "write a list, such as [\"text/*\", .csv]"},
	"chats.files.types.*":                {filled: true},
	"discovery":                          {instead: "write {limit: 5, budget: 12000} for example"},
	"discovery.limit":                    {instead: "write a number of tools, such as 5"},
	"discovery.budget":                   {instead: "write a number of characters, such as 12000"},
	"discovery.call_tools":               {oneOf: []string{CallToolsByRisk, CallToolsOne}},
	"discovery.golden":                   {instead: writeGolden},
	"discovery.golden.*":                 {instead: "write {query: open an issue, expect: create_issue}"},
	"discovery.golden.*.query":           {required: "write what somebody would search for", absent: "the search has no query", filled: true},
	"discovery.golden.*.expect":          {required: "name the tool that has to be found, or several", absent: "the search expects nothing", filled: true},
	"tools.*.search_hint":                searchHint,
	"server.listen":                      {filled: true, example: `"` + DefaultListen + `"`},
	"server.token":                       {private: true, filled: true, instead: writeCredential},
	"server.admin_token":                 {private: true, filled: true, instead: writeCredential},
	"server.callers":                     {instead: "write {name: {token: \"${secret.name}\"}}"},
	"server.callers.*":                   {private: true, instead: "write {token: \"${secret.name}\"}"},
	"server.callers.*.token":             {required: writeCredential, absent: "the caller has no token to be known by", private: true, filled: true, instead: writeCredential},
	"server.callers.*.groups.*":          {filled: true},
	"server.callers.*.claims":            {instead: "write {name: value}"},
	"server.callers.*.may":               {filled: true, instead: "write a list, such as [call, approve]"},
	"server.callers.*.may.*":             {oneOf: []string{"activate", "admin", "approve", "call"}},
	"server.hosts":                       {filled: true, instead: "write a list, such as [tools.example.com]"},
	"server.hosts.*":                     {filled: true},
	"server.origins":                     {filled: true, instead: "write a list, such as [\"https://app.example.com\"]"},
	"server.origins.*":                   {filled: true},
	"server.instructions":                {filled: true, literal: writeSentence},
	"store.url":                          {filled: true},
	"store.keep":                         {instead: "write {results: 24h} for example"},
	"store.keep.results":                 {example: "24h"},
	"store.keep.files":                   {example: "30d"},
	"store.keep.log":                     {instead: "write {age: 30d, size: 1GiB} for example"},
	"store.keep.log.age":                 {example: "30d"},
	"defaults.log":                       {instead: writeLogged},
	"defaults.log.arguments":             {oneOf: loggedArguments},
	"defaults.log.results":               {oneOf: loggedResults},
	"tools.*.log":                        {instead: writeLogged},
	"tools.*.log.arguments":              {oneOf: loggedArguments},
	"tools.*.log.results":                {oneOf: loggedResults},
	"log":                                {instead: "write {level: info, format: json} for example"},
	"log.level":                          {oneOf: []string{"debug", "error", "info", "warn"}},
	"log.format":                         {oneOf: []string{"json", "text"}},
	"networks":                           {instead: writeNetworks},
	"defaults.max_result_size":           {instead: "write a number of characters, such as 16000"},
	"tools.*.max_result_size":            {instead: "write a number of characters, such as 16000"},
	"tools.*.tags.*":                     {filled: true},
	"tools.*.output":                     {oneOf: []string{"auto", "content", "json", "text"}},
	"tools.*.expr":                       {filled: true, expression: true},
	"tools.*.http.url":                   {required: writeURL + ", or name an upstream", absent: "the request has no address", unless: "upstream"},
	"tools.*.command.argv":               {required: "write it as a list: [program, argument, …]", absent: "the command has no program", filled: true},
	"tools.*.http.headers":               {private: true},
	"tools.*.http.upstream":              {filled: true, instead: "write the name of an entry under upstreams"},
	"tools.*.http.query":                 {instead: `write {name: value}, such as {q: "${args.q}"}`},
	"tools.*.http.ok":                    {filled: true, expression: true},
	"tools.*.http.error":                 {filled: true, expression: true},
	"tools.*.http.result":                {filled: true, expression: true},
	"tools.*.http.pages.next":            {required: "write the expression that gives the next page's address, such as body.next", filled: true, expression: true},
	"tools.*.http.pages.items":           {required: "write the expression that gives the items of a page, such as body.items", filled: true, expression: true},
	"tools.*.http.poll.until":            {required: "write the expression that says when the job is over, such as body.state == \"done\"", filled: true, expression: true},
	"tools.*.http.poll.url":              {filled: true},
	"tools.*.http.body":                  {instead: "write {json: …}, or one of base64, form, multipart and text"},
	"tools.*.http.body.multipart":        {filled: true, instead: `write a list of parts, such as [{name: file, base64: "${args.file}"}]`},
	"tools.*.http.body.multipart.*.name": {required: "every part has a name", filled: true},
	"tools.*.command.cwd":                {filled: true},
	"tools.*.command.env":                {private: true},
	"tools.*.command":                    {instead: "write {argv: [program, argument, …]}"},
	"tools.*.command.exit":               {instead: "write {1: what that status means} for example"},
	"tools.*.command.exit.*":             {filled: true, literal: writeSentence},
	"tools.*.command.progress":           {oneOf: []string{"json-lines"}},
	"tools.*.exclusive":                  {filled: true, literal: "write a fixed word: all tools with the same one wait for each other"},
	"tools.*.rate_limit":                 {instead: writeLimit},
	"tools.*.rate_limit.calls":           limitCalls, "tools.*.rate_limit.per": limitPer, "tools.*.rate_limit.by": {oneOf: limitedBy},
	"upstreams":                   {instead: "write {name: {url: https://host}}"},
	"upstreams.*":                 {instead: "write {url: https://host}"},
	"upstreams.*.url":             {required: writeURL, absent: "the upstream has no address", filled: true},
	"upstreams.*.headers":         {private: true},
	"upstreams.*.proxy":           {private: true, filled: true},
	"upstreams.*.networks":        {instead: writeNetworks},
	"upstreams.*.breaker":         {instead: "write {failures: 0} to turn it off, or {failures: 5, pause: 10s}"},
	"upstreams.*.tls.ca":          {filled: true, path: true, literal: writePath},
	"upstreams.*.tls.cert":        {filled: true, path: true, literal: writePath},
	"upstreams.*.tls.key":         {filled: true, path: true, literal: writePath, private: true},
	"upstreams.*.tls.server_name": {filled: true},
	"policy.default":              {oneOf: actions},
	"policy.rules.*.name": {
		required: "a rule is known by its name in lists, records and answers", unless: "preset", filled: true,
	},
	"policy.rules.*.action": {oneOf: actions},
	"policy.rules.*.when":   {filled: true, expression: true},
	"policy.rules.*.groups": {filled: true}, "policy.rules.*.groups.*": {filled: true},
	"policy.rules.*.via": {filled: true}, "policy.rules.*.via.*": {oneOf: []string{"batch", "call_tool", "code", "direct"}},
	"policy.rules.*.preset":           {oneOf: []string{"allow_readonly", "ask_destructive", "ask_file_system", "ask_network", "deny_privileged"}},
	"policy.rules.*.rate_limit":       {instead: writeLimit},
	"policy.rules.*.rate_limit.calls": limitCalls, "policy.rules.*.rate_limit.per": limitPer, "policy.rules.*.rate_limit.by": {oneOf: limitedBy},
	"policy.rules.*.expires":    {example: "10m"},
	"policy.rules.*.wait":       {example: "45s", none: true},
	"policy.rules.*.approve_by": {oneOf: []string{"any", "client", "desk"}},
	"policy.rules.*.approvers":  {filled: true, expression: true},
	"policy.rules.*.remember":   {filled: true, instead: "write a list, such as [same_args]"},
	"policy.rules.*.remember.*": {oneOf: []string{"chat", "same_args"}},
	"policy.rules.*.summary":    {filled: true},
	"policy.rules.*.notify":     {instead: writeWebhook},
	"policy.rules.*.notify.url": notifyURL, "policy.rules.*.notify.secret": notifySecret,
	"policy.tests.*.name":         {required: "a test is known by its name", filled: true},
	"policy.tests.*.expect":       {oneOf: actions},
	"policy.tests.*.via":          {oneOf: []string{"batch", "call_tool", "code", "direct"}},
	"policy.tests.*.caller.kind":  {oneOf: []string{"cli", "go", "http", "mcp"}},
	"hooks.before.*.name":         {required: "a hook is known by its name in lists and records", filled: true},
	"hooks.before.*.when":         {filled: true, expression: true},
	"hooks.before.*.set.*":        {filled: true, expression: true},
	"hooks.before.*.http.url":     webhookURL,
	"hooks.before.*.refuse":       {filled: true, literal: writeRefusal},
	"hooks.before.*.on_error":     {oneOf: []string{"deny", "skip"}},
	"hooks.before.*.http.headers": {private: true},
	"hooks.after.*.name":          {required: "a hook is known by its name in lists and records", filled: true},
	"hooks.after.*.when":          {filled: true, expression: true},
	"hooks.after.*.result":        {filled: true, expression: true},
	"hooks.after.*.append":        {filled: true, expression: true},
	"hooks.after.*.http.url":      webhookURL,
	"hooks.after.*.refuse":        {filled: true, literal: writeRefusal},
	"hooks.after.*.on_error":      {oneOf: []string{"deny", "skip"}},
	"hooks.after.*.http.headers":  {private: true},
	"inject.*.tools":              {required: "name the tools, such as [\"*\"]", filled: true},
	"inject.*.set":                {required: "name the arguments and their expressions"},
	"inject.*.set.*":              {filled: true, expression: true},
	"groups.*.tools":              {required: "name the tools of the group", filled: true},
	"profiles":                    {instead: "write {name: {tools: [\"find_*\"]}}"},
	"profiles.*.tools":            {filled: true}, "profiles.*.tools.*": {filled: true},
	"profiles.*.tags": {filled: true}, "profiles.*.tags.*": {filled: true},
	"profiles.*.groups": {filled: true}, "profiles.*.groups.*": {filled: true},
	"admit.allow.*": {filled: true}, "admit.deny.*": {filled: true},
	"tools.*.requires.check": {oneOf: []string{"call", "load", "watch"}},
	"policy.rules.*.tools":   {filled: true}, "policy.rules.*.tools.*": {filled: true},
	"policy.rules.*.tags": {filled: true}, "policy.rules.*.tags.*": {filled: true},
	"policy.rules.*.callers": {filled: true}, "policy.rules.*.callers.*": {filled: true},
})))

// unbuilt are the keys of the format that this version does not read yet, by
// the path of the map they belong to. A key that gets built moves from here to
// a field of a Config type.
var unbuilt = unbuiltKeys(map[string]string{
	"code_interpreter": "paused",
	"server":           "url tls",
	"defaults":         "schema",
	"tools.*":          "output_schema extra python wasm",
	"sources.*":        "trust schemas locked mcp",
	"log":              "mask",
	"hooks.before.*":   "python",
	"hooks.after.*":    "python",
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
