#!/bin/sh
# Runs the MCP conformance suite of both revisions against a server:
#
#   npm ci && ./run.sh http://127.0.0.1:8099/mcp
#
# The exit code is 0 only when both revisions pass. What a gateway with declared
# tools cannot answer yet stands in the baselines; an entry that passes by now
# fails the run, so the baselines never lie. The details of every check are
# under the folder that OUT names (./results by default).
set -u

url=${1:?usage: run.sh URL}
cd "$(dirname "$0")" || exit 2
node=node_modules/node/bin/node # the suite needs Node 22 or newer
suite=node_modules/@modelcontextprotocol/conformance/dist/index.js
out=${OUT:-results}
failed=0
for revision in 2025-11-25 2026-07-28; do
	echo "conformance $revision"
	"$node" "$suite" server --url "$url" --requirements "$revision" \
		--expected-failures "baseline-$revision.yml" -o "$out/$revision" || failed=1
done
exit "$failed"
