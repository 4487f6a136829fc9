package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"
	goserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bare are the servers that this program itself can be, by name.
var bare = map[string]func(address string) error{
	"mcp-go": serveMCPGo,
	"go-sdk": serveSDK,
	"static": serveFile,
	"echo":   serveEcho,
	"proxy":  serveProxy,
}

// environment variables tell a server what the one that started it knows.
const (
	envTools   = "BENCH_TOOLS"   // how many tools there are beside echo
	envProfile = "BENCH_PROFILE" // see testdata/profile.go
	listFile   = "list.json"     // in the folder of the servers
)

// others are the tools beside echo, by name.
func others() (names []string) {
	n, _ := strconv.Atoi(os.Getenv(envTools)) // none when there are none
	for i := range n {
		names = append(names, toolName(i))
	}
	return names
}

func toolName(i int) string { return fmt.Sprintf("tool_%05d", i) }

// listed is the description of each of them.
const listed = "Find the customers of a region by their id, their state or words in them, newest first."

// schema is that of each of them, and close to it that of echo.
const schema = `{"type":"object","properties":{"text":{"type":"string","description":"Words to look for in titles and texts"},` +
	`"limit":{"type":"integer","description":"Most records to return","minimum":1,"maximum":100},` +
	`"state":{"type":"string","enum":["open","closed","waiting"],"description":"Only records in this state"}},"required":["text"]}`

// serveFile serves the list that the gateway gave, as a file.
func serveFile(address string) error {
	return listen(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, listFile) }))
}

// firstStateless is the revision of MCP that did away with sessions.
const firstStateless = "2026-07-28"

// serveMCPGo serves as mcp-go does when nothing is chosen: both eras by one
// handler, answers as plain JSON.
func serveMCPGo(address string) error {
	s := goserver.NewMCPServer("bench", "1")
	s.AddTool(
		gomcp.NewTool("echo", gomcp.WithDescription("Say it again."), gomcp.WithString("text", gomcp.Required())),
		func(_ context.Context, req gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
			text, err := req.RequireString("text")
			if err != nil {
				return gomcp.NewToolResultError(err.Error()), nil
			}
			return gomcp.NewToolResultText(text), nil
		},
	)
	for _, name := range others() {
		s.AddTool(gomcp.NewToolWithRawSchema(name, listed, json.RawMessage(schema)), func(context.Context, gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
			return gomcp.NewToolResultText(""), nil
		})
	}
	return listen(address, goserver.NewStreamableHTTPServer(s))
}

// serveSDK serves with go-sdk as fast as its options allow: answers as plain
// JSON, and the tool in its low-level form, which validates nothing. One handler
// serves one era only.
func serveSDK(address string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{
		Name: "echo", Description: "Say it again.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
	}, echo)
	for _, name := range others() {
		s.AddTool(&mcp.Tool{Name: name, Description: listed, InputSchema: json.RawMessage(schema)}, echo)
	}
	get := func(*http.Request) *mcp.Server { return s }
	sessions := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true})
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: true})
	return listen(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= firstStateless {
			stateless.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	}))
}

func echo(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return nil, err
	}
	if args.Text == nil {
		return nil, errors.New("text is missing")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: *args.Text}}}, nil
}

func listen(address string, mcp http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp)
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	server := http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}
