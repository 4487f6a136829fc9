package result

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"strconv"

	"github.com/toolgate/toolgate/gateway/tool"
)

const (
	mediaText  = "text/plain"
	mediaJSON  = "application/json"
	mediaBytes = "application/octet-stream" // RFC 2046 section 4.5.1
	maxMedia   = 100                        // bytes of a media type that is shown
)

// keep stores what the reader has. It reports false when nothing was kept.
func (k *keeper) keep(ctx context.Context, meta Meta, r io.Reader) (Meta, bool) {
	if k.store == nil {
		return Meta{}, false
	}
	meta.Owner, meta.Tool, meta.CallID = k.about.Owner, k.about.Tool, k.about.CallID
	meta, err := k.store.Put(ctx, meta, r)
	if err != nil {
		k.notes = append(k.notes, "the result could not be kept: "+err.Error())
		return Meta{}, false
	}
	return meta, true
}

// lost is the sentence about what was not kept.
func (k *keeper) lost() string {
	if k.store == nil {
		return "They were not kept. If the tool changes nothing, ask it for less."
	}
	return "They could not be kept. If the tool changes nothing, ask it for less."
}

// line keeps the bytes of a resource that no model reads and says what they are
// and how to get them.
func (k *keeper) line(ctx context.Context, c tool.Content) string {
	media := mediaOf(c.MIMEType)
	about := fmt.Sprintf("[%s, %s bytes that cannot be shown as text.", media, grouped(len(c.Data)))
	if meta, ok := k.keep(ctx, Meta{Media: media}, bytes.NewReader(c.Data)); ok {
		return fmt.Sprintf(`%s They are kept as %s until %s. To get them as base64: %s {"handle": "%s"}.]`,
			about, meta.Handle, until(meta), ToolName, meta.Handle)
	}
	return about + " " + k.lost() + "]"
}

// mediaOf is the media type that a backend claims, without its parameters, when
// it is one: the claim is text of a stranger and is shown to a model.
func mediaOf(claim string) string {
	media, _, err := mime.ParseMediaType(claim)
	if err != nil || len(media) > maxMedia {
		return mediaBytes
	}
	return media
}

// until is when a result expires, as a model is told: with the day when that is
// another than today.
func until(m Meta) string {
	expires := m.Expires.UTC()
	if kept := m.Kept.UTC(); kept.YearDay() == expires.YearDay() && kept.Year() == expires.Year() {
		return expires.Format("15:04 UTC")
	}
	return expires.Format("15:04 UTC on 2 January 2006")
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
