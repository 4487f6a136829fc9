package assembly

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgate/toolgate/gateway/diag"
	"github.com/toolgate/toolgate/gateway/httptool"
	"github.com/toolgate/toolgate/openapi"
	"github.com/toolgate/toolgate/openapi/spec"
)

const (
	// manyTools is how many tools of one source may be in every prompt before that
	// is worth a warning.
	manyTools = 128
	// maxNamed is how many of many are named.
	maxNamed = 3
)

// adviseSources warns of what sources leave out, and of what their tools will lack.
func (b *builder) adviseSources(registered []*candidate) {
	for _, s := range b.imported {
		if s.document == nil {
			continue
		}
		var mine []*candidate
		for _, c := range registered {
			if c.source == s {
				mine = append(mine, c)
			}
		}
		s.adviseDocument()
		s.adviseLeftOut()
		s.adviseLacks(mine)
		s.adviseAuth()
		s.adviseRecipients(b.client, mine)
		if len(mine) == 0 && b.admission.all {
			s.at.As(diag.EmptySource).Warnf("correct include, or remove the source", "no tool comes of this source")
		}
		b.crowded = s.adviseMany(mine, b.unseen) || b.crowded
	}
}

// adviseDocument warns of a document that is not as it should be.
func (s *imported) adviseDocument() {
	at := s.at.Key("openapi").Key("spec")
	if s.document.Stale != "" {
		at.As(diag.StaleDocument).Warnf("", "a copy that was kept is used: %s", s.document.Stale)
	}
	if n := len(s.document.Warnings); n > 0 {
		at.As(diag.DocumentFlaws).Warnf(s.preview(), "the document has %s, which were repaired or passed over", counted(n, "flaw"))
	}
}

func (s *imported) preview() string {
	if s.document.Base != "" { // which may have a query, with a token in it
		return "gateway openapi preview --source " + s.name + " shows all"
	}
	return "gateway openapi preview " + s.config.OpenAPI.Spec + " shows all"
}

// adviseLeftOut warns of operations that cannot become tools.
func (s *imported) adviseLeftOut() {
	var names []string
	for _, f := range s.document.Skipped {
		names = append(names, f.Operation+" ("+f.Text+")")
	}
	at := s.at.Key("openapi").Key("spec")
	if len(names) > 0 {
		at.As(diag.LeftOutOperation).Warnf(s.preview(), "%s cannot become tools: %s", counted(len(names), "operation"), few(names))
	}
	names = nil
	for _, op := range s.homeless {
		names = append(names, op.Method+" "+op.Path)
	}
	if len(names) > 0 {
		at.As(diag.LeftOutOperation).Warnf("add base_url", "%s are left out, as the document does not say where they are: %s", counted(len(names), "operation"), few(names))
	}
}

// adviseLacks warns of tools that will be called without what lets them in.
func (s *imported) adviseLacks(mine []*candidate) {
	lacks, first, all := map[string]int{}, map[string]string{}, 0
	for _, c := range mine {
		missing := s.service.Lacks(c.op)
		if len(missing) == 0 {
			continue
		}
		var ways []string
		for _, way := range missing {
			ways = append(ways, strings.Join(way, " and "))
		}
		text := strings.Join(slices.Compact(ways), " or ")
		all++
		lacks[text]++
		first[text] = missing[0][0]
	}
	if all == 0 {
		return
	}
	ways := slices.SortedFunc(maps.Keys(lacks), func(a, b string) int {
		return cmp.Or(cmp.Compare(lacks[b], lacks[a]), cmp.Compare(a, b))
	})
	s.at.Key("openapi").Key("auth").As(diag.MissingCredentials).Warnf(s.authHint(first[ways[0]]), "the service will refuse the calls of %s of this source, which need credentials that are not configured: %s",
		counted(all, "tool"), few(ways))
}

// authHint says what to write for a scheme.
func (s *imported) authHint(name string) string {
	scheme, declared := s.document.Schemes[name]
	switch {
	case !declared:
		return "the document does not declare it: " + s.document.UpstreamHint(s.name)
	case scheme.Kind == spec.SchemeBasic:
		return fmt.Sprintf("write auth: {%s: {username: …, password: \"${secret.name}\"}}", yamlKey(name))
	}
	return fmt.Sprintf("write auth: {%s: \"${secret.name}\"}", yamlKey(name))
}

