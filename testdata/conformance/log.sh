#!/bin/sh
# Answers, and writes lines of a log while it does.
for n in 1 2 3; do
	echo "line $n of the log" >&2
	sleep 0.05
done
echo "Three lines were logged."
