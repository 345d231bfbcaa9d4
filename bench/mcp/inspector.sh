#!/usr/bin/env bash
# Lists the tools of an MCP server and calls each with the Inspector's command line:
# inspector.sh FOLDER CALLS URL | inspector.sh FOLDER CALLS COMMAND ARG ...
set -euo pipefail
folder=$1 calls=$2
shift 2
node=$folder/node_modules/node/bin/node
cli=$folder/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MCP_INSPECTOR_SECRET_STORE=memory MCP_STORAGE_DIR=$work/storage MCP_CLIENT_CONFIG_PATH=$work/client.json
# A session file: the Inspector would take the server's flags for its own.
"$node" -e '
    const [file, first, ...rest] = process.argv.slice(1);
    const server = /^http/.test(first)
        ? { type: "streamable-http", url: first }
        : { type: "stdio", command: first, args: rest, env: process.env };
    require("fs").writeFileSync(file, JSON.stringify({ mcpServers: { it: server } }));
' "$work/session.json" "$@"
inspect() {
    timeout 120 "$node" "$cli" --cli --config "$work/session.json" --server it --protocol-era auto --format json "$@" \
        2>"$work/errors" || {
        cat "$work/errors" >&2
        return 1
    }
}

inspect --method tools/list --strict >"$work/list.json"
"$node" -e '
    const read = file => JSON.parse(require("fs").readFileSync(file, "utf8"));
    const list = read(process.argv[1]);
    const calls = read(process.argv[2]);
    const names = (list.result ?? list).tools.map(tool => tool.name);
    if (names.toSorted().join() !== Object.keys(calls).sort().join()) throw new Error(`the list is ${names}`);
    for (const [name, given] of Object.entries(calls))
        for (const one of [given].flat()) console.log(name + "\t" + JSON.stringify(one));
' "$work/list.json" "$calls" >"$work/calls"
made=0 failures=0
while IFS=$'\t' read -r name arguments; do
    made=$((made + 1))
    inspect --method tools/call --tool-name "$name" --tool-args-json "$arguments" >"$work/call.json" </dev/null &&
        "$node" -e '
            let result = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
            result = result.result ?? result;
            process.exit(result.isError || !result.content.some(block => block.text?.trim()) ? 1 : 0);
        ' "$work/call.json" || {
        echo "FAIL $name: $(head -c 300 "$work/call.json")"
        failures=$((failures + 1))
    }
done <"$work/calls"
echo "$(grep -c . <(cut -f1 "$work/calls" | sort -u)) tools listed, $made calls, $failures failures"
[ $failures = 0 ]
