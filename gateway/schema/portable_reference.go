package schema

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// reference is the portable form of what a reference of the root document leads
// to. What it leads to elsewhere is not known, and so everything fits.
func (p *porter) reference(target string) piece {
	fragment, own := strings.CutPrefix(target, "#")
	if !own || p.foreign {
		return piece{}
	}
	raw := p.find(fragment)
	if raw == nil {
		return piece{}
	}
	if slices.Contains(p.open, target) {
		members, err := membersOf(raw)
		if err != nil {
			return piece{never: string(raw) == "false"}
		}
		return p.outline(members)
	}
	p.open = append(p.open, target)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	return p.part(raw)
}

// find is the text of the schema at a fragment; nil where it is not certain which
// one that is.
func (p *porter) find(fragment string) json.RawMessage {
	text, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		return nil
	case text == "":
		return p.root
	case text[0] != '/':
		return anchored(p.root, text, true)
	}
	raw, way := p.root, ""
	for _, token := range pointer(text) {
		if way != "" && p.addressed(raw) {
			return nil
		}
		if raw = p.step(way, raw, token); raw == nil {
			return nil
		}
		way += "/" + token
	}
	return raw
}

func (p *porter) addressed(raw json.RawMessage) bool {
	members, err := membersOf(raw)
	return err == nil && hasAddress(members)
}

// step goes one token on. Objects are read once: many references lead through
// the same.
func (p *porter) step(way string, raw json.RawMessage, token string) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return descend(raw, []string{token})
	}
	if p.read[way] == nil {
		members := map[string]json.RawMessage{}
		if json.Unmarshal(raw, &members) != nil {
			return nil
		}
		p.read[way] = members
	}
	return p.read[way][token]
}

// anchored finds the schema that has the name, in the order of the text. Parts
// with an address of their own have names of their own.
func anchored(raw json.RawMessage, name string, top bool) json.RawMessage {
	var items []json.RawMessage
	members, err := membersOf(raw)
	switch {
	case err == nil && !top && hasAddress(members):
		return nil
	case err == nil && (members.text("$anchor") == name || members.text("$dynamicAnchor") == name || members.text("$id") == "#"+name || members.text("id") == "#"+name):
		return raw
	case err != nil && json.Unmarshal(raw, &items) != nil:
		return nil
	}
	for _, m := range members {
		items = append(items, m.value)
	}
	for _, item := range items {
		if found := anchored(item, name, false); found != nil {
			return found
		}
	}
	return nil
}
