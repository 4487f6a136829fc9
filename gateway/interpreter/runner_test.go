package interpreter_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolgate/toolgate/gateway/interpreter"
	"github.com/toolgate/toolgate/gateway/schema"
	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// python answers every program with the same.
type python struct {
	ran  interpreter.Ran
	err  error
	jobs []*wire.Job
}

func (p *python) Run(_ context.Context, _ string, job *wire.Job) (interpreter.Ran, error) {
	p.jobs = append(p.jobs, job)
	return p.ran, p.err
}

// shelf is the files of one chat.
type shelf struct {
	files []interpreter.File
	full  bool
}

func (s *shelf) List(context.Context, *tool.Call) ([]interpreter.File, error) { return s.files, nil }

func (s *shelf) Read(_ context.Context, _ *tool.Call, path string) (interpreter.File, error) {
	for _, f := range s.files {
		if f.Path == path {
			return f, nil
		}
	}
	return interpreter.File{}, tool.Errorf(tool.NotFound, "this chat has no such file")
}

func (s *shelf) Save(_ context.Context, _ *tool.Call, files []interpreter.File) error {
	if s.full {
		return tool.Errorf(tool.Denied, "the chat may have 2 files, and this would be more").WithHint("Delete some.")
	}
	s.files = append(s.files, files...)
	return nil
}

const png = "\x89PNG\r\n\x1a\n"

var limits = interpreter.Limits{Timeout: 30 * time.Second, Memory: 256 << 20, Value: 1000, Artifacts: 10, Written: 1 << 20}

func artifact(name, data string) wire.File {
	return wire.File{Name: name, Size: int64(len(data)), Data: []byte(data)}
}

func reply(outcome wire.Outcome, f *wire.Failure) wire.Reply {
	return wire.Reply{Outcome: outcome, Failure: f}
}

