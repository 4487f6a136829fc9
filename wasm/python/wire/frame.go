package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// A frame is, with numbers in little-endian order:
//
//	uint32  length of all that follows the kind
//	uint32  kind
//	uint32  length of the header
//	        header, one JSON object: the message
//	        contents of the message's files, one behind the other
//
// Nothing is taken from a frame on trust. Its length is held against what the reader
// takes, what it allocates grows with what has arrived, and what the header says of
// files has to add up to the length exactly.

// Limits of frames.
const (
	// MaxHeader is the most bytes of a message without the contents of its files.
	MaxHeader = 16 << 20
	// MaxContents is the most bytes of all files of a message.
	MaxContents = 1 << 30
	// MaxFiles is how many files a message has at most.
	MaxFiles = 4096
	// MaxName is the most bytes of the name of a file.
	MaxName = 1024
)

// ErrTooLarge is why a message is neither sent nor taken: it, or its files, are over a
// limit.
var ErrTooLarge = errors.New("message too large")

// Message is [Hello], [Job], [Reply], [Ready] or [Bye].
type Message interface{ kind() kind }

type kind uint32

const (
	kindHello kind = iota + 1
	kindJob
	kindReply
	kindReady
	kindBye
)

func (Hello) kind() kind { return kindHello }
func (Job) kind() kind   { return kindJob }
func (Reply) kind() kind { return kindReply }
func (Ready) kind() kind { return kindReady }
func (Bye) kind() kind   { return kindBye }

// Frame is a message as it is sent.
type Frame struct {
	head  []byte
	files []File
}

// Encode makes a frame. A message over the limits, with a file whose size is not that
// of its data, or that the other side would refuse for another reason, is an error.
// The data of its files is not copied.
func Encode(m Message) (Frame, error) {
	list := files(m)
	for _, f := range list {
		if f.Size != int64(len(f.Data)) {
			return Frame{}, fmt.Errorf("file %q: %d bytes of data, and its size says %d", f.Name, len(f.Data), f.Size)
		}
	}
	if err := check(m); err != nil {
		return Frame{}, err
	}
	header, err := json.Marshal(m)
	if err != nil {
		return Frame{}, err
	}
	contents, err := total(list)
	switch {
	case err != nil:
		return Frame{}, err
	case len(header) > MaxHeader:
		return Frame{}, fmt.Errorf("%w: %d bytes without its files, at most %d", ErrTooLarge, len(header), MaxHeader)
	case contents > MaxContents:
		return Frame{}, fmt.Errorf("%w: %d bytes of files, at most %d", ErrTooLarge, contents, MaxContents)
	}
	head := make([]byte, 0, 12+len(header))
	head = binary.LittleEndian.AppendUint32(head, uint32(4+int64(len(header))+contents))
	head = binary.LittleEndian.AppendUint32(head, uint32(m.kind()))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(header)))
	return Frame{head: append(head, header...), files: list}, nil
}

// Send writes the frame. After an error the stream is of no more use.
func (f Frame) Send(w io.Writer) error {
	if _, err := w.Write(f.head); err != nil {
		return err
	}
	for _, file := range f.files {
		if _, err := w.Write(file.Data); err != nil {
			return err
		}
	}
	return nil
}

// Write sends a message as one frame: [Encode], then [Frame.Send]. A message that
// cannot be encoded is an error before anything is sent.
func Write(w io.Writer, m Message) error {
	f, err := Encode(m)
	if err != nil {
		return err
	}
	return f.Send(w)
}

// Bounds are what a reader takes; a zero is the limit that holds for every message.
type Bounds struct {
	Header   int64 // most bytes without the contents of files, up to [MaxHeader]
	Contents int64 // most bytes of all files, up to [MaxContents]
}

// Reader takes messages from a pipe.
type Reader struct {
	from   *bufio.Reader
	bounds Bounds
}

// NewReader reads frames from a pipe, within bounds.
func NewReader(from io.Reader, b Bounds) *Reader {
	if b.Header <= 0 || b.Header > MaxHeader {
		b.Header = MaxHeader
	}
	if b.Contents <= 0 || b.Contents > MaxContents {
		b.Contents = MaxContents
	}
	return &Reader{from: bufio.NewReader(from), bounds: b}
}

