package host

import (
	"context"
	"net/url"
	"sync/atomic"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/interpreter"
	"github.com/toolgate/toolgate/gateway/tool"
)

// programFiles are the files of chats as programs are given them and leave them. The desk
// is opened after the configuration was compiled.
type programFiles struct{ desk atomic.Pointer[chat.Desk] }

// List gives the files of the call's chat.
func (c *programFiles) List(ctx context.Context, call *tool.Call) ([]interpreter.File, error) {
	saved, err := c.desk.Load().ListFiles(ctx, call.Caller, call.Chat.ID)
	if err != nil {
		return nil, err
	}
	files := make([]interpreter.File, 0, len(saved))
	for i := range saved {
		files = append(files, interpreter.File{Path: saved[i].Path, Media: saved[i].Media, Size: saved[i].Size})
	}
	return files, nil
}

// Read gives one of them, whole.
func (c *programFiles) Read(ctx context.Context, call *tool.Call, path string) (interpreter.File, error) {
	f, data, err := c.desk.Load().ReadFile(ctx, call.Caller, call.Chat.ID, path)
	return interpreter.File{Path: f.Path, Media: f.Media, Size: f.Size, Data: data}, err
}

// Save puts files into the call's chat, all or none.
func (c *programFiles) Save(ctx context.Context, call *tool.Call, files []interpreter.File) error {
	all := make([]chat.NewFile, 0, len(files))
	for i := range files {
		all = append(all, chat.NewFile{Path: files[i].Path, Media: files[i].Media, Data: files[i].Data})
	}
	return c.desk.Load().SaveFiles(ctx, call.Caller, call.Chat.ID, all)
}

// fileAddress is where the HTTP API has a file of the call's chat.
func fileAddress(call *tool.Call, path string) string {
	u := url.URL{Path: path}
	return "/v1/chats/" + url.PathEscape(call.Chat.ID) + "/files/" + u.EscapedPath()
}
