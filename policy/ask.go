package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"time"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/expression"
	"github.com/toolgate/toolgate/gateway/tool"
)

// Who may answer where a rule asks: the values of approve_by.
const (
	ByDesk   = "desk"   // people with the right to approve, at the gateway; what an absent approve_by means
	ByClient = "client" // the user of the program that calls, in a form of that program
	ByAny    = "any"    // either
)

// How far an answer may be made to reach: the values of remember.
const (
	RememberArgs = "same_args" // the same caller, tool and arguments
	RememberChat = "chat"      // the same caller and tool in the same chat
)

// Limits of what a rule says about asking.
const (
	MaxExpires = 30 * 24 * time.Hour
	MaxWait    = 10 * time.Minute
)

// Terms are how a person is asked about a call.
type Terms struct {
	Expires  time.Duration  // how long the call may wait for an answer; 0 where the rule does not say
	Wait     *time.Duration // how long the caller is kept waiting for it; nil where the rule does not say
	By       string         // who may answer: ByDesk, ByClient or ByAny
	Limited  bool           // the rule has approvers: see [Engine.MayAnswer]
	Remember []string       // how far an answer may be made to reach: RememberArgs, RememberChat
	Print    string         // tells apart what rules say of who may answer; empty for everybody at the desk
	Summary  string         // one line that says what is asked; empty where the rule gives none
}

// Client reports whether the user of the calling program may answer.
func (t *Terms) Client() bool { return !t.Limited && (t.By == ByClient || t.By == ByAny) }

// Desk reports whether people may answer at the gateway.
func (t *Terms) Desk() bool { return t.By != ByClient }

// asking is what a rule that asks has beside others.
type asking struct {
	terms     Terms
	summary   *expression.Template // nil when the rule gives none
	approvers *expression.Program  // nil when everybody may answer who may approve
}

// approverVar is who answers, for the expression approvers.
func approverVar() expression.Var {
	return expression.Var{Name: "approver", Late: true, Type: expression.Object(map[string]expression.Type{
		"id": expression.String, "name": expression.String, "kind": expression.String,
		"groups": expression.Strings, "claims": expression.JSON,
	})}
}

// compileAsking compiles what a rule says about asking, and reports what only a
// rule that asks may say. It gives nil for other rules, and after a mistake.
func compileAsking(at diag.Cursor, cfg *RuleConfig, env *expression.Env) (_ *asking, ok bool) {
	if Effect(cfg.Action) != Ask {
		return nil, onlyAsking(at, cfg)
	}
	a := &asking{terms: Terms{Expires: cfg.Expires, Wait: cfg.Wait, By: cfg.ApproveBy, Limited: cfg.Approvers != nil, Remember: cfg.Remember}}
	if a.terms.By == "" {
		a.terms.By = ByDesk
	}
	a.terms.Print = printOf(a.terms.By, cfg.Approvers)
	ok = a.check(at, cfg)
	if cfg.Summary != "" {
		a.summary = expression.ParseTemplate(at.Key("summary"), cfg.Summary, env)
		ok = ok && a.summary != nil
	}
	if cfg.Approvers != nil {
		a.approvers = expression.Compile(at.Key("approvers"), *cfg.Approvers, env.Declare(approverVar()), expression.WantBool)
		ok = ok && a.approvers != nil
	}
	return a, ok
}

// printOf tells apart who may answer.
func printOf(by string, approvers *string) string {
	if by == ByDesk && approvers == nil {
		return ""
	}
	h := sha256.New()
	_, _ = io.WriteString(h, by)
	if approvers != nil {
		_, _ = io.WriteString(h, "\x00"+*approvers)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// onlyAsking reports keys that a rule has which does not ask.
func onlyAsking(at diag.Cursor, cfg *RuleConfig) bool {
	ok := true
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"expires", cfg.Expires != 0},
		{"wait", cfg.Wait != nil},
		{"approve_by", cfg.ApproveBy != ""},
		{"approvers", cfg.Approvers != nil},
		{"remember", len(cfg.Remember) > 0},
		{"summary", cfg.Summary != ""},
		{"notify", cfg.Notify != nil},
	} {
		if key.given {
			at.Key(key.name).Hintf("remove it", "only a rule that asks has %s, and this one is of action %s", key.name, cfg.Action)
			ok = false
		}
	}
	return ok
}

// check reports what cannot be kept.
func (a *asking) check(at diag.Cursor, cfg *RuleConfig) bool {
	ok := true
	if cfg.Expires < 0 || cfg.Expires > MaxExpires || cfg.Expires == 0 && at.Key("expires").Present() {
		at.Key("expires").Hintf("write 10m for example", "a person has more than no time to answer, and 30 days at most")
		ok = false
	}
	if cfg.Wait != nil && (*cfg.Wait < 0 || *cfg.Wait > MaxWait) {
		at.Key("wait").Hintf("a caller that got no answer calls again and goes on waiting", "a caller is kept waiting for %v at most", MaxWait)
		ok = false
	}
	if a.terms.Limited && a.terms.By != ByDesk {
		at.Key("approve_by").Hintf("remove approvers, or write approve_by: desk", "the user of the calling program is never one of the approvers, so this rule is not answered there")
		ok = false
	}
	return ok
}

// ask is the decision of a rule that asks. A summary that cannot be put into words
// is left out: it decides nothing.
func (a *asking) ask(vars *expression.Vars) *Terms {
	if a.summary == nil {
		return &a.terms
	}
	terms := a.terms
	if text, _, err := a.summary.Text(vars); err == nil {
		terms.Summary = text
	}
	return &terms
}

// Asks reports whether a person may be asked about calls of the tool.
func (e *Engine) Asks(s *tool.Spec) bool { return e != nil && e.about(s).asks }

// AsksClient reports whether the user of the calling program may be asked about
// calls of the tool.
func (e *Engine) AsksClient(s *tool.Spec) bool { return e != nil && e.about(s).asksClient }

// asking reports whether a person, or the user of the calling program, may be
// asked about calls of a tool that these rules reach.
func (e *Engine) asking(s *tool.Spec, rules []*rule) (asks, client bool) {
	asks = slices.ContainsFunc(rules, func(r *rule) bool { return r.effect == Ask }) || e.otherwise(s).Effect == Ask
	client = slices.ContainsFunc(rules, func(r *rule) bool { return r.asking != nil && r.asking.terms.Client() })
	return asks, client
}

// MayAnswer decides about a call again and, where a rule still asks, says whether
// somebody may answer who has the right to approve. The error is why the rule's
// approvers could not be evaluated, and then nobody may.
func (e *Engine) MayAnswer(req *Request, approver tool.Caller) (d Decision, may bool, err error) {
	if e == nil {
		return Decision{Effect: Allow}, true, nil
	}
	values := req.Values()
	values["approver"] = callerValue(approver)
	vars := e.env.Vars(values)
	r, d := e.decide(req, vars)
	if d.Effect != Ask || r == nil || r.asking.approvers == nil {
		return d, d.Effect != Deny, nil
	}
	may, err = r.asking.approvers.Bool(vars)
	return d, may && err == nil, err
}
