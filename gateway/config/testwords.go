package config

import "maps"

// requestWords say what the keys of a request in a test are for.
var requestWords = map[string]string{
	"":                           "What the tool has to ask. What is absent is not compared.",
	".method":                    "Method of the request.",
	".url":                       "Whole address of the request, with its query.",
	".path":                      "Path of the request, from the host on and without its query; in place of url.",
	".query":                     "Values of the query, by name. Only those that are named are compared; [] for one that is not sent.",
	".headers":                   "Values of headers, by name. Only those that are named are compared; [] for one that is not sent. A secret is ${secret.NAME}.",
	".body":                      "Body of the request: exactly one of json, form, text and multipart.",
	".body.json":                 "The value that the body is.",
	".body.form":                 "All values of a form, by name.",
	".body.text":                 "The text that the body is.",
	".body.multipart":            "All parts, in their order.",
	".body.multipart.*":          "One part. What is absent is not compared, but for its name.",
	".body.multipart.*.name":     "Name of the part.",
	".body.multipart.*.filename": "Name of the file.",
	".body.multipart.*.type":     "Media type of the part.",
	".body.multipart.*.text":     "Content of the part.",
	".argv":                      "Program and arguments of a command.",
	".stdin":                     "What a command is given to read.",
	".cwd":                       "Folder that a command runs in. A relative one belongs to the folder of the first file.",
	".env":                       "Variables of a command, by name. Only those that are named are compared.",
}

// answerWords say what the keys of an answer in a test are for.
var answerWords = map[string]string{
	"":             "What is answered: nobody is asked while tests run.",
	".status":      "Status of the answer, 200 to 599. 200 when absent.",
	".headers":     "Headers of the answer, by name. Content-Type is told by the body when absent.",
	".body":        "Body of the answer: a text as it is, any other value as JSON.",
	".unreachable": "Nobody answers.",
	".stdout":      "What the program writes to standard output.",
	".stderr":      "What the program writes to standard error.",
	".exit":        "Exit status of the program. 0 when absent.",
	".file":        "File with the body, or with what is written to standard output. A relative path starts at the folder of this file.",
}

// callWords say what the keys of the call in a test are for.
var callWords = map[string]string{
	".name":          "Name of the test.",
	".args":          "Arguments of the call, as a model sends them. None when absent.",
	".caller":        "Who calls.",
	".caller.id":     "Identity of the caller.",
	".caller.name":   "Name of the caller.",
	".caller.kind":   "The door by which the caller came in.",
	".caller.groups": "Groups that the caller belongs to.",
	".caller.claims": "Further facts about the caller.",
	".chat":          "The chat that the call belongs to.",
	".chat.id":       "Name of the chat.",
	".chat.groups":   "Groups of tools that are active in the chat.",
	".chat.context":  "Fields that the client or the server set on the chat.",
}

// outcomeWords say what the keys of an outcome in a test are for.
var outcomeWords = map[string]string{
	".result":        "The value that comes out, or the text.",
	".content":       "The content blocks that come out, in the form of the Model Context Protocol.",
	".error":         "How the call fails: an error_type, or type and message.",
	".error.type":    "The error_type.",
	".error.message": "A text that stands in what the model reads; * stands for any text.",
}

// withTestWords adds what the keys of tests are for.
func withTestWords(out map[string]string) map[string]string {
	add := func(prefix string, words map[string]string) {
		for key, text := range words {
			out[prefix+key] = text
		}
	}
	for _, list := range testLists {
		test := list + ".*"
		out[list] = "Tests of the tool, which gateway test runs; hooks and rules take no part in them."
		out[test] = "A test: what the tool is called with, what it then asks, how that is answered, and what comes out."
		out[test+".exchanges"] = "Several requests or processes, in this order; in place of request and answer."
		out[test+".exchanges.*"] = "A request or process, and how it is answered."
		for _, words := range []map[string]string{callWords, outcomeWords} {
			add(test, words)
		}
		for _, at := range []string{test, test + ".exchanges.*"} {
			add(at+".request", requestWords)
			add(at+".answer", answerWords)
		}
	}
	const test = "hooks.tests.*"
	maps.Copy(out, map[string]string{
		"hooks.tests":           "Tests of the hooks, which gateway test runs; the tool is not run, and no rule is asked.",
		test:                    "A test: a call, and what the hooks do about it.",
		test + ".call":          "Name of the tool that is called.",
		test + ".via":           "How the call is made. direct when absent.",
		test + ".webhooks":      "What is answered to hooks that ask a service, by the names of the hooks.",
		test + ".given":         "How the tool is taken to have answered: exactly one of result, content and error.",
		test + ".expect":        "What comes out: args, refuse, result, content or error.",
		test + ".expect.args":   "All arguments, as the hooks leave them for the tool.",
		test + ".expect.refuse": "A text that stands in the refusal; * stands for any text.",
	})
	add(test, callWords)
	add(test+".webhooks.*", answerWords)
	add(test+".given", outcomeWords)
	add(test+".expect", outcomeWords)
	return out
}