// TestAnswers holds what models read against what came of a program.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ran  interpreter.Ran
		err  error
		full bool
		code tool.Code // "" for an answer that is none
		want string    // all of the text
		kind []tool.ContentType
	}{
		{
			name: "printed", ran: interpreter.Ran{Reply: reply(wire.OK, nil), Stdout: []byte("1\n")},
			want: "1", kind: []tool.ContentType{tool.ContentText},
		},
		{name: "nothing", ran: interpreter.Ran{Reply: reply(wire.OK, nil)}},
		{
			name: "value", ran: interpreter.Ran{Reply: wire.Reply{Outcome: wire.OK, Value: &wire.Value{Repr: "[1, 2]", JSON: json.RawMessage(`[1,2]`)}}},
			want: "[1, 2]", kind: []tool.ContentType{tool.ContentText},
		},
		{
			name: "warnings alone are not taken for output", ran: interpreter.Ran{Reply: reply(wire.OK, nil), Stderr: []byte("careful\n")},
			want: "[stderr]\ncareful", kind: []tool.ContentType{tool.ContentText},
		},
		{
			name: "all of it",
			ran: interpreter.Ran{
				Reply: wire.Reply{
					Outcome: wire.OK, Value: &wire.Value{Repr: "xxx […]", Cut: true}, Notes: []string{"3 files are left out: more than 10."},
					Artifacts: []wire.File{artifact("plot.png", png), artifact("old.csv", "a,b\n"), artifact("x/blob", "\x00\x01")},
				},
				Stdout: []byte("a\n\n"), Stderr: []byte("b\xff"), DroppedOut: 5 << 20,
			},
			want: "[stdout]\na\n\n[stderr]\nb\uFFFD\n\n[value]\nxxx […]\n\n" +
				"[files]\nplot.png (image/png, 8 bytes)\nold.csv (text/csv, 4 bytes), in place of the one that was there\nx/blob (application/octet-stream, 2 bytes)\n" +
				"They are files of this chat now: a later call reads them with \"files\": [\"plot.png\"], and people get them by HTTP, as at /v1/chats/c/files/plot.png.\n\n" +
				"[notes]\n3 files are left out: more than 10.\nOf stdout the first 3 bytes are kept, and 5 MiB more were printed.\n" +
				"The value is cut: its text has more than 1000 bytes. Print or write to /out what you need of it.",
			kind: []tool.ContentType{tool.ContentText, tool.ContentImage},
		},
		{
			name: "no room in the chat", full: true,
			ran:  interpreter.Ran{Reply: wire.Reply{Outcome: wire.OK, Artifacts: []wire.File{artifact("a.csv", "a,b\n"), artifact("b.png", png)}}},
			want: "[files]\na.csv (text/csv, 4 bytes)\nb.png (image/png, 8 bytes)\n\n[notes]\nThe files are in this answer and not saved to the chat: the chat may have 2 files, and this would be more. Delete some.[a.csv]\na,b\n",
			kind: []tool.ContentType{tool.ContentText, tool.ContentText, tool.ContentImage},
		},
		{
			name: "picture", ran: interpreter.Ran{Reply: wire.Reply{Outcome: wire.OK, Value: &wire.Value{Repr: "<plot>", Media: "image/png", Data: []byte(png)}}},
			want: "<plot>", kind: []tool.ContentType{tool.ContentText, tool.ContentImage},
		},
		{
			name: "a picture that is none", ran: interpreter.Ran{Reply: wire.Reply{Outcome: wire.OK, Value: &wire.Value{Repr: "<plot>", Media: "image/png", Data: []byte("<svg/>")}}},
			want: "<plot>", kind: []tool.ContentType{tool.ContentText, tool.ContentResource},
		},
		{
			name: "exception",
			ran: interpreter.Ran{Reply: reply(wire.Raised, &wire.Failure{
				Type: "ZeroDivisionError", Message: "division by zero", Line: 2, Traceback: "Traceback (most recent call last):\n  …\nZeroDivisionError: division by zero\n",
			}), Stdout: []byte("before\n")},
			code: tool.UpstreamError,
			want: "Error: the program raised ZeroDivisionError: division by zero (line 2)\nCorrect the program and send all of it again: nothing of this call is there in the next.\n\n" +
				"[stdout]\nbefore\n\n[traceback]\nTraceback (most recent call last):\n  …\nZeroDivisionError: division by zero",
			kind: []tool.ContentType{tool.ContentText},
		},
		{
			name: "exception with advice", ran: interpreter.Ran{Reply: reply(wire.Raised, &wire.Failure{Type: "ModuleNotFoundError", Message: "No module named 'numpy'", Hint: "numpy is\nnot here: use statistics"})},
			code: tool.UpstreamError,
			want: "Error: the program raised ModuleNotFoundError: No module named 'numpy'\nnumpy is not here: use statistics",
		},
		{
			name: "files of a failed program", ran: interpreter.Ran{Reply: wire.Reply{Outcome: wire.Raised, Artifacts: []wire.File{artifact("n.txt", "1")}}},
			code: tool.UpstreamError,
			want: "Error: the program raised an exception\nCorrect the program and send all of it again: nothing of this call is there in the next.\n\n[files]\nn.txt (text/plain, 1 byte)\n" +
				"They are files of this chat now: a later call reads them with \"files\": [\"n.txt\"], and people get them by HTTP, as at /v1/chats/c/files/n.txt.",
		},
		{
			name: "syntax", ran: interpreter.Ran{Reply: reply(wire.Syntax, &wire.Failure{Type: "SyntaxError", Message: "invalid syntax", Line: 1, Traceback: "    1 +\n      ^\n"})},
			code: tool.InvalidArgs,
			want: "Error: the code is not valid Python, and nothing of it was run: SyntaxError: invalid syntax (line 1)\nCorrect the program and send all of it again: nothing of this call is there in the next.\n\n[traceback]\n    1 +\n      ^",
		},
		{
			name: "dependencies", ran: interpreter.Ran{Reply: reply(wire.Dependencies, &wire.Failure{Message: "there is no package numpy"})},
			code: tool.InvalidArgs, want: "Error: the program was not run: there is no package numpy\nWrite it with what there is.",
		},
		{name: "exit", ran: interpreter.Ran{Reply: wire.Reply{Outcome: wire.Exited}, Stdout: []byte("bye")}, want: "bye"},
		{
			name: "exit that says something is wrong", ran: interpreter.Ran{Reply: wire.Reply{Outcome: wire.Exited, ExitCode: 3}, Stderr: []byte("usage\n")},
			code: tool.UpstreamError,
			want: "Error: the program ended with exit status 3\nCorrect the program and send all of it again: nothing of this call is there in the next.\n\n[stderr]\nusage",
		},
		{
			name: "crash", ran: interpreter.Ran{Reply: reply(wire.Crashed, &wire.Failure{Type: "Crash", Message: "the interpreter crashed: stack overflow", Hint: "Make it less deep."}), Stdout: []byte("1\n")},
			code: tool.UpstreamError, want: "Error: the program did not come to its end: the interpreter crashed: stack overflow\nMake it less deep.\n\n1",
		},
		{
			name: "too slow", ran: interpreter.Ran{Stdout: []byte("1\n2\n")}, err: tool.Errorf(tool.Timeout, "the program did not end within 30s and was ended"),
			code: tool.Timeout,
			want: "Error: the program did not end within 30s and was ended\nHave it do less, or in several calls. What it printed is here; what it wrote to /out is lost.\n\n1\n2",
		},
		{
			name: "no interpreter", err: tool.Errorf(tool.UpstreamUnavailable, "no Python interpreter is installed").WithHint("Tell the user."),
			code: tool.UpstreamUnavailable, want: "Error: no Python interpreter is installed\nTell the user.",
		},
		{name: "no word of mine", err: errors.New("inner matters"), code: tool.Internal, want: tool.AsError(errors.New("")).Text()},
		{
			name: "forged", ran: interpreter.Ran{Reply: wire.Reply{Outcome: "fine", Value: &wire.Value{Repr: "1"}}}, code: tool.UpstreamError,
			want: "Error: the interpreter does not say how the program ended\nCorrect the program and send all of it again: nothing of this call is there in the next.\n\n1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := &shelf{full: c.full, files: []interpreter.File{{Path: "old.csv", Media: "text/csv", Size: 1, Data: []byte("o")}}}
			r := interpreter.New(&python{ran: c.ran, err: c.err}, interpreter.Options{Limits: limits, Files: files, Address: func(call *tool.Call, path string) string { return "/v1/chats/" + call.Chat.ID + "/files/" + path }})
			out, err := r.Run(t.Context(), input(map[string]any{"code": "…"}))
			var code tool.Code
			if err != nil {
				e := tool.AsError(err)
				code, out = e.Code, e.Answer()
			}
			var got string
			var kinds []tool.ContentType
			for _, block := range out.Content {
				got += block.Text
				kinds = append(kinds, block.Type)
			}
			if d := cmp.Diff(c.want, got); d != "" || code != c.code {
				t.Errorf("code %q, want %q (-want +got):\n%s", code, c.code, d)
			}
			if c.kind != nil && !slices.Equal(kinds, c.kind) {
				t.Errorf("got the blocks %v, want %v", kinds, c.kind)
			}
			if len(out.Structured) > 0 && !json.Valid(out.Structured) {
				t.Errorf("the structured form is %s", out.Structured)
			}
		})
	}
}