// Next waits for the next message. It is [io.EOF] where the stream ends between two
// messages, and [io.ErrUnexpectedEOF] where it ends within one. After any error the
// stream is of no more use.
func (r *Reader) Next() (Message, error) {
	var head [8]byte
	if _, err := io.ReadFull(r.from, head[:]); err != nil {
		return nil, err
	}
	left := int64(binary.LittleEndian.Uint32(head[:4]))
	is := kind(binary.LittleEndian.Uint32(head[4:]))
	switch {
	case is < kindHello || is > kindBye:
		return nil, fmt.Errorf("frame of kind %d, which there is not", is)
	case left < 4:
		return nil, fmt.Errorf("frame of %d bytes has no header", left)
	case left > 4+r.bounds.Header+r.bounds.Contents:
		return nil, fmt.Errorf("%w: a frame of %d bytes", ErrTooLarge, left)
	}
	if _, err := io.ReadFull(r.from, head[:4]); err != nil {
		return nil, cutOff(err)
	}
	left -= 4
	long := int64(binary.LittleEndian.Uint32(head[:4]))
	switch {
	case long > left:
		return nil, fmt.Errorf("frame has a header of %d bytes in %d", long, left)
	case long > r.bounds.Header:
		return nil, fmt.Errorf("%w: a header of %d bytes, at most %d", ErrTooLarge, long, r.bounds.Header)
	}
	header, err := r.take(long)
	if err != nil {
		return nil, err
	}
	return r.message(is, header, left-long)
}

// message decodes a header and reads the files that follow it.
func (r *Reader) message(is kind, header []byte, left int64) (Message, error) {
	m, err := decode(is, header)
	if err != nil {
		return nil, err
	}
	list := files(m)
	contents, err := total(list)
	switch {
	case err != nil:
		return nil, err
	case contents != left:
		return nil, fmt.Errorf("frame has %d bytes of files, and its header says %d", left, contents)
	case contents > r.bounds.Contents:
		return nil, fmt.Errorf("%w: %d bytes of files, at most %d", ErrTooLarge, contents, r.bounds.Contents)
	}
	for i := range list {
		if list[i].Data, err = r.take(list[i].Size); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// ahead is what is allocated for bytes that have not arrived.
const ahead = 64 << 10

// take reads n bytes, and never has much more memory for them than have arrived.
func (r *Reader) take(n int64) ([]byte, error) {
	if n <= ahead {
		b := make([]byte, n)
		_, err := io.ReadFull(r.from, b)
		return b, cutOff(err)
	}
	var b bytes.Buffer
	b.Grow(ahead)
	_, err := io.CopyN(&b, r.from, n)
	return b.Bytes(), cutOff(err)
}

// cutOff is the end of a stream where more had to follow.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func decode(is kind, header []byte) (Message, error) {
	switch is {
	case kindHello:
		return decodeAs[Hello](header)
	case kindJob:
		return decodeAs[Job](header)
	case kindReply:
		return decodeAs[Reply](header)
	case kindReady:
		return decodeAs[Ready](header)
	default:
		return decodeAs[Bye](header)
	}
}

func decodeAs[M Message](header []byte) (Message, error) {
	var m M
	d := json.NewDecoder(bytes.NewReader(header))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("header: %v", cutOff(err)) // not wrapped: it is not the stream that has ended
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("header: more than one object")
	}
	return m, check(m)
}

// check holds a message against what its type promises.
func check(m Message) error {
	if err := checkFiles(files(m)); err != nil {
		return err
	}
	r, ok := m.(Reply)
	if !ok {
		return nil
	}
	switch r.Outcome {
	case OK, Raised, Syntax, Exited, Dependencies, Crashed:
	default:
		return fmt.Errorf("reply with the outcome %q, which there is not", r.Outcome)
	}
	if r.Ran < 0 {
		return fmt.Errorf("reply of a program that ran for %v", r.Ran)
	}
	return nil
}

func checkFiles(list []File) error {
	if len(list) > MaxFiles {
		return fmt.Errorf("%w: %d files, at most %d", ErrTooLarge, len(list), MaxFiles)
	}
	names := make(map[string]bool, len(list))
	for _, f := range list {
		switch {
		case !fs.ValidPath(f.Name), f.Name == ".", len(f.Name) > MaxName:
			return fmt.Errorf("%.80q is no name of a file", f.Name)
		case names[f.Name]:
			return fmt.Errorf("file %q is there twice", f.Name)
		}
		names[f.Name] = true
	}
	return nil
}

// total adds up sizes.
func total(list []File) (int64, error) {
	var sum int64
	for _, f := range list {
		if f.Size < 0 || f.Size > MaxContents {
			return 0, fmt.Errorf("%w: file %q of %d bytes", ErrTooLarge, f.Name, f.Size)
		}
		sum += f.Size // at most MaxFiles times MaxContents: no overflow
	}
	return sum, nil
}

// files are the files whose contents follow a message.
func files(m Message) []File {
	switch m := m.(type) {
	case Job:
		return m.Files
	case Reply:
		return m.Artifacts
	}
	return nil
}
