package tool

import (
	"bytes"
	"cmp"
	"slices"
)

// Text is a block of text. A function whose whole answer is one text returns a string.
func Text(text string) Content { return Content{Type: ContentText, Text: text} }

// Image is a block that models with eyes are shown as a picture. Where the media type is
// empty it is told by the first bytes (PNG, JPEG, GIF, WebP).
func Image(data []byte, media string) Content {
	return Content{Type: ContentImage, Data: data, MIMEType: cmp.Or(media, mediaOf(data))}
}

// Audio is a block of sound. Where the media type is empty it is told by the first bytes
// (WAV, MP3 with an ID3 tag, Ogg, FLAC).
func Audio(data []byte, media string) Content {
	return Content{Type: ContentAudio, Data: data, MIMEType: cmp.Or(media, mediaOf(data))}
}

// Resource is a block that holds a file and its address: as text where the bytes are text,
// else in base64. The media type may be empty.
func Resource(uri, media string, data []byte) Content {
	c := Content{Type: ContentResource, URI: uri, MIMEType: media}
	if IsText(data) {
		c.Text = string(data)
		return c
	}
	c.Data, c.MIMEType = data, cmp.Or(media, mediaOf(data))
	return c
}

// Link is a block that names a file which a client can get at its address.
func Link(uri, name string) Content {
	return Content{Type: ContentResourceLink, URI: uri, Name: name}
}

// JSON is an answer with a value in JSON: as text for the model, and in structured form for
// programs. A function that always answers so returns the value itself. The error is one
// for the function to return: the value has no form in JSON.
func JSON(v any) (Output, error) { return answerJSON(EncodeJSON(v)) }

// Noop is the answer of a tool that went well and found nothing to do, or nothing at all:
// its status is [StatusNoop].
func Noop(text string) Output {
	out := TextOutput(text)
	out.Noop = true
	return out
}

// Part is what [Join] makes an answer of: a [Content] or an [Output].
type Part interface{ output() Output }

func (c Content) output() Output { return Output{Content: []Content{c}} }

func (o Output) output() Output { return o }

// Join is one answer of several parts, in their order. It has the structured form of the
// part that has one, and none where several have. Of no parts it is an empty answer; of
// parts that all found nothing to do it says so too.
func Join(parts ...Part) Output {
	out := Output{Noop: len(parts) > 0}
	structured := 0
	for _, p := range parts {
		o := p.output()
		out.Content = append(out.Content, o.Content...)
		out.Notes = append(out.Notes, o.Notes...)
		out.Noop = out.Noop && o.Noop
		if o.Structured != nil {
			out.Structured = o.Structured
			structured++
		}
	}
	if structured > 1 {
		out.Structured = nil
	}
	return out
}

// mediaOf is the media type that the first bytes tell.
func mediaOf(data []byte) string {
	i := slices.IndexFunc(formats, func(f format) bool { return f.starts(data) })
	if i < 0 {
		return binaryMedia
	}
	return formats[i].media
}

// starts reports whether the data starts as the format does.
func (f *format) starts(data []byte) bool {
	return bytes.HasPrefix(data, []byte(f.start)) && (f.more == "" || len(data) > f.offset && bytes.HasPrefix(data[f.offset:], []byte(f.more)))
}
