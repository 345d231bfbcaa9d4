#!/usr/bin/env bash
# The Python SDK, the TypeScript SDK (2 and 1) and the Inspector's command line each list the tools and call each of
# them, over stdio and HTTP. Both SDKs start calls as tasks over HTTP, leave and come back, with a model that takes some
# seconds: bench/mcp/clients.sh FOLDER [PROGRAM]
# FOLDER is where setup.sh installed the clients.
set -euo pipefail
folder=$(cd "${1:?usage: bench/mcp/clients.sh FOLDER [PROGRAM]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/started.sh"
program=${2:-${CARGO_TARGET_DIR:-$here/../../target}/debug/peelback}
export NODE_FOLDER=$folder NO_PROXY=127.0.0.1,localhost
node=$folder/node_modules/node/bin/node
stdio=("$program" serve --root "$here/../../docs/demo")

logs=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}"; rm -rf "$logs"' EXIT
"${stdio[@]}" --http 127.0.0.1:0 2>"$logs/server" &
pids+=($!)
url=$(url_of "$logs/server")
"$folder/venv/bin/python" "$here/model.py" 2 2>"$logs/model" &
pids+=($!)
model=$(url_of "$logs/model")
OPENAI_API_KEY=none "${stdio[@]}" --model openai/slow --base-url "$model" --http 127.0.0.1:0 2>"$logs/slow" &
pids+=($!)
slow=$(url_of "$logs/slow")

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
run "Python, tasks" "$folder/venv/bin/python" "$here/tasks.py" "$slow"
run "TypeScript, tasks" "$node" "$here/tasks.mjs" "$slow"
exit $bad
