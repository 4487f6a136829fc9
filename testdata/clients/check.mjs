// Runs one MCP client against a gateway and compares what it sees with what is
// expected:
//
//   node sdk1.mjs URL EXPECT
//
// EXPECT is a JSON file, or the JSON itself:
//
//   {"tools": ["a", "b"], "calls": [
//     {"tool": "a", "args": {}, "text": "the whole text"},
//     {"tool": "b", "args": {}, "contains": "part of the text", "error": true},
//     {"tool": "c", "args": {}, "rpcError": -32602}]}
//
// "tools" are the names that must be listed, in any order; others may be listed
// too unless "exact" is true. "text" is compared with the text blocks joined by
// newlines. The exit code is 0 when everything is as expected, 1 when something
// is not, with one line each on stderr, and 2 when the arguments are wrong.
import { readFileSync } from 'node:fs';

// deadline is how long a whole run may take, in milliseconds.
const deadline = 30_000;

// run connects by connect(url), which gives {client, era}, and ends the process.
export async function run(name, connect) {
  const [url, source] = process.argv.slice(2);
  if (!url || !source) {
    console.error(`usage: node ${name}.mjs URL EXPECT`);
    process.exit(2);
  }
  const expect = JSON.parse(source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8'));
  setTimeout(() => end(name, [`no end after ${deadline} ms`]), deadline).unref();
  try {
    const { client, era } = await connect(new URL(url));
    const problems = [...(await checkList(client, expect)), ...(await checkCalls(client, expect.calls ?? []))];
    await client.close();
    if (problems.length === 0) {
      console.log(`${name}: ok (${era}): ${(expect.tools ?? []).length} tools listed, ${(expect.calls ?? []).length} calls as expected`);
    }
    end(name, problems);
  } catch (err) {
    end(name, [err?.stack ?? String(err)]);
  }
}

function end(name, problems) {
  for (const p of problems) console.error(`${name}: ${p}`);
  process.exit(problems.length === 0 ? 0 : 1);
}

async function checkList(client, expect) {
  const listed = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : {});
    listed.push(...page.tools.map((t) => t.name));
    cursor = page.nextCursor;
  } while (cursor);
  const wanted = expect.tools ?? [];
  const problems = wanted.filter((t) => !listed.includes(t)).map((t) => `tool ${t} is not listed; listed: ${listed.join(', ')}`);
  if (expect.exact) {
    problems.push(...listed.filter((t) => !wanted.includes(t)).map((t) => `tool ${t} is listed but not expected`));
  }
  return problems;
}

async function checkCalls(client, calls) {
  const problems = [];
  for (const call of calls) {
    problems.push(...(await checkCall(client, call)).map((p) => `call of ${call.tool}: ${p}`));
  }
  return problems;
}

async function checkCall(client, call) {
  let res;
  try {
    res = await client.callTool({ name: call.tool, arguments: call.args ?? {} });
  } catch (err) {
    if (call.rpcError === undefined) return [`the client threw ${err}`];
    return err.code === call.rpcError ? [] : [`the error code is ${err.code}, want ${call.rpcError}: ${err.message}`];
  }
  return call.rpcError === undefined ? compare(res, call) : [`no error, want code ${call.rpcError}`];
}

function compare(res, call) {
  const text = res.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n');
  const problems = [];
  if (Boolean(res.isError) !== Boolean(call.error)) {
    problems.push(`isError is ${Boolean(res.isError)}, want ${Boolean(call.error)}; the text is ${JSON.stringify(text)}`);
  }
  if (call.text !== undefined && text !== call.text) {
    problems.push(`the text is ${JSON.stringify(text)}, want ${JSON.stringify(call.text)}`);
  }
  if (call.contains !== undefined && !text.includes(call.contains)) {
    problems.push(`the text is ${JSON.stringify(text)}, want it to contain ${JSON.stringify(call.contains)}`);
  }
  return problems;
}
