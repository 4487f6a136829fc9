package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolgate/toolgate/gateway/chat"
)

// transferTimeout is how long a file may take to a gateway, or from it.
const transferTimeout = 10 * time.Minute

// ofCaller says whose chat is meant, where that is said.
func ofCaller(key chat.Key) url.Values {
	if key.Caller == "" {
		return nil
	}
	return url.Values{"caller": {key.Caller}}
}

// filePath are the segments of the path of a file at a gateway.
func filePath(key chat.Key, path string) []string {
	return append([]string{"v1", "chats", key.ID, "files"}, strings.Split(path, "/")...)
}

func (h remoteChats) files(ctx context.Context, key chat.Key) ([]chat.File, error) {
	var answer struct {
		Files []chat.File `json:"files"`
	}
	err := h.ask(ctx, http.MethodGet, nil, ofCaller(key), &answer, "v1", "chats", key.ID, "files")
	return answer.Files, err
}

func (h remoteChats) openFile(ctx context.Context, key chat.Key, path string) (file chat.File, content io.ReadCloser, err error) {
	if err := checkRemotePath(path); err != nil {
		return file, nil, err
	}
	res, err := h.transfer(ctx, http.MethodGet, nil, "", key, path)
	if err != nil {
		return file, nil, err
	}
	file = chat.File{Path: path, Size: res.ContentLength, Media: res.Header.Get("Content-Type"), Digest: strings.Trim(strings.TrimPrefix(res.Header.Get("ETag"), "W/"), `"`)}
	if changed, err := http.ParseTime(res.Header.Get("Last-Modified")); err == nil {
		file.Changed = changed
	}
	return file, res.Body, nil
}

func (h remoteChats) putFile(ctx context.Context, key chat.Key, up chat.Upload) (file chat.File, fresh bool, err error) {
	res, err := h.transfer(ctx, http.MethodPut, up.Body, up.Media, key, up.Path)
	if err != nil {
		return file, false, err
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(res.Body, maxRemoteAnswer)).Decode(&file); err != nil {
		return file, false, fmt.Errorf("what answers at %s is no gateway, or one of another version", h.address())
	}
	return file, res.StatusCode == http.StatusCreated, nil
}

func (h remoteChats) deleteFile(ctx context.Context, key chat.Key, path string) error {
	if err := checkRemotePath(path); err != nil {
		return err
	}
	var answer struct{}
	return h.ask(ctx, http.MethodDelete, nil, ofCaller(key), &answer, filePath(key, path)...)
}

// checkRemotePath refuses what would lead to another address.
func checkRemotePath(path string) error {
	if err := chat.CheckFilePath(path); err != nil {
		return usagef("the path %q %w", path, err)
	}
	return nil
}

// transfer sends a request whose body, or whose answer, is a file. The answer, to be
// closed, says that it was done.
func (h remoteChats) transfer(ctx context.Context, method string, body io.Reader, media string, key chat.Key, path string) (*http.Response, error) {
	req, err := h.request(ctx, method, nil, ofCaller(key), filePath(key, path))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Body, req.ContentLength, req.GetBody = io.NopCloser(body), -1, nil
	}
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	client := *h.client
	client.Timeout = transferTimeout
	res, err := client.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // the address is said already
		}
		return nil, fmt.Errorf("no gateway answers at %s: %w (start it with gateway serve, or correct the address)", h.address(), err)
	}
	if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusCreated {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxRemoteAnswer))
	if err != nil {
		return nil, fmt.Errorf("the answer of %s could not be read: %w", h.address(), err)
	}
	return nil, h.refused(res.StatusCode, data)
}
