package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/wasm/python/wire"
)

// messages has one of each kind, and what is at the edges.
func messages() []wire.Message {
	return []wire.Message{
		wire.Hello{Version: "3.12.0", Held: []string{"seccomp"}, Missing: []string{"landlock: no"}, Resting: 1 << 40, Loaded: time.Second, Packages: map[string]string{"attrs": "25.1"}},
		wire.Hello{},
		wire.Job{Code: "print(1)"},
		wire.Job{
			Code: "é\x00\n", Check: true, Dependencies: []string{"pyyaml>=6"}, Argv: []string{"", "-x"}, Name: "a.py",
			Files:  []wire.File{{Name: "a/b.csv", Size: 3, Data: []byte("1,2")}, {Name: "empty", Data: []byte{}}, {Name: "z", Size: 1 << 17, Data: bytes.Repeat([]byte("z"), 1<<17)}},
			Limits: wire.Limits{Value: 1, Artifacts: 2, Bytes: 3},
		},
		wire.Reply{Outcome: wire.OK, Value: &wire.Value{Repr: "1", JSON: json.RawMessage(`{"a":[1]}`), Media: "image/png", Data: []byte{0, 1}}},
		wire.Reply{
			Outcome: wire.Raised, Failure: &wire.Failure{Type: "ValueError", Message: "m", Traceback: "t", Line: 3, Hint: "h"},
			ExitCode: -1, Artifacts: []wire.File{{Name: "out.txt", Size: 2, Data: []byte("hi")}}, Notes: []string{"n"}, Ran: time.Millisecond, Worn: "left files open",
		},
		wire.Ready{Resting: 3, Took: time.Millisecond},
		wire.Bye{Reason: "memory"},
	}
}

func TestMessagesArriveAsTheyWereSent(t *testing.T) {
	var pipe bytes.Buffer
	for _, m := range messages() {
		if err := wire.Write(&pipe, m); err != nil {
			t.Fatal(err)
		}
	}
	from := wire.NewReader(iotest.HalfReader(&pipe), wire.Bounds{})
	for _, want := range messages() {
		got, err := from.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := from.Next(); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	many := make([]wire.File, wire.MaxFiles+1)
	for i := range many {
		many[i].Name = strings.Repeat("x", i/100+1) + string(rune('a'+i%100))
	}
	cases := []struct {
		name string
		m    wire.Message
		want string
	}{
		{"a size that is not that of the data", wire.Job{Files: []wire.File{{Name: "a", Size: 2, Data: []byte("a")}}}, `file "a": 1 bytes of data, and its size says 2`},
		{"a name that leads out", wire.Job{Files: []wire.File{{Name: "../a"}}}, `"../a" is no name of a file`},
		{"one file twice", wire.Reply{Outcome: wire.OK, Artifacts: []wire.File{{Name: "a"}, {Name: "a"}}}, `file "a" is there twice`},
		{"too many files", wire.Job{Files: many}, "message too large: 4097 files, at most 4096"},
		{"too much text", wire.Job{Code: strings.Repeat("a", wire.MaxHeader)}, "message too large: 16777272 bytes without its files, at most 16777216"},
		{"no outcome", wire.Reply{}, `reply with the outcome "", which there is not`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var pipe bytes.Buffer
			err := wire.Write(&pipe, c.m)
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if pipe.Len() > 0 {
				t.Errorf("%d bytes were sent", pipe.Len())
			}
		})
	}
}

