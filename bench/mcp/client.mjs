// Lists the tools of an MCP server and calls each with the TypeScript SDK.
//
// client.mjs MODE CALLS URL | client.mjs MODE CALLS COMMAND ARG ...
// MODE: auto, legacy, 2026-07-28 (SDK 2), or v1 (SDK 1, which knows only the protocol before 2026-07-28).
// CALLS: a JSON file of {tool: arguments or [arguments, ...]}, with every tool in it. The packages are in
// $NODE_FOLDER/node_modules.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [mode, file, ...target] = process.argv.slice(2);
const load = path => import(pathToFileURL(`${process.env.NODE_FOLDER}/node_modules/@modelcontextprotocol/${path}`).href);
const v1 = mode === 'v1';
const { Client, StreamableHTTPClientTransport: Http } = v1
    ? { ...(await load('sdk/dist/esm/client/index.js')), ...(await load('sdk/dist/esm/client/streamableHttp.js')) }
    : await load('client/dist/index.mjs');
const { StdioClientTransport: Stdio } = await load(v1 ? 'sdk/dist/esm/client/stdio.js' : 'client/dist/stdio.mjs');

const options = v1 ? {} : { versionNegotiation: { mode: mode === '2026-07-28' ? { pin: mode } : mode } };
const client = new Client({ name: 'peelback-bench', version: '1.0.0' }, options);
const transport = target[0].startsWith('http')
    ? new Http(new URL(target[0]))
    : new Stdio({ command: target[0], args: target.slice(1), env: process.env });
await client.connect(transport);

let made = 0;
let failures = 0;
const fail = text => {
    console.log(`FAIL ${text}`);
    failures++;
};
const calls = JSON.parse(readFileSync(file, 'utf8'));
const names = (await client.listTools()).tools.map(tool => tool.name);
if (names.toSorted().join() !== Object.keys(calls).sort().join()) fail(`the list is ${names}`);
for (const [name, given] of Object.entries(calls)) {
    for (const arguments_ of [given].flat()) {
        const result = await client.callTool({ name, arguments: arguments_ });
        const text = result.content.map(block => block.text ?? '').join('');
        made++;
        if (result.isError || !text.trim()) fail(`${name}: ${text}`);
    }
}
const version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? 'of SDK 1';
console.log(`protocol ${version}: ${names.length} tools listed, ${made} calls, ${failures} failures`);
await client.close();
process.exit(failures ? 1 : 0);
