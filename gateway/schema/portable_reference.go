package schema

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
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
		return p.cut(target, raw)
	}
	if !p.mayCopy(len(raw)) {
		return piece{}
	}
	p.open = append(p.open, target)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	return p.part(raw)
}

// cut is what stands where a reference leads back into itself.
func (p *porter) cut(target string, raw json.RawMessage) piece {
	out, known := p.cuts[target]
	if !known {
		members, err := membersOf(raw)
		if out = p.outline(members); err != nil {
			out = piece{never: string(raw) == "false"}
		}
		p.cuts[target] = out
	}
	size := 0
	for _, m := range out.orderedObject {
		size += len(m.value)
	}
	if !p.mayCopy(size) {
		return piece{}
	}
	return out
}

// mayCopy reports whether a reference may still be replaced by so many bytes, and
// takes them.
func (p *porter) mayCopy(bytes int) bool {
	if bytes > p.copies {
		return false
	}
	p.copies -= bytes
	return true
}

// find is the text of the schema at a fragment; nil where it is not certain which
// one that is.
func (p *porter) find(fragment string) json.RawMessage {
	text, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		return nil
	case text == "":
		return p.root.raw
	case text[0] != '/':
		return p.anchored(text)
	}
	at := p.root
	for _, token := range pointer(text) {
		if at != p.root && at.addressed() {
			return nil
		}
		if at = at.step(token); at == nil {
			return nil
		}
	}
	return at.raw
}

// place is a value on the way of references. It is read once: many references
// lead through the same.
type place struct {
	raw     json.RawMessage
	members map[string]json.RawMessage // of an object
	items   []json.RawMessage          // of a list
	inside  map[string]*place          // those that were asked for; nil until it is read
}

func (at *place) read() {
	if at.inside != nil {
		return
	}
	at.inside = map[string]*place{}
	if json.Unmarshal(at.raw, &at.members) != nil {
		_ = json.Unmarshal(at.raw, &at.items) // none where it is no list
	}
}

// addressed reports whether references inside are relative to something else.
func (at *place) addressed() bool {
	at.read()
	return hasAddress(orderedObject{{"$id", at.members["$id"]}, {"id", at.members["id"]}})
}

// step goes one token on; nil where nothing is.
func (at *place) step(token string) *place {
	at.read()
	if next := at.inside[token]; next != nil {
		return next
	}
	raw := at.members[token]
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(at.items) {
		raw = at.items[i]
	}
	if raw == nil {
		return nil
	}
	next := &place{raw: raw}
	at.inside[token] = next
	return next
}

// anchored finds the schema that has the name, the first in the order of the text.
func (p *porter) anchored(name string) json.RawMessage {
	if p.anchors == nil {
		p.anchors = map[string]json.RawMessage{}
		p.collect(p.root.raw, true)
	}
	return p.anchors[name]
}

// collect notes the names of schemas. Parts with an address of their own have
// names of their own.
func (p *porter) collect(raw json.RawMessage, top bool) {
	var items []json.RawMessage
	members, err := membersOf(raw)
	switch {
	case err == nil && !top && hasAddress(members):
		return
	case err == nil:
		p.note(members, raw)
	case json.Unmarshal(raw, &items) != nil:
		return
	}
	for _, m := range members {
		items = append(items, m.value)
	}
	for _, item := range items {
		p.collect(item, false)
	}
}

func (p *porter) note(members orderedObject, raw json.RawMessage) {
	names := []string{members.text("$anchor"), members.text("$dynamicAnchor")}
	for _, keyword := range []string{"$id", "id"} {
		if name, ok := strings.CutPrefix(members.text(keyword), "#"); ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if p.anchors[name] == nil {
			p.anchors[name] = raw
		}
	}
}
