#!/bin/sh
# Lets the MCP Inspector look at the tools of a server, in both eras:
#
#   npm ci && ./run.sh http://127.0.0.1:8098/mcp
#
# The exit code is 0 only when it finds nothing in their schemas that a client
# could trip over, and can call the tool that the second argument names, if any,
# with the arguments of the third.
set -eu

url=${1:?usage: run.sh URL [TOOL ARGUMENTS]}
cd "$(dirname "$0")"
HOME=$(mktemp -d) # the Inspector keeps files there
export HOME
trap 'rm -rf "$HOME"' EXIT
inspect() {
	node_modules/node/bin/node node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js --cli "$url" "$@"
}
for era in legacy modern; do
	inspect --protocol-era "$era" --method tools/list --strict >"$HOME/list.json" 2>"$HOME/findings" || { cat "$HOME/findings" "$HOME/list.json"; exit 1; }
	[ ! -s "$HOME/findings" ] || { cat "$HOME/findings"; exit 1; }
	if [ $# -gt 1 ]; then
		inspect --protocol-era "$era" --method tools/call --tool-name "$2" --tool-args-json "${3:-{\}}" >"$HOME/call.json" || { cat "$HOME/call.json"; exit 1; }
	fi
	echo "inspector: ok ($era): $(grep -c '"inputSchema"' "$HOME/list.json") tools"
done
