package config

const (
	besideBlock  = "write it at the tool, beside its kind, or at the upstream"
	underHTTP    = "write it inside http: {…}"
	underCommand = "write it inside command: {…}"
	atUpstream   = "write it at an entry under upstreams, which the tool then names"
	atTool       = "write it at each tool"
	asBody       = "write body: {…} around it"
	underOpenAPI = "write it inside openapi: {…}"
	underDefault = "write it inside defaults: {…}"
	atSource     = "write it at the source, beside openapi"
)

// strayed are keys that people write in a map they do not belong to, by the path
// of that map, and what to write.
var strayed = map[string]map[string]string{
	"tools.*": {
		"url": underHTTP, "upstream": underHTTP, "path": underHTTP, "method": underHTTP, "query": underHTTP, "headers": underHTTP,
		"body": underHTTP, "auth": underHTTP, "ok": underHTTP, "error": underHTTP, "result": underHTTP, "pages": underHTTP, "poll": underHTTP,
		"argv": underCommand, "stdin": underCommand, "cwd": underCommand, "env": underCommand, "env_only": underCommand,
		"exit": underCommand, "progress": underCommand, "retry": "did you mean retries?",
	},
	"tools.*.http": {
		"timeout": besideBlock, "retries": besideBlock, "max_output": atTool, "max_result_size": atTool,
		"tls": atUpstream, "proxy": atUpstream, "networks": atUpstream, "breaker": atUpstream,
		"json": asBody, "form": asBody, "multipart": asBody, "text": asBody, "base64": asBody, "data": "did you mean body?",
		"params": "did you mean query?", "paging": "did you mean pages?", "base_url": "did you mean url?",
	},
	"tools.*.http.poll":  {"timeout": "did you mean for?", "interval": "did you mean every?"},
	"tools.*.http.pages": {"max": "did you mean most?", "limit": "did you mean most?"},
	"tools.*.command": {
		"timeout": "write it at the tool, beside command", "max_output": atTool, "retries": "write it at the tool, beside command",
		"cmd": "did you mean argv?", "command": "did you mean argv?", "args": "write program and arguments in one list: argv: [program, argument, …]",
		"dir": "did you mean cwd?", "workdir": "did you mean cwd?", "working_dir": "did you mean cwd?", "environment": "did you mean env?",
		"shell": "no shell is involved; where one is needed, write argv: [sh, -c, '…']",
	},
	"sources.*": {
		"spec": underOpenAPI, "base_url": underOpenAPI, "upstream": underOpenAPI, "server_variables": underOpenAPI, "auth": underOpenAPI,
		"url": "write openapi: {spec: …}", "exclude": "write include: [{…, exclude: true}]",
		"timeout": underDefault, "max_output": underDefault, "max_result_size": underDefault, "retries": underDefault, "think_augment": underDefault,
	},
	"sources.*.include.*": {
		"tags": "did you mean tag? what the tools get goes inside set: {tags: […]}", "hide": "write it inside set: {…}",
		"operationId": "did you mean operation?", "operation_id": "did you mean operation?", "tool": "did you mean name?",
	},
	"sources.*.openapi": {
		"url": "did you mean spec, or base_url?", "file": "did you mean spec?", "path": "did you mean spec?", "server": "did you mean base_url?",
		"prefix": atSource, "include": atSource, "tools": atSource, "tags": atSource, "defaults": atSource,
		"headers": "write them at an entry under upstreams, and name that with upstream",
	},
	"sources.*.openapi.auth.*": {
		"token": "write the token alone, in place of the map", "bearer": "write the token alone, in place of the map", "user": "did you mean username?",
	},
	"upstreams.*": {
		"base_url": "did you mean url?", "address": "did you mean url?", "retry": "did you mean retries?", "max_retries": "did you mean retries?",
		"path": "write it inside the http block of the tools", "method": "write it inside the http block of the tools",
		"query": "write it inside the http block of the tools", "ca": "write tls: {ca: …}", "cert": "write tls: {cert: …, key: …}",
		"bearer": "write auth: {bearer: …}", "basic": "write auth: {basic: …}", "oauth2": "write auth: {oauth2: …}", "token": "write auth: {bearer: …}",
	},
	"upstreams.*.auth":       {"token": "did you mean bearer?", "oauth": "did you mean oauth2?"},
	"tools.*.http.auth":      {"token": "did you mean bearer?", "oauth": "did you mean oauth2?"},
	"upstreams.*.auth.basic": {"user": "did you mean username?", "pass": "did you mean password?"},
	"tools.*.http.auth.basic": {
		"user": "did you mean username?", "pass": "did you mean password?",
	},
	"upstreams.*.breaker": {"threshold": "did you mean failures?", "timeout": "did you mean pause?"},
	"upstreams.*.networks": {
		"deny": "nothing private is reached unless it is allowed",
	},
	"networks": {"deny": "nothing private is reached unless it is allowed"},
	"defaults": {
		"concurrency_safe": atTool, "exclusive": atTool, "output": atTool, "retry": "did you mean retries?",
		"keep": "write store: {keep: {results: 24h}}",
	},
	"chats": {
		"ttl": "did you mean idle?", "expires": "did you mean idle?", "limit": "did you mean most_per_caller?", "most": "did you mean most_per_caller?",
	},
	"chats.files": {
		"max": "did you mean most?", "limit": "did you mean most?", "max_size": "did you mean size?", "quota": "did you mean total?",
		"keep": "write store: {keep: {files: 30d}}", "media_types": "did you mean types?", "extensions": "did you mean types?",
	},
	"server": {
		"host": "write it in listen, as host:port", "port": "write it in listen, as host:port", "address": "did you mean listen?",
		"auth": "write token: \"${secret.name}\"", "tokens": "write token, or an entry under callers for each", "bearer": "did you mean token?",
		"users": "did you mean callers?", "clients": "did you mean callers?", "allowed_hosts": "did you mean hosts?",
		"allowed_origins": "did you mean origins?", "cors": "write origins: [\"https://app.example.com\"]",
	},
	"server.callers.*": {
		"name": "the key of the entry is the name", "rights": "did you mean may?", "roles": "write what it may do under may, and what rules ask about under groups",
		"secret": "did you mean token?", "bearer": "did you mean token?",
	},
	"store": {"results": "write keep: {results: 24h}"},
	"log": {
		"arguments": "that is about the record of calls: write defaults: {log: {arguments: …}}, or log: {arguments: …} at a tool",
		"results":   "that is about the record of calls: write defaults: {log: {results: …}}, or log: {results: …} at a tool",
	},
}
