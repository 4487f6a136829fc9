package access

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/secret"
	"github.com/toolgate/toolgate/gateway/tool"
)

// writeSecret is what to write in place of a token that stands in the file.
const writeSecret = "declare it under secrets, such as {gateway: {env: GATEWAY_TOKEN}}, and write ${secret.gateway}"

// Plan is a checked configuration whose secrets are not read yet.
type Plan struct {
	env     *expression.Env
	entries []entry
	hosts   []host
	origins []origin
}

// entry is one caller and where the token is written.
type entry struct {
	at     diag.Cursor
	text   string // as it is written
	token  *expression.Template
	caller tool.Caller
}

// Compile checks what the "server" section, at which the cursor stands, says
// about who is let in, and reports every mistake there. The names are those of
// the declared secrets. No value is read.
func Compile(at diag.Cursor, cfg Config, secrets []string) *Plan {
	p := &Plan{env: expression.NewEnv(expression.Secrets(secrets))}
	p.add(at.Key("token"), cfg.Token, tool.Caller{ID: ClientName, Name: ClientName, May: []tool.Right{tool.MayCall}})
	p.add(at.Key("admin_token"), cfg.AdminToken, tool.Caller{ID: AdminName, Name: AdminName, May: []tool.Right{tool.MayAdmin}})
	if len(cfg.Callers) > MaxCallers {
		at.Key("callers").Hintf("remove some", "there are %d callers, and at most %d can be told apart", len(cfg.Callers), MaxCallers)
		return p
	}
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Callers)) {
		where := at.Key("callers").Key(name)
		if !checkName(where, name, seen) {
			continue
		}
		c := cfg.Callers[name]
		p.add(where.Key("token"), c.Token, tool.Caller{ID: name, Name: name, Groups: c.Groups, Claims: claims(where.Key("claims"), c.Claims), May: rights(c.May)})
	}
	p.hosts = compileHosts(at.Key("hosts"), cfg.Hosts)
	p.origins = compileOrigins(at.Key("origins"), cfg.Origins)
	return p
}

func checkName(at diag.Cursor, name string, seen map[string]string) bool {
	switch {
	case !callerName.MatchString(name):
		at.Hintf("letters, digits, _ and - only, no digit or - at the start, at most 64 characters", "this cannot be the name of a caller")
		return false
	case slices.Contains(OwnNames(), tool.FoldName(name)):
		at.Hintf("rename it, to my_"+name+" for example", "this is the name of a caller of the gateway itself")
		return false
	}
	if first, ok := seen[tool.FoldName(name)]; ok {
		at.Hintf("rename one of them", "this name differs from %s only in -, _ or case, and rules would be misread", first)
		return false
	}
	seen[tool.FoldName(name)] = name
	return true
}

func rights(may []tool.Right) []tool.Right {
	if len(may) == 0 {
		return []tool.Right{tool.MayCall}
	}
	return may
}

// claims reads the claims as rules see JSON.
func claims(at diag.Cursor, raw map[string]json.RawMessage) map[string]any {
	if len(raw) == 0 {
		return nil
	}
	out := make(map[string]any, len(raw))
	for name, text := range raw {
		v, err := schema.Decode(text)
		if err != nil {
			at.Key(name).Errorf("%v", err)
			continue
		}
		out[name] = v
	}
	return out
}

// add takes in the token at a key, if there is one.
func (p *Plan) add(at diag.Cursor, text string, caller tool.Caller) {
	if text == "" {
		return
	}
	t := expression.ParseTemplate(at, text, p.env)
	switch {
	case t == nil:
		return
	case !t.Exact() || !t.Reads("secret"):
		what := "the token stands in the file itself, where others can read it"
		if strings.Contains(text, "${") {
			what = "a token is exactly one ${secret.name}"
		}
		at.Hintf(writeSecret, "%s", what)
		return
	}
	for _, e := range p.entries {
		if e.text == text {
			reportTwin(at, e)
			return
		}
	}
	p.entries = append(p.entries, entry{at: at, text: text, token: t, caller: caller})
}

func reportTwin(at diag.Cursor, other entry) {
	at.Hintf("give each caller a token of its own", "this is the token of %s too, and one token cannot tell two callers apart", other.at.Path())
}

// Resolve reads the tokens out of the values of the secrets and makes the book
// of them. It reports every token that cannot be one and then returns nil.
func (p *Plan) Resolve(secrets map[string]secret.Value) *Book {
	b := &Book{hosts: p.hosts, origins: p.origins}
	vars := p.env.Vars(map[string]any{"secret": secret.RevealAll(secrets)})
	var known []entry // whose digests are in the book
	ok := true
	for _, e := range p.entries {
		text, _, err := e.token.Text(vars)
		if err == nil {
			err = checkToken(text)
		}
		if err != nil {
			e.at.Errorf("%v", err)
			ok = false
			continue
		}
		sum := digest(text)
		if twin := slices.Index(b.digests, sum); twin >= 0 {
			reportTwin(e.at, known[twin])
			ok = false
		}
		b.digests, b.callers, known = append(b.digests, sum), append(b.callers, e.caller), append(known, e)
	}
	if !ok {
		return nil
	}
	return b
}

// checkToken reports a token that could be guessed, or not be sent. It says
// nothing of what the token is.
func checkToken(text string) error {
	switch {
	case len(text) < MinToken:
		return fmt.Errorf("the token has fewer than %d characters and could be guessed", MinToken)
	case len(text) > MaxToken:
		return fmt.Errorf("the token has more than %d characters, more than a header can carry", MaxToken)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("the token holds spaces, line breaks or characters that are not ASCII, which no header can carry")
	}
	return nil
}
