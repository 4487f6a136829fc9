#!/bin/sh
# Says three times how far it is, slowly enough for each to be told.
for done in 0 50 100; do
	echo "{\"progress\": $done, \"total\": 100}"
	sleep 0.25
done
echo "All steps are done."
