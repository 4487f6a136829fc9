package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/toolgate/toolgate/gateway/chat"
	"github.com/toolgate/toolgate/gateway/tool"
)

func (h *localChats) files(ctx context.Context, key chat.Key) ([]chat.File, error) {
	if err := tool.CheckChatID(key.ID); err != nil {
		return nil, usagef("%w", err)
	}
	files, err := h.desk.Files(ctx, key)
	return files, fileFailure(err)
}

func (h *localChats) openFile(ctx context.Context, key chat.Key, path string) (chat.File, io.ReadCloser, error) {
	file, content, err := h.desk.OpenFile(ctx, key, path)
	if err != nil {
		return file, nil, fileFailure(err)
	}
	return file, io.NopCloser(io.NewSectionReader(content, 0, file.Size)), nil
}

func (h *localChats) putFile(ctx context.Context, key chat.Key, up chat.Upload) (chat.File, bool, error) {
	if err := tool.CheckChatID(key.ID); err != nil {
		return chat.File{}, false, usagef("%w", err)
	}
	if err := h.owned(key); err != nil {
		return chat.File{}, false, err
	}
	file, fresh, err := h.desk.PutFile(ctx, key, up)
	return file, fresh, fileFailure(err)
}

func (h *localChats) deleteFile(ctx context.Context, key chat.Key, path string) error {
	return fileFailure(h.desk.DeleteFile(ctx, key, path, nil))
}

// fileFailure words what went wrong about a file for whoever typed the command.
func fileFailure(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
		return err
	case e.Code == tool.Internal:
		return fmt.Errorf("%s: %w", e.Message, e.Cause)
	}
	return fmt.Errorf("%s%s", e.Message, hinted(strings.TrimSuffix(e.Hint, ".")))
}
