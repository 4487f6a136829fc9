// Package tool holds the words that every other package of the gateway speaks:
// what a tool is ([Spec]), what asks for it ([Call], [Caller]), what runs it
// ([Runner]), what comes back ([Output], [Result]) and how it fails ([Error]).
// And it is where Go programs make tools of their own. It knows no kind of tool,
// no protocol and no configuration file.
//
// # Tools of a Go program
//
// A tool is a function with a name and a description. What a model may send is a
// struct, what it reads is whatever the function returns:
//
//	type SearchIn struct {
//		Query string `json:"query" jsonschema:"words to look for" minLength:"1"`
//		Sort  string `json:"sort" jsonschema:"what comes first" enum:"date,price" default:"date"`
//		Limit int    `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
//	}
//
//	search := tool.Func("search_orders", "Finds orders by words in them.",
//		func(ctx context.Context, in SearchIn) ([]Order, error) {
//			return shop.Search(ctx, in.Query, in.Sort, in.Limit)
//		},
//		tool.Tags(tool.TagReadOnly), tool.MaxTime(5*time.Second))
//
// The tool is handed to a gateway with the others of the program. [Methods] makes a tool
// of each method of a value, and [Raw] one of a function and a schema that is there
// already. What is wrong with a tool, such as a default that is no value of its field, is
// in its Err and is told, with all else, by whatever the tool is handed to; nothing
// panics.
//
// # Arguments
//
// The arguments are the fields that encoding/json decodes into, by the names that it has
// for them, in the order in which they are declared; fields of embedded structs are among
// them. An argument is required unless its json tag has omitempty or omitzero, its
// type is a pointer, or it has a default. No others can be sent: a model that misspells
// one is told. By the time the function runs, the gateway has filled in defaults, repaired
// what can be ("5" for 5) and checked the rest; what does not fit costs the model one
// more attempt and the function nothing.
//
//	Go                                  JSON Schema
//	string                              string
//	bool                                boolean
//	int, int64, uint, uint64            integer, from 0 if unsigned; every digit is kept
//	int8 to int32, uint8 to uint32      integer, within their bounds
//	float32, float64                    number
//	json.Number, big.Int                number, integer
//	[]T, [N]T                           array, of N items
//	[]byte                              string, in base64
//	map[string]T                        object of any keys; of integers or texts by TextUnmarshaler too
//	struct                              object
//	*T                                  T, or null in a field
//	time.Time                           string of the format date-time
//	time.Duration                       integer of nanoseconds (seconds in an int are better known to models)
//	a type with UnmarshalText           string
//	any, json.RawMessage, a type with UnmarshalJSON   any value
//
// A type that holds itself, such as a tree, is written once under "$defs". Functions,
// channels, complex numbers and interfaces with methods cannot be arguments.
//
// Further struct tags say what a value has to be. They are checked against the type and
// against each other. Values are written as they are where they are texts, and as JSON
// otherwise.
//
//	jsonschema:"what it is"    the description, and nothing else
//	enum:"a,b"                 the values it can have
//	default:"5"                what it is when it is left out
//	example:"5"                a value as an example
//	minimum, maximum           bounds of a number
//	minLength, maxLength       bounds of a text's length, in characters
//	pattern:"^[a-z]+$"         a regular expression that a text holds a match of
//	format:"email"             a format of JSON Schema: email, uri, uuid, date, …
//	minItems, maxItems         bounds of a list's length
//
// On a list or a map, those about numbers and texts, and enum, are about its elements.
//
// # Answers
//
// What the function returns becomes the answer by its type: a text is shown as it is,
// bytes are text, an image, a sound or a file by what they hold, a [Content], a list of
// them or an [Output] is taken as it is; a nil pointer and an empty struct are an empty
// answer. Everything else is JSON: text for the model, and structured for programs. [Text],
// [Image], [Audio], [Resource], [Link] make content, [JSON], [Noop] and [Join] whole
// answers.
//
// # Errors
//
// A model reads the text of an error that is an [Error] and of no other: what databases
// and clients say is full of addresses and keys. So say what a model can use, and leave
// the cause to the log:
//
//	return nil, tool.Failf("no order has the number %d", n)
//	return nil, tool.Errorf(tool.UpstreamUnavailable, "the shop does not answer").Because(err).WithHint("Try again in a minute.")
//
// Of any other error, and of a panic, the model learns that there was an internal one, and
// the log has the text. The error that a context ends with can be returned as it is.
//
// # The call
//
// The context ends when the tool's time is up and when the caller gives up; a function
// that waits for anything passes it on, for nothing else can end it. [CallFrom] has who
// called and in which chat, and [Progress] tells the caller how far the function has come.
package tool
