package tool

import "cmp"

// binaryMedia is what bytes of no known type are called (RFC 2046 section
// 4.5.1).
const binaryMedia = "application/octet-stream"

// format is one kind of media that models are shown.
type format struct {
	start  string
	offset int    // of more
	more   string // what stands there; empty for nothing
	kind   ContentType
	media  string
}

// formats are the images and sounds that models are shown as such, told by
// their first bytes: what a server says of them is often wrong.
var formats = []format{
	{start: "\x89PNG\r\n\x1a\n", kind: ContentImage, media: "image/png"},
	{start: "\xFF\xD8\xFF", kind: ContentImage, media: "image/jpeg"},
	{start: "GIF87a", kind: ContentImage, media: "image/gif"},
	{start: "GIF89a", kind: ContentImage, media: "image/gif"},
	{start: "RIFF", offset: 8, more: "WEBP", kind: ContentImage, media: "image/webp"},
	{start: "RIFF", offset: 8, more: "WAVE", kind: ContentAudio, media: "audio/wav"},
	{start: "ID3", kind: ContentAudio, media: "audio/mpeg"},
	{start: "OggS", kind: ContentAudio, media: "audio/ogg"},
	{start: "fLaC", kind: ContentAudio, media: "audio/flac"},
}

// RenderBytes turns what a process or a server wrote into an answer. Text is
// shown as [RenderText] shows it. Under OutputAuto an image or a sound becomes a
// block of its kind, told by its bytes, and anything else a resource without an
// address, of the media type that the writer claims (empty for none); under
// the other modes it is an error.
func RenderBytes(data []byte, media string, mode OutputMode) (Output, error) {
	if IsText(data) || mode != OutputAuto && mode != "" {
		return RenderText(data, mode)
	}
	for _, f := range formats {
		if f.starts(data) {
			return Output{Content: []Content{{Type: f.kind, Data: data, MIMEType: f.media}}}, nil
		}
	}
	return Output{Content: []Content{{Type: ContentResource, Data: data, MIMEType: cmp.Or(media, binaryMedia)}}}, nil
}
