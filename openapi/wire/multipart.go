package wire

import (
	"bytes"
	"crypto/rand"
	"mime/multipart"
	"net/textproto"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/openapi/spec"
)

// part is one part of a multipart body.
type part struct {
	name  string
	file  string // its file name; empty for none
	media string // empty for none, which is text
	data  []byte
}

// multipartOf writes properties as parts in their order, and gives the media type
// with the line that is between them (RFC 2046 section 5.1.1).
func multipartOf(members []property, fields []spec.Field, encodings map[string]spec.Encoding, media string) (data []byte, sent string, err error) {
	var parts []part
	owners := fieldClaims(fields, quoted).claimAll(members, quoted)
	for _, m := range members {
		some, err := partsOf(m, encodings[m.name])
		for i := range some {
			if err == nil {
				err = owners.one(m.arg, quoted(some[i].name))
			}
		}
		if err != nil {
			return nil, "", named(m.arg, err)
		}
		parts = append(parts, some...)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary(parts)); err != nil {
		return nil, "", tool.AsError(err)
	}
	for i := range parts {
		to, err := w.CreatePart(parts[i].header())
		if err == nil {
			_, err = to.Write(parts[i].data)
		}
		if err != nil {
			return nil, "", tool.AsError(err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", tool.AsError(err)
	}
	return b.Bytes(), spec.WithoutParameter(media, "boundary") + "; boundary=" + w.Boundary(), nil
}

// partsOf are the parts of a property: one, or one per item of a list (Media Type
// Object, Special Considerations for multipart Content).
func partsOf(m property, encoding spec.Encoding) ([]part, error) {
	if encoding.Style != "" && !encoding.Binary {
		return styledParts(m, encoding)
	}
	items, isList := m.value.([]any)
	if !isList {
		items = []any{m.value}
	}
	var out []part
	for _, item := range items {
		if item == nil {
			continue
		}
		p, err := partOf(m, item, encoding)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// styledParts writes the pairs of a style as parts, where nothing is
// percent-encoded (OpenAPI 3.2 Encoding Object, Fixed Fields for RFC6570-style Serialization).
func styledParts(m property, encoding spec.Encoding) ([]part, error) {
	s := style{arg: m.arg, name: encoding.Style, explode: encoding.Explode, names: verbatim, values: verbatim, raw: true, limit: maxBody}
	pairs, err := s.pairs(m.name, m.value)
	out := make([]part, len(pairs))
	for i, p := range pairs {
		out[i] = part{name: p.name, data: []byte(p.text)}
	}
	return out, err
}

// partOf is the part of one value. Bytes have a file name, because there are
// servers that tell files from fields by it.
func partOf(m property, value any, encoding spec.Encoding) (part, error) {
	p := part{name: m.name, media: concrete(encoding.Media)}
	if encoding.Binary {
		if p.media == "" {
			p.media = mediaBinary
		}
		data, err := decode(m.arg, value)
		p.data, p.file = data, m.name+extension(p.media)
		return p, err
	}
	switch value.(type) {
	case []any, map[string]any:
		if p.media == "" {
			p.media = spec.MediaJSON
		}
	}
	text, _, err := content(p.media, value)
	p.data = []byte(text)
	return p, err
}

// concrete is the first of a list of media types that has no wildcard; empty for
// none.
func concrete(types string) string {
	for media := range strings.SplitSeq(types, ",") {
		if media = strings.TrimSpace(media); !strings.Contains(media, "*") && isHeaderValue(media) && media != "" {
			return media
		}
	}
	return ""
}

// extension is what names of files of a media type end with. It does not depend
// on the machine, as that of package mime does.
func extension(media string) string {
	known := map[string]string{
		"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
		"audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/ogg": ".ogg", "video/mp4": ".mp4", "video/webm": ".webm",
		"application/pdf": ".pdf", "application/zip": ".zip", "application/gzip": ".gz", "application/xml": ".xml",
		"application/yaml": ".yaml", "application/jsonl": ".jsonl",
		"text/plain": ".txt", "text/csv": ".csv", "text/html": ".html", "text/markdown": ".md", "text/xml": ".xml",
	}
	if ending, ok := known[spec.Essence(media)]; ok {
		return ending
	}
	if spec.IsJSON(media) {
		return ".json"
	}
	return ".bin"
}

// header is what stands before the content of a part (RFC 7578 section 4).
func (p *part) header() textproto.MIMEHeader {
	disposition := `form-data; name="` + quoted(p.name) + `"`
	if p.file != "" {
		disposition += `; filename="` + quoted(p.file) + `"`
	}
	header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if p.media != "" {
		header[contentType] = []string{p.media}
	}
	return header
}

// quoted writes a name between quotes as browsers do (WHATWG HTML, multipart
// form data; RFC 7578 section 4.2 allows it): percent signs for what would end
// the quotes or the line, and a backslash before a backslash, which would take the
// quotes for part of the name (RFC 2045 section 5.1) where it is the last.
func quoted(name string) string {
	return partName.text(strings.ReplaceAll(name, `\`, `\\`))
}

// boundary makes up a line that no part holds.
func boundary(parts []part) string {
	for {
		line := rand.Text()
		if !holds(parts, []byte(line)) {
			return line
		}
	}
}

func holds(parts []part, line []byte) bool {
	for i := range parts {
		if bytes.Contains(parts[i].data, line) {
			return true
		}
	}
	return false
}
