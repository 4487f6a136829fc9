// Package toolgate is the tool gateway for LLM agents as a part of a Go program: the
// tools of a file and those that the program brings, behind one policy, one record of
// calls and the same two doors that the program gateway serves.
//
// A program opens a [Gateway] with [Open], from files, from a text of its own, or both,
// and brings tools that it made with package gateway/tool:
//
//	gw, err := toolgate.Open(ctx, toolgate.Options{
//		Files: []string{"tools.yaml"},
//		Tools: []*tool.Tool{tool.Func("price", "Give the price of an article.", price)},
//	})
//	if err != nil { … }
//	defer gw.Close()
//	result := gw.Call(ctx, tool.Call{Tool: "price", Arguments: json.RawMessage(`{"article": "tea"}`)})
//
// Every call takes the same way, from wherever it comes: arguments are cast and
// validated, hooks and rules see it, limits count it, and it is recorded.
//
//   - [Gateway.Call], [Gateway.Batch] and [Gateway.Start] make calls, [Gateway.Tools]
//     lists what the caller may be shown; package gateway/provider puts lists into the
//     forms that model providers take.
//   - [Gateway.Register] brings further tools, and takes them out again.
//   - [Gateway.Serve] serves both doors; [Gateway.Handler], [Gateway.MCP] and
//     [Gateway.HTTP] are for a server of the program's own.
//   - [Check] is what gateway lint says, for the program's tests.
//
// The package ends no process, handles no signal, and changes neither the standard
// logger nor how memory is collected. Any number of gateways may be open in one process,
// each with a store of its own.
package toolgate
