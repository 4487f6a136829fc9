package wire

import (
	"strings"

	"github.com/toolgate/toolgate/openapi/spec"
)

// queryOf is the query that the parameters make, in their order, behind what the
// path has of a query itself. What that gives is the document's to say, so no
// parameter of the same name is sent.
func queryOf(op *spec.Operation, args map[string]any, before string) (string, error) {
	var all []pair
	fixed, owners := namesOf(before), claimsOf(op, spec.InQuery, &strict)
	for _, name := range fixed {
		owners[name] = ""
	}
	for p := range parameters(op, spec.InQuery) {
		if isFixed(fixed, p) {
			continue
		}
		some, err := queryPairs(p, args[p.Arg])
		if err == nil {
			err = owners.take(p.Arg, some)
		}
		if err != nil {
			return "", named(p.Arg, err)
		}
		all = append(all, some...)
	}
	query := join(before, joined(all, "&"))
	for p := range parameters(op, spec.InQueryString) {
		whole, err := queryString(p, args[p.Arg])
		for _, name := range namesOf(whole) {
			if err == nil {
				err = owners.one(p.Arg, name)
			}
		}
		if err != nil {
			return "", named(p.Arg, err)
		}
		query = join(query, whole)
	}
	return query, nil
}

func queryPairs(p *spec.Parameter, arg any) ([]pair, error) {
	if p.Media != "" {
		text, present, err := content(p.Media, arg)
		if err != nil || !present {
			return nil, err
		}
		return []pair{{strict.text(p.Name), strict.text(text)}}, nil
	}
	s := style{arg: p.Arg, name: p.Style, explode: p.Explode, names: strict, values: strict, listed: p.Order, limit: maxAddress}
	if p.AllowReserved {
		s.values = reservedQuery
	}
	return s.pairs(p.Name, arg)
}

// queryString is a query as a whole (OpenAPI 3.2 Parameter Locations): an object is a
// form or JSON, as its media type says. A text of a form or a text type is a query
// already, of which only what cannot stand in one is encoded; that of any other
// type is encoded whole, as the specification's example of a JSONPath is.
func queryString(p *spec.Parameter, arg any) (string, error) {
	media := spec.Essence(p.Media)
	text, isText := arg.(string)
	switch {
	case isText && (media == "" || media == spec.MediaForm || strings.HasPrefix(media, "text/")):
		return literalQuery.text(strings.TrimPrefix(text, "?")), nil
	case media == "":
		media = spec.MediaForm
	}
	text, _, err := content(media, arg)
	if _, isObject := arg.(map[string]any); isObject && media == spec.MediaForm {
		return text, err
	}
	return strict.text(text), err
}

// joined writes pairs one behind the other.
func joined(pairs []pair, separator string) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(p.name)
		b.WriteByte('=')
		b.WriteString(p.text)
	}
	return b.String()
}
