package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
)

// Instructions of WebAssembly (Core Specification 2.0, section 5.4) and types.
const (
	unreachable, loop, ifThen, end, br, brIf, call = "\x00", "\x03\x40", "\x04\x40", "\x0b", "\x0c", "\x0d", "\x10"
	drop, globalSet, load8, load, store            = "\x1a", "\x24", "\x2d\x00\x00", "\x28\x02\x00", "\x36\x02\x00"
	add, equal32, i64Const                         = "\x6a", "\x46", "\x42"
)

func i32(n int64) string { return string(appendSigned([]byte{opI32Const}, n)) }

func text(s string) string { return string(binary.AppendUvarint(nil, uint64(len(s)))) + s }

// advised is a call of the host by fd_advise.
func advised(length byte) string {
	return i32(1) + string(appendSigned([]byte(i64Const), Magic)) + i64Const + string(rune(length)) + i32(0) + call + "\x00"
}

// when runs code if the message is a letter.
func when(letter byte, code string) string {
	return i32(300) + load8 + i32(int64(letter)) + equal32 + ifThen + code + end
}

// Where the program has its vectors, for what it writes and reads.
const write, read = 0, 8

func io32(function byte, descriptor, vector int64) string {
	return i32(descriptor) + i32(vector) + i32(1) + i32(200) + call + string(rune(function)) + drop
}

// counter is a program that counts its messages in its memory, writes the count, and does
// what the message says.
func counter() []byte {
	words := func(at int64, values ...int64) (code string) {
		for i, v := range values {
			code += i32(at+int64(4*i)) + i32(v) + store
		}
		return code
	}
	body := words(write, 100, 1) + words(read, 300, 1) +
		loop +
		advised(Sync) + brIf + "\x00" +
		i32(100) + i32(100) + load + i32(1) + add + store +
		io32(2, 1, write) +
		io32(1, 0, read) +
		when('r', advised(Mark)+drop+io32(2, 1, write)) +
		when('t', unreachable) +
		when('x', i32(7)+call+"\x03") +
		when('d', i32(5)+globalSet+"\x00") +
		when('b', i32(50_000)+i32(1)+store) +
		when('c', i32(1)+call+"\x04"+drop) +
		br + "\x00" + end + end
	imported := ""
	for i, name := range []string{"fd_advise", "fd_read", "fd_write", "proc_exit", "fd_close"} {
		imported += text("wasi_snapshot_preview1") + text(name) + "\x00" + string(rune([]int{0, 1, 1, 2, 3}[i]))
	}
	code := "\x00" + body
	return module(
		1, "\x05\x60\x04\x7f\x7e\x7e\x7f\x01\x7f\x60\x04\x7f\x7f\x7f\x7f\x01\x7f\x60\x01\x7f\x00\x60\x01\x7f\x01\x7f\x60\x00\x00",
		2, "\x05"+imported,
		3, "\x01\x04",
		5, "\x01\x00\x02",
		6, "\x01\x7f\x01"+i32(65536)+end,
		7, "\x02"+text("memory")+"\x02\x00"+text("_start")+"\x00\x05",
		10, "\x01"+text(code),
	)
}

// rig is the host of a counter: it gives messages of one letter each.
type rig struct {
	messages string
	in       strings.Reader
	out      bytes.Buffer
	counts   []byte // that the guest wrote, a byte each
	marked   int
	begun    int
}

var errOver = errors.New("no more messages")

func (r *rig) run(t *testing.T) error {
	t.Helper()
	compiled, err := Compile(t.Context(), counter(), Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = compiled.Close(context.Background()) }()
	return NewGuest(compiled, Hooks{
		Begin: func([]int) error { r.begun++; return nil },
		Reply: func() { r.marked++ },
		Done: func() (int, error) {
			r.counts = append(r.counts, r.out.Bytes()...)
			r.out.Reset()
			return 0, nil
		},
		Next: func(context.Context) error {
			if r.messages == "" {
				return errOver
			}
			r.in.Reset(r.messages[:1])
			r.messages = r.messages[1:]
			return nil
		},
	}).Run(t.Context(), Program{Args: []string{"counter"}, Stdin: &r.in, Stdout: &r.out, Stderr: io.Discard})
}

// TestGuest: every message finds the same memory, however many there are and whatever
// the last one did, and what cannot be set back ends the guest.
func TestGuest(t *testing.T) {
	for _, c := range []struct {
		name, messages string
		counts         string // of the messages that were answered
		marked         int
		want           string // the error
	}{
		{"no message", "", "", 0, errOver.Error()},
		{"one", "n", "\x01", 0, errOver.Error()},
		{"more than there are spare stacks", strings.Repeat("nb", 100), strings.Repeat("\x01", 200), 0, errOver.Error()},
		{"replies", "rr", "\x01\x01\x01\x01", 2, errOver.Error()},
		{"a trap", "nt", "\x01", 0, "unreachable"},
		{"its own end", "nx", "\x01", 0, "exit code 7"},
		{"another depth", "nd", "\x01", 0, "from another depth"},
		{"a stream that it closes", "nc", "\x01\x01", 0, "descriptor 1 was closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &rig{messages: c.messages}
			err := r.run(t)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it ended with %v, want %s", err, c.want)
			}
			if string(r.counts) != c.counts || r.marked != c.marked || r.begun != 1 {
				t.Errorf("it counted %q and marked %d times, want %q and %d; began %d times", r.counts, r.marked, c.counts, c.marked, r.begun)
			}
		})
	}
}

// TestGuestErrors: what a caller tells the ends of a guest by.
func TestGuestErrors(t *testing.T) {
	exit, ok := errors.AsType[*ExitError]((&rig{messages: "x"}).run(t))
	if !ok || exit.Code != 7 {
		t.Errorf("its own end: got %v", exit)
	}
	for _, message := range []string{"d", "c"} {
		if err := (&rig{messages: message}).run(t); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: got %v", message, err)
		}
	}
	if err := (&rig{}).run(t); !errors.Is(err, errOver) {
		t.Errorf("an error of a hook: got %v", err)
	}
}
