// Uses a server with both SDK clients and both eras of the protocol: client.mjs http URL
// KEY, or client.mjs stdio COMMAND. It fails if a result is not what it should be.
import assert from "node:assert";

const [transport, target, key] = process.argv.slice(2);
const modern = await import("@modelcontextprotocol/client");
const modernStdio = await import("@modelcontextprotocol/client/stdio");
const classic = await import("@modelcontextprotocol/sdk/client/index.js");
const classicHTTP = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
const classicStdio = await import("@modelcontextprotocol/sdk/client/stdio.js");

const requestInit = { headers: { Authorization: `Bearer ${key}` } };
const stdio = { command: target, args: [], env: process.env };
const info = { name: "test", version: "1" };
const open = {
	modern: () => [new modern.Client(info), transport === "http" ? new modern.StreamableHTTPClientTransport(new URL(target), { requestInit }) : new modernStdio.StdioClientTransport(stdio)],
	stateless: () => [new modern.Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), transport === "http" ? new modern.StreamableHTTPClientTransport(new URL(target), { requestInit }) : new modernStdio.StdioClientTransport(stdio)],
	classic: () => [new classic.Client(info), transport === "http" ? new classicHTTP.StreamableHTTPClientTransport(new URL(target), { requestInit }) : new classicStdio.StdioClientTransport(stdio)],
};
for (const [name, make] of Object.entries(open)) {
	const [client, connection] = make();
	await client.connect(connection);
	const { tools } = await client.listTools();
	assert(tools.some((t) => t.name === "create_draft"), name);
	assert.deepEqual(tools.map((t) => t.name), tools.map((t) => t.name).toSorted());
	const content = `by ${name} over ${transport}`;
	const first = await client.callTool({ name: "create_draft", arguments: { content } });
	assert.equal(first.structuredContent.post.content, content);
	const again = await client.callTool({ name: "create_draft", arguments: { content } });
	assert.equal(again.structuredContent.replayed, true);
	const id = first.structuredContent.post.id;
	const failed = await client.callTool({ name: "edit_post", arguments: { id, version: 99, content: "x" } });
	assert.equal(JSON.parse(failed.content[0].text).error.code, "VERSION_MISMATCH");
	const read = await client.readResource({ uri: `schedctl://posts/${id}` });
	assert.equal(JSON.parse(read.contents[0].text).post.id, id);
	assert.equal((await client.listPrompts()).prompts[0].name, "plan-the-week");
	await client.close();
	console.log("ok", name, transport);
}
