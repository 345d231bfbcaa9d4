// Starts two calls as tasks with the TypeScript SDK, leaves, comes back for the result of one and withdraws the other.
//
// tasks.mjs URL: a server whose model takes some seconds. The packages are in $NODE_FOLDER/node_modules. The SDK knows no
// tasks: it refuses a result that is one, whose id is therefore read from the message, and its requests for tasks get the
// header with their id here.
import assert from 'node:assert';
import { pathToFileURL } from 'node:url';

const { Client, StreamableHTTPClientTransport: Http } = await import(
    pathToFileURL(`${process.env.NODE_FOLDER}/node_modules/@modelcontextprotocol/client/dist/index.mjs`).href
);
const version = '2026-07-28';
const anything = { '~standard': { version: 1, vendor: 'bench', validate: value => ({ value }) } };

async function connect() {
    const client = new Client(
        { name: 'peelback-bench', version: '1.0.0' },
        {
            versionNegotiation: { mode: { pin: version } },
            capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
        },
    );
    const named = (url, init) => {
        const task = init?.body && JSON.parse(init.body).params?.taskId;
        const headers = new Headers(init?.headers);
        if (task) headers.set('Mcp-Name', task);
        return fetch(url, { ...init, headers });
    };
    const transport = new Http(new URL(process.argv[2]), { fetch: named });
    await client.connect(transport);
    const seen = [];
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
        if (message.result?.resultType === 'task') seen.push(message.result);
        receive(message, extra);
    };
    return { client, seen };
}

const about = (client, method, taskId) => client.request({ method, params: { taskId } }, anything);

async function settled(client, taskId) {
    for (let tries = 0; tries < 300; tries++) {
        const state = await about(client, 'tasks/get', taskId);
        if (state.status !== 'working') return state;
        await new Promise(resolve => setTimeout(resolve, 200));
    }
    throw new Error(`${taskId} is still at work`);
}

const first = await connect();
const calls = [
    ['scope', { question: 'How are the prices of a cart added up?' }],
    ['context', {}],
];
for (const [name, arguments_] of calls) {
    await assert.rejects(first.client.request({ method: 'tools/call', params: { name, arguments: arguments_ } }, anything));
}
assert.equal(first.seen.length, 2, 'each call is a task');
const [kept, withdrawn] = first.seen.map(task => task.taskId);
await first.client.close();
// The client has left. Another one comes, over a new connection.
const second = await connect();
await about(second.client, 'tasks/cancel', withdrawn);
assert.equal((await settled(second.client, withdrawn)).status, 'cancelled');
const found = await settled(second.client, kept);
assert.equal(found.status, 'completed', JSON.stringify(found));
assert.match(found.result.content[0].text, /The slow model wrote this/);
await second.client.close();
console.log('2 tasks started, 1 result after coming back, 1 withdrawn, 0 failures');
process.exit(0);
