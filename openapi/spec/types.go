// Package spec reads what an OpenAPI document of any version says into one
// form: operations whose references are resolved, and schemas in JSON Schema.
package spec

import "encoding/json"

// Document is what one OpenAPI document says. It is plain data, so that it can be
// kept in a cache: lists and maps of it that are empty are nil.
type Document struct {
	OpenAPI     string // the version as it is written: 2.0, 3.0.3, 3.1.0
	Title       string
	Version     string // of the API
	Description string
	Servers     []Server // of the document; never empty
	Schemes     map[string]Scheme
	Tags        []Tag        // in the order declared
	Operations  []*Operation // in the order of the document
	// Inputs are the schemas that schemas of arguments refer to with "#/$defs/KEY",
	// by KEY, and Outputs those of answers. A definition may refer to others of its
	// own map, and to itself.
	Inputs, Outputs map[string]json.RawMessage
	Skipped         []Finding // operations that are left out
	Warnings        []Finding
}

// Tag is a group of operations that the document declares.
type Tag struct{ Name, Description string }

// Finding is something about a place of a document.
type Finding struct {
	Operation string // METHOD and path, as "GET /pets"; empty when it is about none
	Place     string // file:line:column
	Code      string // a stable name of the kind of finding, such as dangling-reference
	Text      string
}

// Server is an address that operations are under (OpenAPI 3.1 section 4.8.5).
type Server struct {
	URL       string // may be relative to the document's address, and hold {variables}
	Variables map[string]Variable
}

// Variable stands for a part of a server's address.
type Variable struct {
	Default string
	Enum    []string // the values it may take; any when empty
}

// Kinds of [Scheme].
const (
	SchemeAPIKey = "apiKey" // In and Name say where the key goes
	SchemeBasic  = "basic"
	SchemeBearer = "bearer" // also of openIdConnect
	SchemeOAuth2 = "oauth2"
	SchemeMutual = "mutualTLS"
	SchemeOther  = "other" // one of HTTP's that is not known
)

// Scheme is a way to be let in (OpenAPI 3.1 section 4.8.27).
type Scheme struct {
	Kind     string
	In       string // of an API key: header, query or cookie
	Name     string // of an API key
	TokenURL string // of the client credentials flow; empty when the scheme has none
	Scopes   []string
}

// Use is a scheme that an operation asks for, with the scopes it needs.
type Use struct {
	Scheme string
	Scopes []string
}

// Operation is one operation of the document.
type Operation struct {
	ID          string // its operationId; empty when it has none
	Method      string // upper case
	Path        string // template, as the document has it
	Summary     string
	Description string
	Tags        []string
	Deprecated  bool
	Place       string   // file:line:column
	Servers     []Server // its own or of its path; those of the document when empty
	// Security are the alternatives, of each of which all schemes are needed; an
	// empty alternative asks for nothing, and so does no alternative at all.
	Security   [][]Use
	Parameters []Parameter     // path's and own, merged; none that OpenAPI says to ignore
	Body       *Body           // nil for none
	Accept     []string        // media types of the successful answers, in order, each once
	Output     json.RawMessage // schema of the successful JSON answer, with references into Outputs; nil for none
	Shown      json.RawMessage // what models are shown of the arguments; set by package openapi
}

// Places of parameters.
const (
	InPath        = "path"
	InQuery       = "query"
	InHeader      = "header"
	InCookie      = "cookie"
	InQueryString = "querystring" // the query as a whole (OpenAPI 3.2)
)

// Styles of parameters (OpenAPI 3.1 section 4.8.12.2; tabDelimited is Swagger
// 2.0's tsv, cookie OpenAPI 3.2's).
const (
	StyleMatrix     = "matrix"
	StyleLabel      = "label"
	StyleSimple     = "simple"
	StyleForm       = "form"
	StyleSpace      = "spaceDelimited"
	StylePipe       = "pipeDelimited"
	StyleTab        = "tabDelimited"
	StyleDeepObject = "deepObject"
	StyleCookie     = "cookie"
)

// Parameter is a parameter of an operation.
type Parameter struct {
	Name          string
	In            string // one of the places
	Arg           string // name of the argument that gives its value; set by package argument
	Description   string
	Required      bool
	Deprecated    bool
	Style         string // one of the styles, never empty unless Media is set
	Explode       bool
	AllowReserved bool
	Media         string          // of "content": the value is written in this media type; empty when Style says how
	Schema        json.RawMessage // never nil; with references into Inputs
	Order         []string        // names of the properties that the document lists of an object, in its order; set by package argument
}

// Kinds of [Body].
const (
	BodyJSON      = "json"      // any JSON type
	BodyForm      = "form"      // application/x-www-form-urlencoded
	BodyMultipart = "multipart" // multipart/form-data and its kin
	BodyText      = "text"      // text and XML types: the argument is the text
	BodyBinary    = "binary"    // any other type: the argument is base64
)

// Body is the body of a request in the one media type that was chosen.
type Body struct {
	Kind        string
	Media       string // as it is sent, without the boundary of a multipart type
	Description string
	Required    bool
	Schema      json.RawMessage     // never nil; with references into Inputs
	Encodings   map[string]Encoding // how properties are written in a form or multipart body, by property; absent ones by the defaults
	// What package argument sets: Arg is the argument that is the body as a whole,
	// and where it is empty Fields are the arguments that make it, in order, and
	// Open says that further arguments belong to it too.
	Arg    string
	Fields []Field
	Open   bool
}

// Field is a property of a body that is an argument of its own.
type Field struct{ Name, Arg string }

// Encoding is how a property of a form or multipart body is written (OpenAPI 3.1
// section 4.8.15).
type Encoding struct {
	Media         string // content type; empty for the default of the value's type
	Style         string // empty when the document names none of style, explode and allowReserved
	Explode       bool
	AllowReserved bool
	Binary        bool // the value is base64 and its bytes are sent (of a list, each item's)
}
