package config

// withSources adds the notes on sources.
func withSources(notes map[string]note) map[string]note {
	for key, n := range sourceNotes {
		notes["sources"+key] = n
	}
	return notes
}

var sourceNotes = map[string]note{
	"":                              {instead: "write {name: {openapi: {spec: ./openapi.yaml}}}"},
	".*":                            {instead: "write {openapi: {spec: ./openapi.yaml}}"},
	".*.prefix":                     {instead: "write a word, or '' for none"},
	".*.tags.*":                     {filled: true},
	".*.include":                    {filled: true, instead: "write a list, such as [{tag: issues}]"},
	".*.include.*":                  {instead: "write {tag: name}, or one of method, name, operation and path"},
	".*.include.*.tag":              {filled: true},
	".*.include.*.operation":        {filled: true},
	".*.include.*.method":           {filled: true, example: "GET"},
	".*.include.*.path":             {filled: true, example: "/repos/**"},
	".*.include.*.name":             {filled: true},
	".*.include.*.set":              {instead: "write {tags: [name]} for example"},
	".*.include.*.set.tags":         {filled: true},
	".*.include.*.set.tags.*":       {filled: true},
	".*.include.*.set.hide":         {instead: "write {argument: value}"},
	".*.tools":                      {instead: "write {name: {description: …}}, with the name that the source has for it"},
	".*.tools.*":                    {instead: "write {name: other_name} for example"},
	".*.tools.*.name":               {filled: true},
	".*.tools.*.description":        {filled: true},
	".*.tools.*.search_hint":        searchHint,
	".*.tools.*.tags.*":             {filled: true},
	".*.tools.*.hide":               {instead: "write {argument: value}"},
	".*.tools.*.defaults":           {instead: "write {argument: value}"},
	".*.tools.*.ok":                 {filled: true, expression: true},
	".*.tools.*.error":              {filled: true, expression: true},
	".*.tools.*.result":             {filled: true, expression: true},
	".*.tools.*.pages.next":         {required: "write the expression that gives the next page's address, such as body.next", filled: true, expression: true},
	".*.tools.*.pages.items":        {required: "write the expression that gives the items of a page, such as body.items", filled: true, expression: true},
	".*.tools.*.poll.until":         {required: "write the expression that says when the job is over, such as body.state == \"done\"", filled: true, expression: true},
	".*.tools.*.poll.url":           {filled: true},
	".*.defaults":                   {instead: "write {timeout: 1m} for example"},
	".*.defaults.max_result_size":   {instead: "write a number of characters, such as 16000"},
	".*.openapi":                    {instead: "write {spec: ./openapi.yaml}"},
	".*.openapi.spec":               {required: "write the path or the address of the document", absent: "names no document", filled: true, path: true, literal: "write the path or the address itself"},
	".*.openapi.base_url":           {filled: true, literal: "write the address itself, or name an upstream, whose url may hold ${…}"},
	".*.openapi.upstream":           {filled: true, instead: "write the name of an entry under upstreams"},
	".*.openapi.server_variables":   {instead: "write {name: value}"},
	".*.openapi.server_variables.*": {literal: "write the value itself"},
	".*.openapi.auth":               {private: true, instead: "write {scheme: \"${secret.name}\"}, with the name that the document has for it"},
	".*.openapi.auth.*":             {instead: writeScheme},
	".*.openapi.auth.*.value":       {filled: true, instead: writeCredential},
	".*.openapi.auth.*.username":    {filled: true},
	".*.openapi.auth.*.client_id":   {filled: true},
	".*.openapi.auth.*.client_secret": {
		filled: true, instead: writeCredential,
	},
	".*.openapi.auth.*.token_url": {filled: true, literal: "write the address itself"},
	".*.openapi.auth.*.scopes":    {instead: "write a list with one scope an item, such as [read, write]"},
	".*.openapi.auth.*.scopes.*":  {filled: true, literal: "write the scope itself"},
}

const writeScheme = "write \"${secret.name}\", {username: …, password: …} or {client_id: …, client_secret: …}"
