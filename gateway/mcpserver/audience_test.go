package mcpserver_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolgate/toolgate/gateway/mcpserver"
	"github.com/toolgate/toolgate/gateway/tool"
)

// byChat shows another list in the chat "c", and in those it is told.
type byChat struct {
	fake
	active atomic.Pointer[[]string]
}

func (b *byChat) Tools(_ context.Context, v tool.View) []*tool.Spec {
	if on := b.active.Load(); v.Chat.ID == "c" || on != nil && slices.Contains(*on, v.Chat.ID) {
		return numbered(2)
	}
	return numbered(1)
}

// ear is a client that counts what it is told.
type ear struct {
	session *mcp.ClientSession
	heard   chan struct{}
	times   atomic.Int64
}

func listenAt(t *testing.T, transport mcp.Transport, version string) *ear {
	t.Helper()
	e := &ear{heard: make(chan struct{}, 1)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			e.times.Add(1)
			select {
			case e.heard <- struct{}{}:
			default:
			}
		},
	})
	e.session = connect(t, client, transport, version)
	return e
}

// TestChatChanged holds that a change of one chat is told to those who use it, in
// both eras, and to nobody else.
func TestChatChanged(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			s := mcpserver.New(&byChat{}, mcpserver.Options{})
			web := serve(t, s)
			at := func(path string) *ear {
				return listenAt(t, &mcp.StreamableClientTransport{Endpoint: web.URL + path, HTTPClient: web.Client()}, version)
			}
			mine, other, plain := at("/chats/c/mcp"), at("/chats/d/mcp"), at("/mcp")
			own := tool.DefaultChat
			if version == "2025-11-25" {
				own = plain.session.ID()
			}
			said := map[string]int64{}
			say := func(chat string) func() {
				return func() {
					said[chat]++
					s.ChatChanged(tool.Anonymous, chat)
				}
			}
			others := func() { // listen by now, and have heard what was said before
				untilHeard(t, say("d"), other.heard)
				untilHeard(t, say(own), plain.heard)
			}
			others()
			untilHeard(t, say("c"), mine.heard)
			for range 20 {
				s.ChatChanged("somebody", "d")
				s.ChatChanged("somebody", own)
				s.ChatChanged(tool.Anonymous, "e")
				say("c")()
			}
			untilHeard(t, say("c"), mine.heard)
			others()
			if d, p := other.times.Load(), plain.times.Load(); d > said["d"] || p > said[own] {
				t.Errorf("told %d and %d times, %d and %d of them of the own chat", d, p, said["d"], said[own])
			}
			for e, want := range map[*ear]int{mine: 2, other: 1, plain: 1} {
				list, err := e.session.ListTools(t.Context(), nil)
				if err != nil || len(list.Tools) != want {
					t.Errorf("%v, want %d tools, %v", list, want, err)
				}
			}
		})
	}
}

// TestChatChangedOverPipes holds the same of a client on a pipe, whose chat is the
// default one.
func TestChatChangedOverPipes(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			gw := &byChat{}
			s := mcpserver.New(gw, mcpserver.Options{})
			t.Cleanup(func() { _ = s.Close() })
			e := listenAt(t, overStdio(t, s), version)
			gw.active.Store(&[]string{"", tool.DefaultChat})
			untilHeard(t, func() { s.ChatChanged(tool.Anonymous, tool.DefaultChat) }, e.heard)
			if list, err := e.session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 2 {
				t.Errorf("%v, %v", list, err)
			}
		})
	}
}

// TestClosedTellsNobody holds that who is told after the end waits for nothing.
func TestClosedTellsNobody(t *testing.T) {
	s := mcpserver.New(&byChat{}, mcpserver.Options{})
	web := serve(t, s)
	e := listenAt(t, &mcp.StreamableClientTransport{Endpoint: web.URL + "/chats/c/mcp", HTTPClient: web.Client()}, "2025-11-25")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.ChatChanged(tool.Anonymous, "c")
	if e.times.Load() != 0 {
		t.Error("told")
	}
}
