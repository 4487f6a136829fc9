package runlog

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// encodePlain appends l and a line break to buf as encoding/json does, to the
// byte, when all its texts are plain, as nearly all are; else it appends nothing
// and reports false. A record is written before its call is answered, so what its
// encoding costs every call waits for.
func encodePlain(buf *bytes.Buffer, l *line) bool {
	start := buf.Len()
	w := plainWriter{buf: buf, fine: len(l.Arguments) < minDeep}
	buf.WriteByte('{')
	w.text("kind", string(l.Kind), false)
	w.text("status", string(l.Status), false)
	w.text("call_id", l.CallID, true)
	w.text("parent", l.Parent, false)
	w.text("request", l.Request, false)
	w.text("time", l.Time, true)
	w.text("tool", l.Tool, true)
	w.key("caller")
	buf.WriteByte('{')
	w.more = false
	w.text("id", l.Caller.ID, false)
	w.text("name", l.Caller.Name, false)
	w.text("kind", string(l.Caller.Kind), false)
	buf.WriteByte('}')
	w.more = true
	w.text("chat", l.Chat, false)
	w.text("via", string(l.Via), false)
	if l.ReadOnly {
		w.key("read_only")
		buf.WriteString("true")
	}
	w.value("arguments", l.Arguments)
	w.text("arguments_text", l.ArgumentsText, false)
	w.text("result", l.Result, false)
	w.text("decision", l.Decision, false)
	w.text("rule", l.Rule, false)
	w.text("reason", l.Reason, false)
	w.text("toolcall_reason", l.CallReason, false)
	w.fine = w.fine && len(l.Notes) == 0 && l.Approval == nil
	w.text("code", string(l.Code), false)
	w.text("error", l.Error, false)
	w.text("cause", l.Cause, false)
	w.milliseconds("duration_ms", l.DurationMS)
	buf.WriteString("}\n")
	if !w.fine {
		buf.Truncate(start)
	}
	return w.fine
}

// plainWriter writes the members of an object.
type plainWriter struct {
	buf  *bytes.Buffer
	more bool // something stands before
	fine bool // everything could be written
}

func (w *plainWriter) key(name string) {
	if w.more {
		w.buf.WriteByte(',')
	}
	w.more = true
	w.buf.WriteByte('"')
	w.buf.WriteString(name)
	w.buf.WriteString(`":`)
}

// text writes a text of printable ASCII, in which quotes, backslashes and line
// breaks may stand. An empty one is left out unless it is always there.
func (w *plainWriter) text(name, text string, always bool) {
	if !w.fine || (text == "" && !always) {
		return
	}
	w.key(name)
	w.buf.WriteByte('"')
	from := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			w.buf.WriteString(text[from:i])
			w.buf.WriteByte('\\')
			from = i
		case c == '\n':
			w.buf.WriteString(text[from:i])
			w.buf.WriteString(`\n`)
			from = i + 1
		case c < ' ' || c > '~':
			w.fine = false
			return
		}
	}
	w.buf.WriteString(text[from:])
	w.buf.WriteByte('"')
}

func (w *plainWriter) value(name string, value json.RawMessage) {
	if !w.fine || len(value) == 0 {
		return
	}
	w.key(name)
	w.fine = json.Compact(w.buf, value) == nil
}

// milliseconds writes a time of whole microseconds, which needs no exponent below
// a million years.
func (w *plainWriter) milliseconds(name string, ms float64) {
	if ms == 0 {
		return
	}
	w.fine = w.fine && ms >= 0.001 && ms < 1e20
	w.key(name)
	w.buf.Write(strconv.AppendFloat(w.buf.AvailableBuffer(), ms, 'f', -1, 64))
}
