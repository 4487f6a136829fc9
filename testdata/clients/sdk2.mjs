// The second generation of the TypeScript SDK, which finds out by itself that
// the server speaks 2026-07-28. Falling back to sessions would be a fault here, unless
// an older revision is asked for.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { run } from './check.mjs';

const wanted = process.argv[4] ?? '2026-07-28';
const mode = wanted === '2026-07-28' ? 'auto' : 'legacy';

await run('sdk2', async (url, onChanged, user) => {
  const capabilities = user ? { elicitation: { form: {} } } : {};
  const options = { capabilities, versionNegotiation: { mode }, listChanged: { tools: { onChanged } } };
  const client = new Client({ name: 'sdk2', version: '1.0.0' }, options);
  if (user) client.setRequestHandler('elicitation/create', (request) => user(request.params));
  await client.connect(new StreamableHTTPClientTransport(url));
  const era = client.getNegotiatedProtocolVersion();
  if (era !== wanted) throw new Error(`negotiated ${era}, want ${wanted}`);
  return { client, era, call: (params, options) => client.callTool(params, options) };
});
