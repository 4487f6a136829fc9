// The first generation of the TypeScript SDK: sessions, revisions to 2025-11-25.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { run } from './check.mjs';

await run('sdk1', async (url, onChanged, user) => {
  const options = { capabilities: user ? { elicitation: { form: {} } } : {}, listChanged: { tools: { onChanged } } };
  const client = new Client({ name: 'sdk1', version: '1.0.0' }, options);
  if (user) client.setRequestHandler(ElicitRequestSchema, (request) => user(request.params));
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  return { client, era: transport.protocolVersion, call: (params, options) => client.callTool(params, undefined, options) };
});
