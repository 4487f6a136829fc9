#!/bin/sh
# Changes the list of tools: writes a file of the configuration, which the gateway
# reads again.
set -e
cat >changing/new.yaml <<END
tools: {test_changed_tool: {description: "Came at $(date +%s.%N).", tags: [read_only], expr: '"It is here."'}}
END
mv changing/new.yaml changing/tools.yaml
echo "The list of tools is another one now."