func input(args map[string]any) tool.Input {
	return tool.Input{Args: args, Call: &tool.Call{ID: "call", Chat: tool.Chat{ID: "c"}}, Spec: interpreter.NewSpec(interpreter.About{Limits: limits})}
}

// TestStructured is the answer for programs, whole.
func TestStructured(t *testing.T) {
	t.Parallel()
	ran := interpreter.Ran{
		Reply: wire.Reply{
			Outcome: wire.OK, Ran: 1500 * time.Microsecond, Value: &wire.Value{Repr: "{'a': 1}", JSON: json.RawMessage(`{"a":1}`)},
			Artifacts: []wire.File{artifact("a.txt", "a")},
		},
		Stdout: []byte("out\n"),
	}
	r := interpreter.New(&python{ran: ran}, interpreter.Options{Limits: limits, Files: &shelf{}})
	out, err := r.Run(t.Context(), input(map[string]any{"code": "…"}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"outcome":"ok","stdout":"out\n","value":"{'a': 1}","json":{"a":1},"files":[{"path":"a.txt","size":1,"media_type":"text/plain","saved":true}],"duration_ms":1.5}`
	if d := cmp.Diff(want, string(out.Structured)); d != "" {
		t.Error(d)
	}
}

// TestJobs holds what is run against the arguments.
func TestJobs(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", interpreter.MaxInput/2+1)
	files := &shelf{files: []interpreter.File{{Path: "a.csv", Size: 2, Data: []byte("ab")}, {Path: "d/b.bin", Size: 1, Data: []byte("c")}, {Path: "big1", Data: []byte(big)}, {Path: "big2", Data: []byte(big)}}}
	for _, c := range []struct {
		name string
		args map[string]any
		none bool // no files of chats
		want *wire.Job
		err  string
	}{
		{name: "code alone", args: map[string]any{"code": "1"}, want: &wire.Job{Code: "1"}},
		{
			name: "all", args: map[string]any{"code": "1", "files": []any{"d/b.bin", "/files/a.csv", "a.csv"}, "dependencies": []any{"attrs"}},
			want: &wire.Job{Code: "1", Dependencies: []string{"attrs"}, Files: []wire.File{{Name: "d/b.bin", Size: 1, Data: []byte("c")}, {Name: "a.csv", Size: 2, Data: []byte("ab")}}},
		},
		{
			name: "no such file", args: map[string]any{"code": "1", "files": []any{"b.csv"}},
			err: "Error: this chat has no file \"b.csv\"\nIts files are: a.csv (2 bytes), d/b.bin (1 byte), big1 (0 bytes), big2 (0 bytes).",
		},
		{
			name: "too much", args: map[string]any{"code": "1", "files": []any{"big1", "big2"}},
			err: "Error: the files have more than 64 MiB together, which is the most that a program is given\nName fewer of them, or have several calls read one each.",
		},
		{
			name: "no files here", none: true, args: map[string]any{"code": "1", "files": []any{"a.csv"}},
			err: "Error: there are no files of chats here\nLeave out \"files\", and put the data into the program.",
		},
		{name: "no code", args: map[string]any{}, err: `Error: "code" has to be a text of at most 200000 characters`},
		{name: "no list", args: map[string]any{"code": "1", "dependencies": "attrs"}, err: `Error: "dependencies" has to be a list of at most 50 texts`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, o := &python{ran: interpreter.Ran{Reply: reply(wire.OK, nil)}}, interpreter.Options{Limits: limits, Files: files}
			if c.none {
				o.Files = nil
			}
			_, err := interpreter.New(p, o).Run(t.Context(), input(c.args))
			if err != nil || c.err != "" {
				if got := tool.AsError(err); got.Text() != c.err || got.Code != tool.InvalidArgs {
					t.Errorf("got %v, want %s", err, c.err)
				}
				return
			}
			c.want.Limits = wire.Limits{Value: limits.Value, Artifacts: limits.Artifacts, Bytes: limits.Written}
			if d := cmp.Diff([]*wire.Job{c.want}, p.jobs); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestSpec holds what models are shown against what there is.
func TestSpec(t *testing.T) {
	t.Parallel()
	about := interpreter.About{Version: "3.12", Limits: limits, Packages: []interpreter.Package{{Name: "attrs", Version: "23.1.0"}, {Name: "helpers"}}}
	s := interpreter.NewSpec(about)
	if _, err := schema.Compile(s.Parameters); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"Python 3.12", "attrs 23.1.0, helpers", "/files", "/out", "30s", "256 MiB"} {
		if !strings.Contains(s.Description, want) {
			t.Errorf("%q is not in %s", want, s.Description)
		}
	}
}
