package toolgate

import (
	"context"
	"io"
	"net/http"
)

// Handler serves both doors: MCP at /mcp, /p/PROFILE/mcp and /chats/ID/mcp, and the HTTP
// API at /v1, with /healthz, /readyz and /metrics. Who may come in is what the "server"
// section says: without a token in it only requests that come in on loopback are
// answered. To serve it below a prefix, strip that ([http.StripPrefix]).
func (g *Gateway) Handler() http.Handler { return g.doors.Both }

// MCP serves the Model Context Protocol alone, at the paths that Handler has for it and
// behind the same guard.
func (g *Gateway) MCP() http.Handler { return g.doors.MCP }

// HTTP serves the HTTP API alone, at the paths that Handler has for it and behind the
// same guard.
func (g *Gateway) HTTP() http.Handler { return g.doors.HTTP }

// Serve listens at server.listen and serves both doors until the context is over; then
// it takes no new request, lets calls under way finish for ten seconds, and ends what is
// left. No call is to be made after it: all there is to do is Close.
func (g *Gateway) Serve(ctx context.Context) error {
	return g.server.Listen(ctx, g.server.Config.Server.Listen)
}

// ServeStdio serves one MCP client, such as the program's parent on os.Stdin and
// os.Stdout, until it is gone or the context is over. Nothing else may be written to out.
func (g *Gateway) ServeStdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	return g.server.ServeStdio(ctx, in, out)
}

// Stop is for a program that serves the handlers with a server of its own, which calls
// it when that server takes no new requests, so as for [http.Server.RegisterOnShutdown]:
// it lets calls under way finish, for ten seconds, and ends those that are left, streams
// of events and sessions, which the server would wait for. All there is to do then is
// Close.
func (g *Gateway) Stop() error { return g.server.Finish(func() {}) }