func TestWriteToABrokenPipe(t *testing.T) {
	for name, after := range map[string]int{"at once": 0, "in the files": 1} {
		t.Run(name, func(t *testing.T) {
			m := wire.Job{Files: []wire.File{{Name: "a", Size: 1, Data: []byte("a")}}}
			if err := wire.Write(&breaking{after: after}, m); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// breaking takes so many writes.
type breaking struct{ after int }

func (b *breaking) Write(p []byte) (int, error) {
	if b.after--; b.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// frame is a frame as a forger would write it: long and head replace the true lengths
// where they are not negative.
func frame(kind uint32, header, contents string, long, head int64) string {
	if long < 0 {
		long = int64(4 + len(header) + len(contents))
	}
	if head < 0 {
		head = int64(len(header))
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(long))
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(head))
	return string(b) + header + contents
}

// forged are streams that end in an error, each with its words.
var forged = []struct{ name, stream, want string }{
	{"nothing", "", "EOF"},
	{"half a length", "\x01\x00", "unexpected EOF"},
	{"no header", frame(1, "", "", 0, 0), "frame of 0 bytes has no header"},
	{"kind 0", frame(0, "{}", "", -1, -1), "frame of kind 0, which there is not"},
	{"kind 6", frame(6, "{}", "", -1, -1), "frame of kind 6, which there is not"},
	{"text", "Traceback (most recent call last):\n", "frame of kind 1667326565, which there is not"},
	{"a giant frame", frame(3, "{}", "", 1<<32-1, -1), "message too large: a frame of 4294967295 bytes"},
	{"a giant header", frame(3, "{}", "", 8000, 5000), "message too large: a header of 5000 bytes, at most 4096"},
	{"a header beyond its frame", frame(3, "{}", "", -1, 7), "frame has a header of 7 bytes in 2"},
	{"an empty header", frame(3, "", "", -1, -1), "header: unexpected EOF"},
	{"a cut header", frame(3, `{"outcome"`, "", 30, 26), "unexpected EOF"},
	{"no JSON", frame(3, "hello", "", -1, -1), "header: invalid character 'h' looking for beginning of value"},
	{"a list", frame(3, "[]", "", -1, -1), "header: json: cannot unmarshal array into Go value of type wire.Reply"},
	{"a wrong type", frame(3, `{"outcome":1}`, "", -1, -1), "header: json: cannot unmarshal number into Go struct field Reply.outcome of type wire.Outcome"},
	{"an unknown key", frame(3, `{"outcome":"ok","more":1}`, "", -1, -1), `header: json: unknown field "more"`},
	{"two objects", frame(3, `{"outcome":"ok"}{}`, "", -1, -1), "header: more than one object"},
	{"null", frame(3, `null`, "", -1, -1), `reply with the outcome "", which there is not`},
	{"an unknown outcome", frame(3, `{"outcome":"great"}`, "", -1, -1), `reply with the outcome "great", which there is not`},
	{"negative time", frame(3, `{"outcome":"ok","ran":-5}`, "", -1, -1), "reply of a program that ran for -5ns"},
	{"a negative size", frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":-1}]}`, "", -1, -1), `message too large: file "a" of -1 bytes`},
	{"sizes that overflow", frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":9223372036854775807},{"name":"b","size":9223372036854775807}]}`, "", -1, -1), `message too large: file "a" of 9223372036854775807 bytes`},
	{"a size beyond the frame", frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":5}]}`, "abc", -1, -1), "frame has 3 bytes of files, and its header says 5"},
	{"contents of no file", frame(3, `{"outcome":"ok"}`, "abc", -1, -1), "frame has 3 bytes of files, and its header says 0"},
	{"contents of a hello", frame(1, `{}`, "abc", -1, -1), "frame has 3 bytes of files, and its header says 0"},
	{"contents that end", frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":50}]}`, "abc", 107, -1), "unexpected EOF"},
	{"more contents than are taken", frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":9000}]}`, strings.Repeat("a", 9000), -1, -1), "message too large: a frame of 9059 bytes"},
	{"contents in place of a header", frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":8150}]}`, strings.Repeat("a", 8135), -1, -1), "frame has 8135 bytes of files, and its header says 8150"},
	{"more contents, less header", frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":8000}]}`, strings.Repeat("a", 8000), -1, -1), "message too large: 8000 bytes of files, at most 4096"},
	{"an absolute name", frame(3, `{"outcome":"ok","artifacts":[{"name":"/etc/passwd"}]}`, "", -1, -1), `"/etc/passwd" is no name of a file`},
	{"a name that leads out", frame(3, `{"outcome":"ok","artifacts":[{"name":"a/../../b"}]}`, "", -1, -1), `"a/../../b" is no name of a file`},
	{"the folder itself", frame(3, `{"outcome":"ok","artifacts":[{"name":"."}]}`, "", -1, -1), `"." is no name of a file`},
	{"no name", frame(3, `{"outcome":"ok","artifacts":[{"name":""}]}`, "", -1, -1), `"" is no name of a file`},
	{"one name twice", frame(3, `{"outcome":"ok","artifacts":[{"name":"a"},{"name":"a"}]}`, "", -1, -1), `file "a" is there twice`},
}

func TestForgedFrames(t *testing.T) {
	for _, c := range forged {
		t.Run(c.name, func(t *testing.T) {
			m, err := wire.NewReader(strings.NewReader(c.stream), wire.Bounds{Header: 4096, Contents: 4096}).Next()
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, %v; want %s", m, err, c.want)
			}
		})
	}
}

// TestWhatIsAnnouncedIsNotAllocated: a frame that promises a gigabyte and sends nothing
// costs next to no memory.
func TestWhatIsAnnouncedIsNotAllocated(t *testing.T) {
	stream := frame(3, `{"outcome":"ok","artifacts":[{"name":"a","size":1073741824}]}`, "abc", 4+61+1<<30, -1)
	got := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := wire.NewReader(strings.NewReader(stream), wire.Bounds{}).Next(); err != io.ErrUnexpectedEOF {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if got > 1<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
}

// FuzzReader: whatever arrives is a message that can be sent again, or an error.
func FuzzReader(f *testing.F) {
	for _, c := range forged {
		f.Add([]byte(c.stream))
	}
	for _, m := range messages() {
		var b bytes.Buffer
		if err := wire.Write(&b, m); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		from := wire.NewReader(bytes.NewReader(stream), wire.Bounds{Header: 1 << 16, Contents: 1 << 18})
		for {
			m, err := from.Next()
			if err != nil {
				return
			}
			if err := wire.Write(io.Discard, m); err != nil {
				t.Fatalf("%#v was taken and cannot be sent: %v", m, err)
			}
		}
	})
}
