package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	goclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	gomcp "github.com/mark3labs/mcp-go/mcp"
	goserver "github.com/mark3labs/mcp-go/server"
)

const (
	envBehind = "BENCH_BEHIND" // the address of the server behind a proxy
	hopTime   = 10 * time.Second
	maxIdle   = 256 // connections that the proxy keeps to what is behind it
)

// serveEcho answers a POST of {"text": …} with the same: the internal API that a team
// has, without any protocol of tools.
func serveEcho(address string) error {
	return listen(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !json.Valid(body) {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
}

// serveProxy passes every call through to the server behind it, as proxies of MCP
// servers that are written with mcp-go do: its tools are those of the other side, and
// each call is one of a client that all callers share. The client is given what makes it
// fastest: connections that stay open, and as many as there are callers. It validates,
// decides and records nothing.
func serveProxy(address string) error {
	ctx := context.Background()
	pool := http.DefaultTransport.(*http.Transport).Clone()
	pool.MaxIdleConns, pool.MaxIdleConnsPerHost = maxIdle, maxIdle
	behind, err := goclient.NewStreamableHttpClient("http://"+os.Getenv(envBehind)+"/mcp", transport.WithHTTPBasicClient(&http.Client{Transport: pool, Timeout: hopTime}))
	if err != nil {
		return err
	}
	if err := behind.Start(ctx); err != nil {
		return err
	}
	hello := gomcp.InitializeRequest{}
	hello.Params.ProtocolVersion = gomcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = gomcp.Implementation{Name: "proxy", Version: "1"}
	if _, err := behind.Initialize(ctx, hello); err != nil {
		return err
	}
	list, err := behind.ListTools(ctx, gomcp.ListToolsRequest{})
	if err != nil {
		return err
	}
	if len(list.Tools) == 0 {
		return errors.New("there is no tool behind the proxy")
	}
	s := goserver.NewMCPServer("proxy", "1")
	for _, t := range list.Tools {
		s.AddTool(t, func(ctx context.Context, req gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
			through := gomcp.CallToolRequest{}
			through.Params.Name, through.Params.Arguments = req.Params.Name, req.Params.Arguments
			return behind.CallTool(ctx, through)
		})
	}
	return listen(address, goserver.NewStreamableHTTPServer(s))
}

// startProxies starts what stands behind, and then those before it: a gateway whose
// echo is a request to the API, and the proxy.
func (all servers) startProxies(dir, program, self string) error {
	for _, name := range []string{"echo", "mcp-go"} {
		if err := all.addBare(dir, name, self, 0); err != nil {
			return err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	config := dir + "/hop.yaml"
	if err := os.WriteFile(config, fmt.Appendf(nil, hop, address, "http://"+all["echo"].address), 0o600); err != nil {
		return err
	}
	if err := all.add(dir, "gateway", address, nil, program, "serve", "--config", config); err != nil {
		return err
	}
	if address, err = freeAddress(); err != nil {
		return err
	}
	return all.add(dir, "proxy", address, []string{envBehind + "=" + all["mcp-go"].address}, self, "proxy", address)
}

// hop is the configuration of the gateway that has one hop behind it: its address, and
// that of the API.
const hop = `
version: 1
server: {listen: %q}
networks: {allow: [127.0.0.0/8]}
upstreams: {api: {url: %q}}
tools:
  echo:
    description: Say it again.
    tags: [read_only, network]
    parameters: {type: object, properties: {text: {type: string}}, required: [text]}
    http: {upstream: api, method: POST, path: /mcp, body: {json: "${args}"}, result: body.text}
policy:
  default: deny
  rules:
    - {name: no deletes, tags: [destructive], action: deny}
    - {name: not too long, tags: [read_only], when: len(args.text) > 1000, action: deny}
    - {name: reads, tags: [read_only], action: allow}
`
