package openapi

// Config is the "openapi" block of a source: which document, where its requests
// go, and what they show to be let in.
type Config struct {
	// Spec is where the document is: the absolute path of a file, or an http or
	// https address without a user.
	Spec string `koanf:"spec"`
	// BaseURL is the literal http or https address that the paths of all
	// operations are appended to, in place of the servers that the document names.
	BaseURL string `koanf:"base_url"`
	// Upstream names an entry of "upstreams", whose address takes the place of the
	// document's servers; BaseURL is empty then.
	Upstream string `koanf:"upstream"`
	// ServerVariables are literal values for the variables of the document's
	// servers, by name; a variable that is not among them has its default.
	ServerVariables map[string]string `koanf:"server_variables"`
	// Auth are credentials by the name of the security scheme in the document.
	Auth map[string]Auth `koanf:"auth"`
}

// Auth is a credential for one security scheme: a value, a user, or a client that
// gets tokens (RFC 6749 section 4.4). A configuration may write the value alone,
// without a map around it. Its texts but TokenURL and Scopes are templates over
// "secret".
type Auth struct {
	Value        string   `koanf:"value"`         // the API key, or the token of a scheme that takes one
	Username     string   `koanf:"username"`      // of HTTP's Basic scheme (RFC 7617)
	Password     string   `koanf:"password"`      // goes with Username; may be empty
	ClientID     string   `koanf:"client_id"`     // goes with ClientSecret
	ClientSecret string   `koanf:"client_secret"` // goes with ClientID
	TokenURL     string   `koanf:"token_url"`     // literal address of the token endpoint; the document's when empty
	Scopes       []string `koanf:"scopes"`        // literal; those that the operations ask for when absent
}
