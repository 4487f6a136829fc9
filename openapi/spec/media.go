package spec

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Media types that are written in ways of their own.
const (
	MediaJSON      = "application/json"
	MediaForm      = "application/x-www-form-urlencoded"
	MediaMultipart = "multipart/form-data"
)

// Essence is a media type in lower case without its parameters.
func Essence(media string) string {
	kind, _, _ := strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// IsJSON reports a media type of JSON (RFC 8259, RFC 6839).
func IsJSON(media string) bool {
	m := Essence(media)
	return m == MediaJSON || m == "text/json" || strings.HasSuffix(m, "+json")
}

func isMultipart(media string) bool { return strings.HasPrefix(Essence(media), "multipart/") }

func isWritten(media string) bool {
	m := Essence(media)
	return strings.HasPrefix(m, "text/") || strings.HasSuffix(m, "xml") || strings.HasSuffix(m, "yaml") ||
		m == "application/x-ndjson" || m == "application/jsonl" || m == "application/json-seq" || m == "application/graphql" || m == "application/javascript" || m == "application/sql"
}

func isWild(media string) bool { return strings.Contains(media, "*") }

// choose picks the media type that is sent of several: the first that is JSON
// itself, then another of JSON's, a form, any that the document puts first. Of
// JSON's two ways to write a change the merge patch (RFC 7396) goes first unless
// the schema is a list, as JSON Patch (RFC 6902) needs it.
func (r *reader) choose(media []string, schema func(i int) spot) int {
	best, rank := 0, 100
	for i, m := range media {
		if own := r.rank(m, schema(i)); own < rank {
			best, rank = i, own
		}
	}
	return best
}

func (r *reader) rank(media string, schema spot) int {
	switch e := Essence(media); {
	case e == MediaJSON:
		return 0
	case e == "application/json-patch+json" && !r.isList(schema):
		return 4
	case e == "application/merge-patch+json":
		return 2
	case IsJSON(media):
		return 3
	case e == MediaForm:
		return 5
	case isMultipart(media):
		return 6
	case isWild(media):
		return 7
	case isWritten(media):
		return 8
	}
	return 9
}

func (r *reader) isList(schema spot) bool {
	s, err := r.resolve(schema)
	return err == nil && (s.text("type") == "array" || s.get("items").node != nil)
}

// kindOf is how a body of a media type is written.
func (r *reader) kindOf(media string, schema spot) string {
	switch e := Essence(media); {
	case IsJSON(media):
		return BodyJSON
	case e == MediaForm:
		return BodyForm
	case isMultipart(media):
		return BodyMultipart
	case isWritten(media):
		return BodyText
	case isWild(media):
		return r.wildKind(e, schema)
	}
	return BodyBinary
}

// wildKind is what a body of any type is best sent as: bytes where the schema says
// so, JSON else.
func (r *reader) wildKind(media string, schema spot) string {
	switch {
	case r.in.Binary(schema.file, schema.node), strings.HasPrefix(media, "image/"), strings.HasPrefix(media, "audio/"), strings.HasPrefix(media, "video/"):
		return BodyBinary
	}
	return BodyJSON
}

// concrete is the media type that is sent for one that may hold a *.
func concrete(media, kind string) string {
	if !isWild(media) {
		return media
	}
	switch kind {
	case BodyJSON:
		return MediaJSON
	case BodyText:
		return "text/plain"
	case BodyMultipart:
		return MediaMultipart
	}
	return "application/octet-stream"
}

// answers reads what successful answers are.
func (r *reader) answers(op *Operation, at spot) {
	produces := at.texts("produces")
	if at.node.Get("produces") == nil {
		produces = r.root.texts("produces")
	}
	var shapes []json.RawMessage
	for _, code := range successes(at.get("responses")) {
		found, err := r.resolve(code.spot)
		if err != nil {
			r.warn(code.spot, unresolved(code.spot, "", err).code, "the answer %s cannot be read: %v", code.name, err)
			continue
		}
		var schema spot
		if r.isOld() {
			if schema = found.get("schema"); schema.node != nil {
				op.accept(produces...)
			}
			if !anyJSON(produces) && len(produces) > 0 {
				schema = spot{}
			}
		} else {
			schema = r.content(op, found)
		}
		if schema.node != nil && code.name != "default" {
			shapes = append(shapes, r.out.Schema(schema.file, schema.node))
		}
	}
	op.Output = oneOf(shapes)
	if r.isOld() && len(op.Accept) == 0 {
		op.accept(produces...)
	}
}

// oneOf is the schema of what has one of several: statuses may differ in what is
// answered. It is nil for none.
func oneOf(schemas []json.RawMessage) json.RawMessage {
	var all []json.RawMessage
	for _, s := range schemas {
		if !slices.ContainsFunc(all, func(o json.RawMessage) bool { return bytes.Equal(o, s) }) {
			all = append(all, s)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	text := []byte(`{"anyOf":[`)
	for i, s := range all {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, s...)
	}
	return append(text, "]}"...)
}

// content notes the media types of an answer and gives the schema of its JSON: of
// several of JSON's types that of JSON itself, which is asked for first.
func (r *reader) content(op *Operation, answer spot) (schema spot) {
	itself := false
	for _, m := range answer.get("content").members() {
		op.accept(m.name)
		entry, err := r.resolve(m.spot)
		if err != nil || !IsJSON(m.name) || itself {
			continue
		}
		if itself = Essence(m.name) == MediaJSON; itself || schema.node == nil {
			schema = entry.get("schema")
		}
	}
	return schema
}

// accept adds media types, each once.
func (op *Operation) accept(media ...string) {
	for _, m := range media {
		if m = strings.TrimSpace(m); m != "" && !contains(op.Accept, m) && !strings.ContainsAny(m, "\r\n") {
			op.Accept = append(op.Accept, strings.Clone(m))
		}
	}
}

func anyJSON(media []string) bool {
	for _, m := range media {
		if IsJSON(m) {
			return true
		}
	}
	return false
}

// successes are the answers that are one, or the default where the document names
// none.
func successes(responses spot) []named {
	var all, fallback []named
	for _, code := range responses.members() {
		switch {
		case strings.HasPrefix(code.name, "2"):
			all = append(all, code)
		case code.name == "default":
			fallback = append(fallback, code)
		}
	}
	if len(all) == 0 {
		return fallback
	}
	return all
}

// WithoutParameter is a media type without its parameters of a name, which is in
// lower case.
func WithoutParameter(media, name string) string {
	parts := partsOf(media)
	kept := slices.DeleteFunc(parts[1:], func(part string) bool {
		own, _, _ := strings.Cut(part, "=")
		return strings.EqualFold(strings.TrimSpace(own), name)
	})
	if len(kept) == len(parts)-1 {
		return media
	}
	return strings.Join(append(parts[:1], kept...), ";")
}

// parameterOf is the value of a parameter of a media type, without quotes; "" for
// none.
func parameterOf(media, name string) string {
	for _, part := range partsOf(media)[1:] {
		if own, value, _ := strings.Cut(part, "="); strings.EqualFold(strings.TrimSpace(own), name) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

// partsOf splits a media type at the semicolons that are not between quotes (RFC
// 9110 section 5.6.6). There is always one.
func partsOf(media string) []string {
	var parts []string
	start, within := 0, false
	for at := 0; at < len(media); at++ {
		switch c := media[at]; {
		case c == '\\' && within:
			at++
		case c == '"':
			within = !within
		case c == ';' && !within:
			parts = append(parts, media[start:at])
			start = at + 1
		}
	}
	return append(parts, media[start:])
}

// sent is the media type under which a body of a kind is sent. Texts are sent in
// UTF-8, whatever the document asks for: what a model writes has characters that
// other codings have not.
func (r *reader) sent(at spot, media, kind string) string {
	media = concrete(media, kind)
	if kind == BodyMultipart {
		return WithoutParameter(media, "boundary")
	}
	charset := parameterOf(media, "charset")
	if kind == BodyBinary || charset == "" || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8") {
		return media
	}
	r.warn(at, "charset", "the body is sent in UTF-8 and says so, not in %s, as %s has it", charset, media)
	media = WithoutParameter(media, "charset")
	if kind == BodyText {
		media += "; charset=utf-8"
	}
	return media
}
