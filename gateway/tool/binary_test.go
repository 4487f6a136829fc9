package tool_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/tool"
)

func TestRenderBytes(t *testing.T) {
	const octets = "application/octet-stream"
	tests := []struct {
		name, data, media string
		mode              tool.OutputMode
		kind              tool.ContentType // empty for an error
		shown             string           // its media type
	}{
		{"text", "plain", "", tool.OutputAuto, tool.ContentText, ""},
		{"text that claims to be an image", "plain", "image/png", tool.OutputAuto, tool.ContentText, ""},
		{"text that starts like a sound", "ID3 is a tag", "", tool.OutputAuto, tool.ContentText, ""},
		{"a PNG", "\x89PNG\r\n\x1a\n\x00", "", tool.OutputAuto, tool.ContentImage, "image/png"},
		{"a PNG that claims to be text", "\x89PNG\r\n\x1a\n\x00", "text/plain", tool.OutputAuto, tool.ContentImage, "image/png"},
		{"no mode is auto", "\x89PNG\r\n\x1a\n\x00", "", "", tool.ContentImage, "image/png"},
		{"a PNG with its line ends rewritten", "\x89PNG\n\x1a\n\x00", "", tool.OutputAuto, tool.ContentResource, octets},
		{"a JPEG", "\xff\xd8\xff\xe0\x00\x10JFIF", "", tool.OutputAuto, tool.ContentImage, "image/jpeg"},
		{"a GIF of 1987", "GIF87a\x01\x00", "", tool.OutputAuto, tool.ContentImage, "image/gif"},
		{"a GIF of 1989", "GIF89a\x01\x00", "", tool.OutputAuto, tool.ContentImage, "image/gif"},
		{"a WebP", "RIFF\x24\x00\x00\x00WEBPVP8 ", "", tool.OutputAuto, tool.ContentImage, "image/webp"},
		{"a WAVE", "RIFF\x24\x00\x00\x00WAVEfmt ", "", tool.OutputAuto, tool.ContentAudio, "audio/wav"},
		{"another RIFF", "RIFF\x24\x00\x00\x00AVI LIST", "video/x-msvideo", tool.OutputAuto, tool.ContentResource, "video/x-msvideo"},
		{"a RIFF that was cut", "RIFF\x24\x00\x00\x00WEB", "", tool.OutputAuto, tool.ContentResource, octets},
		{"a RIFF that was cut at its type", "RIFF\x24\x00\x00\x00", "", tool.OutputAuto, tool.ContentResource, octets},
		{"an MP3 with tags", "ID3\x03\x00\x00", "", tool.OutputAuto, tool.ContentAudio, "audio/mpeg"},
		{"an Ogg", "OggS\x00\x02", "", tool.OutputAuto, tool.ContentAudio, "audio/ogg"},
		{"a FLAC", "fLaC\x00\x00\x00\x22", "", tool.OutputAuto, tool.ContentAudio, "audio/flac"},
		{"unknown bytes", "\x00\xff\xfe", "", tool.OutputAuto, tool.ContentResource, octets},
		{"unknown bytes that are said to be something", "PK\x03\x04\x00", "application/zip", tool.OutputAuto, tool.ContentResource, "application/zip"},
		{"UTF-16", "\xff\xfeh\x00i\x00", "", tool.OutputAuto, tool.ContentResource, octets},
		{"one byte", "\x00", "", tool.OutputAuto, tool.ContentResource, octets},
		{"a PNG as text", "\x89PNG\r\n\x1a\n\x00", "", tool.OutputText, "", ""},
		{"a PNG as JSON", "\x89PNG\r\n\x1a\n\x00", "", tool.OutputJSON, "", ""},
		{"a PNG as content", "\x89PNG\r\n\x1a\n\x00", "", tool.OutputContent, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := tool.RenderBytes([]byte(test.data), test.media, test.mode)
			if test.kind == "" {
				if err == nil || tool.AsError(err).Code != tool.UpstreamError {
					t.Errorf("got %v, %v, want %s", out, err, tool.UpstreamError)
				}
				return
			}
			want := tool.Content{Type: test.kind, Data: []byte(test.data), MIMEType: test.shown}
			if test.kind == tool.ContentText {
				want = tool.Content{Type: test.kind, Text: test.data}
			}
			if diff := cmp.Diff(tool.Output{Content: []tool.Content{want}}, out); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestRenderBytesOfNothing(t *testing.T) {
	out, err := tool.RenderBytes(nil, "image/png", tool.OutputAuto)
	if diff := cmp.Diff(tool.Output{}, out); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// FuzzRenderBytes holds that no byte of an answer is lost or changed.
func FuzzRenderBytes(f *testing.F) {
	for _, seed := range []string{"", "x", "\x89PNG\r\n\x1a\n", "RIFF", "RIFF\xff\xff\xff\xffWEBP", "\xff\xd8\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := tool.RenderBytes(data, "", tool.OutputAuto)
		if err != nil || len(out.Content) > 1 || len(out.Content) == 0 && len(data) > 0 {
			t.Fatalf("got %v, %v", out, err)
		}
		for _, c := range out.Content {
			if got := append(c.Data, c.Text...); !bytes.Equal(got, data) {
				t.Errorf("got %q, want %q", got, data)
			}
		}
	})
}
