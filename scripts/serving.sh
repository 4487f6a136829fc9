# Functions for scripts that start servers; sourced, not run. They need bash
# only: no curl, no nc.

# listening HOST PORT: something accepts connections there.
listening() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

# require_free HOST PORT WHAT: stops the script when the port is taken.
require_free() {
	if listening "$1" "$2"; then
		echo "port $2 on $1 is taken, and $3 needs it: stop what listens there and try again" >&2
		exit 1
	fi
}

# ready HOST PORT: GET /readyz answers 200.
ready() (
	exec 2>/dev/null 3<>"/dev/tcp/$1/$2" || exit 1
	printf 'GET /readyz HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n' "$1" "$2" >&3
	IFS=' ' read -r -t 5 _ status _ <&3 && [[ $status == 200 ]]
)

# await PID WHAT COMMAND...: waits until COMMAND holds, at most 30 seconds and
# only while the process lives.
await() {
	local pid=$1 what=$2 end=$((SECONDS + 30))
	shift 2
	until "$@"; do
		if ! kill -0 "$pid" 2>/dev/null; then
			echo "$what stopped before it was ready" >&2
			return 1
		fi
		if ((SECONDS >= end)); then
			echo "$what was not ready after 30 seconds" >&2
			return 1
		fi
		sleep 0.1
	done
}

# stop PID...: ends servers and waits for them.
stop() {
	local pid
	for pid in "$@"; do kill "$pid" 2>/dev/null || true; done
	for pid in "$@"; do wait "$pid" 2>/dev/null || true; done
}