var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// yamlKey writes a name as a key of a map of YAML.
func yamlKey(name string) string {
	if plainKey.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// adviseAuth warns of credentials that nothing asks for, and of those that go where
// somebody else says.
func (s *imported) adviseAuth() {
	block := s.config.OpenAPI
	at := s.at.Key("openapi")
	if len(block.Auth) > 0 && s.document.Base != "" && block.BaseURL == "" && block.Upstream == "" {
		at.Key("auth").As(diag.CredentialsElsewhere).Warnf("set base_url", "the document came from an address and itself says where these credentials go")
	}
	used, secured := map[string]bool{}, false
	for _, op := range s.document.Operations {
		for _, alternative := range op.Security {
			secured = true
			for _, use := range alternative {
				used[use.Scheme] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(block.Auth)) {
		if secured && !used[name] {
			at.Key("auth").Key(name).As(diag.UnusedCredentials).Warnf(cmp.Or(diag.DidYouMean(name, slices.Sorted(maps.Keys(used))), "remove it"), "no operation of the document asks for %s", name)
		}
	}
}

// adviseRecipients warns of origins that no request can reach, and of credentials
// that go where nobody would look for them.
func (s *imported) adviseRecipients(client *httptool.Client, mine []*candidate) {
	if len(mine) == 0 {
		return // perhaps because the block is wrong
	}
	operations := make([]*spec.Operation, len(mine))
	for i, c := range mine {
		operations[i] = c.op
	}
	at := s.at.Key("openapi")
	place := at.Key("spec")
	if s.config.OpenAPI.BaseURL != "" {
		place = at.Key("base_url")
	}
	var further, readable []string
	for _, r := range s.service.Recipients(operations) {
		if s.config.OpenAPI.Upstream == "" {
			s.adviseRefusal(place, client, r, len(mine))
		}
		if r.Credentials == 0 {
			continue
		}
		text := fmt.Sprintf("%s (%s)", r.Origin, counted(r.Credentials, "tool"))
		if !r.Own {
			further = append(further, text)
		}
		if r.Plain() {
			readable = append(readable, text)
		}
	}
	if len(further) > 0 {
		at.Key("auth").As(diag.CredentialsElsewhere).Warnf("set base_url if they should not", "credentials also go to other servers, which the document names for operations: %s", few(further))
	}
	if len(readable) > 0 {
		at.Key("auth").As(diag.PlainHTTP).Warnf("use https, which base_url can say", "credentials are sent over plain http, where others can read them on the way: %s", few(readable))
	}
}

func (s *imported) adviseRefusal(at diag.Cursor, client *httptool.Client, r openapi.Recipient, all int) {
	switch why := client.Refusal(r.Origin); {
	case why == "":
	case r.Operations == all:
		at.As(diag.RefusedAddress).Warnf("", "every call will be refused: %s", why)
	default:
		at.As(diag.RefusedAddress).Warnf("", "every call of %s of this source will be refused: %s", counted(r.Operations, "tool"), why)
	}
}

// adviseMany warns of a source whose tools fill the prompt, those that somebody sees, and
// reports whether it does.
func (s *imported) adviseMany(mine []*candidate, unseen map[string]bool) bool {
	size, core := 0, 0
	for _, c := range mine {
		if p := c.entry.Spec; !p.ByGroup && !p.Deferred && !unseen[p.Name] {
			core++
			size += len(p.Name) + len(p.Description) + len(p.Parameters)
		}
	}
	if core > manyTools {
		s.at.As(diag.TooManyTools).Warnf("choose some with include, such as [{tag: issues}], or write defer: true, so that models search for them",
			"%d tools of this source are in every prompt, which takes about %d tokens", core, size/BytesPerToken)
	}
	return core > manyTools
}

// few joins the first of several texts.
func few(texts []string) string {
	if len(texts) <= maxNamed {
		return strings.Join(texts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(texts[:maxNamed], "; "), len(texts)-maxNamed)
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
