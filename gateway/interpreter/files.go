package interpreter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgate/toolgate/gateway/tool"
	"github.com/toolgate/toolgate/wasm/python/wire"
)

// folder is where programs find the files of the chat.
const folder = "/files/"

// maxListed is how many paths a message tells.
const maxListed = 30

// read gets the files that a call names. A path may be written as programs see it.
func (r *runner) read(ctx context.Context, call *tool.Call, paths []string) ([]wire.File, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if r.options.Files == nil {
		return nil, tool.Errorf(tool.InvalidArgs, "there are no files of chats here").WithHint("Leave out \"files\", and put the data into the program.")
	}
	var files []wire.File
	room := int64(MaxInput)
	for _, path := range paths {
		path = strings.TrimPrefix(path, folder)
		if slices.ContainsFunc(files, func(f wire.File) bool { return f.Name == path }) {
			continue
		}
		f, err := r.options.Files.Read(ctx, call, path)
		if err != nil {
			return nil, r.unread(ctx, call, path, err)
		}
		if room -= int64(len(f.Data)); room < 0 {
			return nil, tool.Errorf(tool.InvalidArgs, "the files have more than %s together, which is the most that a program is given", inBytes(MaxInput)).
				WithHint("Name fewer of them, or have several calls read one each.")
		}
		files = append(files, wire.File{Name: path, Size: int64(len(f.Data)), Data: f.Data})
	}
	return files, nil
}

// unread says why a file cannot be had and, where there is none of that path, which
// ones there are.
func (r *runner) unread(ctx context.Context, call *tool.Call, path string, err error) error {
	e := asTool(err)
	if e.Code != tool.NotFound {
		return e
	}
	all, err := r.options.Files.List(ctx, call)
	if err != nil {
		return asTool(err)
	}
	e = tool.Errorf(tool.InvalidArgs, "this chat has no file %q", path)
	e.Retryable = true // whoever puts it there need not change the call
	if len(all) == 0 {
		return e.WithHint("It has no files yet. Ask the user to add them, or leave out \"files\".")
	}
	return e.WithHint("Its files are: %s.", listed(all))
}

// listed are the paths of some files.
func listed(all []File) string {
	names := make([]string, 0, maxListed)
	for _, f := range all[:min(len(all), maxListed)] {
		names = append(names, fmt.Sprintf("%s (%s)", f.Path, inBytes(f.Size)))
	}
	more := ""
	if n := len(all) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// left is a file that a program has left under /out.
type left struct {
	File
	block    *tool.Content // that shows it or has it; nil where it is told in words alone
	saved    bool          // it is a file of the chat
	replaced bool          // there was one of its path
}

// keep makes what the program left behind files of the chat. Where that cannot be,
// it stands in the answer itself, and nothing is lost.
func (r *runner) keep(ctx context.Context, call *tool.Call, a *answer) {
	for i := range a.ran.Reply.Artifacts {
		a.left = append(a.left, leftOf(&a.ran.Reply.Artifacts[i]))
	}
	if len(a.left) == 0 {
		return
	}
	if r.options.Files != nil {
		a.unsaved = r.save(ctx, call, a.left)
		if a.unsaved == nil {
			if r.options.Address != nil {
				a.address = r.options.Address(call, a.left[0].Path)
			}
			return
		}
	}
	for i := range a.left {
		if l := &a.left[i]; l.block == nil {
			l.block = told(&l.File)
		}
	}
}

// told is a file as it stands in an answer: text as such, under its path.
func told(f *File) *tool.Content {
	if tool.IsText(f.Data) {
		return &tool.Content{Type: tool.ContentText, Text: "[" + f.Path + "]\n" + string(f.Data)}
	}
	return &tool.Content{Type: tool.ContentResource, Data: data(f.Data), MIMEType: f.Media}
}

// save puts the files into the chat.
func (r *runner) save(ctx context.Context, call *tool.Call, all []left) error {
	before, err := r.options.Files.List(ctx, call)
	if err != nil {
		return err
	}
	files := make([]File, 0, len(all))
	for i := range all {
		files = append(files, all[i].File)
	}
	if err := r.options.Files.Save(ctx, call, files); err != nil {
		return err
	}
	for i := range all {
		all[i].saved = true
		all[i].replaced = slices.ContainsFunc(before, func(f File) bool { return f.Path == all[i].Path })
	}
	return nil
}

// leftOf looks at a file: images and sounds, told by their bytes, are shown.
func leftOf(f *wire.File) left {
	l := left{File: File{Path: f.Name, Size: int64(len(f.Data)), Data: f.Data, Media: mediaOf(f.Name, f.Data)}}
	if block, ok := picture(f.Data); ok {
		l.block, l.Media = &block, block.MIMEType
	}
	return l
}

// picture is the block that shows bytes of an image or a sound; ok is false for
// other bytes.
func picture(data []byte) (block tool.Content, ok bool) {
	if tool.IsText(data) {
		return tool.Content{}, false
	}
	out, err := tool.RenderBytes(data, "", tool.OutputAuto)
	if err != nil || len(out.Content) != 1 || out.Content[0].Type == tool.ContentResource {
		return tool.Content{}, false
	}
	return out.Content[0], true
}

// data is never nil, which would be no bytes but no content.
func data(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
