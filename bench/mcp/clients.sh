#!/usr/bin/env bash
# The Python SDK, the TypeScript SDK (2 and 1) and the Inspector's command line each list the tools and call each of
# them, over stdio and HTTP: bench/mcp/clients.sh FOLDER [PROGRAM]
# FOLDER is where setup.sh installed the clients.
set -euo pipefail
folder=$(cd "${1:?usage: bench/mcp/clients.sh FOLDER [PROGRAM]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/started.sh"
program=${2:-${CARGO_TARGET_DIR:-$here/../../target}/debug/peelback}
export NODE_FOLDER=$folder NO_PROXY=127.0.0.1,localhost
node=$folder/node_modules/node/bin/node
stdio=("$program" serve --root "$here/../../docs/demo")

log=$(mktemp)
"${stdio[@]}" --http 127.0.0.1:0 2>"$log" &
pid=$!
trap 'kill $pid; rm -f "$log"' EXIT
url=$(url_of "$log")

bad=0
run() {
    printf '%-32s' "$1"
    shift
    "$@" || bad=1
}
for mode in auto legacy 2026-07-28; do
    run "Python, stdio, $mode" "$folder/venv/bin/python" "$here/client.py" $mode "$here/calls.json" "${stdio[@]}"
    run "Python, HTTP, $mode" "$folder/venv/bin/python" "$here/client.py" $mode "$here/calls.json" "$url"
done
for mode in auto legacy 2026-07-28 v1; do
    run "TypeScript, stdio, $mode" "$node" "$here/client.mjs" $mode "$here/calls.json" "${stdio[@]}"
    run "TypeScript, HTTP, $mode" "$node" "$here/client.mjs" $mode "$here/calls.json" "$url"
done
run "Inspector, stdio" "$here/inspector.sh" "$folder" "$here/calls.json" "${stdio[@]}"
run "Inspector, HTTP" "$here/inspector.sh" "$folder" "$here/calls.json" "$url"
exit $bad
