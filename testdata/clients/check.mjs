// Runs one MCP client against a gateway and compares what it sees with what is
// expected:
//
//   node sdk1.mjs URL EXPECT [REVISION]
//
// REVISION is the one that the client is to settle on with the gateway; each client has
// one that it settles on unless told.
//
// EXPECT is a JSON file, or the JSON itself:
//
//   {"tools": ["a", "b"], "calls": [
//     {"tool": "a", "args": {}, "text": "the whole text"},
//     {"tool": "b", "args": {}, "contains": "part of the text", "error": true},
//     {"tool": "c", "args": {}, "rpcError": -32602}],
//   "progress": {"tool": "d", "steps": [0, 1], "total": 1, "text": "done"},
//   "cancel": {"tool": "e", "args": {}, "again": {}},
//   "changed": {"tool": "f", "adds": "g"},
//   "found": {"query": "words", "tool": "i", "args": {}, "text": "it ran"},
//   "asks": [{"tool": "h", "user": {"action": "accept", "content": {"approve": true}}, "text": "it ran"},
//     {"tool": "h", "contains": "cannot ask", "error": true, "sdk2": {"rpcError": -32021}}]}
//
// "progress" is a call that tells these steps; "cancel" one that is given up, and
// the arguments of one after it that is answered only when the first has ended;
// "changed" one after which the client hears of another list, which has a tool
// that is new, or new again; "found" is a tool that is in no list: each time by a new
// client, the query finds it, and the next call is one of it by its name, one by
// call_tool, and one from the list that the client was told to read again, or, from
// 2026-07-28, which is the same as before; "asks" are calls about which the user is
// asked, once, and answers so, made by the tool "by" where there is one. A client
// without a user declares that it cannot ask. What stands
// under the name of a client is for that one.
//
// "tools" are the names that must be listed, in any order; others may be listed
// too unless "exact" is true. "text" is compared with the text blocks joined by
// newlines. The exit code is 0 when everything is as expected, 1 when something
// is not, with one line each on stderr, and 2 when the arguments are wrong.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

// deadline is how long a whole run may take, in milliseconds.
const deadline = 30_000;

// patience is how long anything may take that happens at once, in milliseconds.
const patience = 5_000;

// run connects by connect(url, onChanged, user), which gives {client, era, call}, and
// ends the process. onChanged(error, tools) is to be told of lists that changed;
// user(params) gives what the user says to a form, and where there is none the client
// declares no forms; call(params, options) calls a tool with {onprogress, signal}.
export async function run(name, connect) {
  const [url, source, revision] = process.argv.slice(2);
  if (!url || !source) {
    console.error(`usage: node ${name}.mjs URL EXPECT [REVISION]`);
    process.exit(2);
  }
  const expect = JSON.parse(source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8'));
  setTimeout(() => end(name, [`no end after ${deadline} ms`]), deadline).unref();
  try {
    const lists = [];
    const { client, era, call } = await connect(new URL(url), (error, tools) => lists.push({ error, tools }));
    if (revision && era !== revision) throw new Error(`settled on ${era}, want ${revision}`);
    const problems = [...(await checkList(client, expect)), ...(await checkCalls(client, expect.calls ?? []))];
    if (expect.progress) problems.push(...(await checkProgress(call, expect.progress)));
    if (expect.cancel) problems.push(...(await checkCancel(call, expect.cancel)));
    if (expect.changed) problems.push(...(await checkChanged(call, expect.changed, lists)));
    await client.close();
    if (expect.found) problems.push(...(await checkFound(connect, era, expect.found)));
    for (const ask of expect.asks ?? []) problems.push(...(await checkAsk(name, connect, ask)));
    if (problems.length === 0) {
      const more = ['progress', 'cancel', 'changed', 'found', 'asks'].filter((k) => expect[k]).map((k) => `, ${k}`);
      console.log(`${name}: ok (${era}): ${(expect.tools ?? []).length} tools listed, ${(expect.calls ?? []).length} calls as expected${more.join('')}`);
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

async function allTools(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : {});
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor);
  return tools;
}

async function checkList(client, expect) {
  const listed = (await allTools(client)).map((t) => t.name);
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
  return judge(() => client.callTool({ name: call.tool, arguments: call.args ?? {} }), call);
}

async function judge(make, call) {
  let res;
  try {
    res = await make();
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

async function checkProgress(call, want) {
  const told = [];
  let over = false;
  const res = await call({ name: want.tool, arguments: {} }, { onprogress: (p) => told.push({ ...p, late: over }) });
  over = true;
  await new Promise((done) => setTimeout(done, 200));
  const problems = compare(res, want).map((p) => `progress: ${p}`);
  const steps = told.map((p) => p.progress);
  if (JSON.stringify(steps) !== JSON.stringify(want.steps) || told.some((p) => p.total !== want.total || p.late)) {
    problems.push(`progress: told ${JSON.stringify(told)}, want the steps ${want.steps} of ${want.total}`);
  }
  return problems;
}

async function checkCancel(call, want) {
  const giveUp = new AbortController();
  const first = call({ name: want.tool, arguments: want.args }, { signal: giveUp.signal }).then(
    () => 'it was answered',
    () => undefined,
  );
  await new Promise((done) => setTimeout(done, 500));
  giveUp.abort('no longer wanted');
  const began = Date.now();
  const problem = await first;
  const res = await call({ name: want.tool, arguments: want.again }, {});
  const took = Date.now() - began;
  const problems = problem ? [`cancel: ${problem}`] : [];
  if (res.isError || took > patience) {
    problems.push(`cancel: the call after it took ${took} ms: ${JSON.stringify(res.content)}`);
  }
  return problems;
}

async function checkChanged(call, want, lists) {
  await call({ name: want.tool, arguments: {} }, {});
  return (await awaitListed(lists, want.adds)).map((p) => `changed: ${p}`);
}

// awaitListed waits until the client has heard of a list with the tool.
async function awaitListed(lists, tool) {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    const heard = lists.find((l) => l.error || l.tools.some((t) => t.name === tool));
    if (heard) return heard.error ? [String(heard.error)] : [];
    await new Promise((done) => setTimeout(done, 20));
  }
  return [`heard of ${lists.length} lists in ${patience} ms, none with ${tool}`];
}

const modern = '2026-07-28';

// heldTries is how many sessions try whether the answer to a search is held.
const heldTries = 3;

// checkFound finds a tool and calls it in the next step, in each way.
async function checkFound(connect, era, want) {
  const ways = {
    'by its name': { tool: want.tool, args: want.args },
    'by call_tool': { tool: 'call_tool', args: { name: want.tool, arguments: want.args } },
    'from the list': { tool: want.tool, args: want.args, listed: true },
  };
  const problems = [];
  for (const [way, call] of Object.entries(ways)) {
    let found = await checkWay(connect, era, want, { ...want, ...call });
    // An answer is held for a second at most: one that came before a client on a busy
    // machine had listed proves nothing, but several in a row do.
    for (let left = heldTries - 1; found.early && left > 0; left--) found = await checkWay(connect, era, want, { ...want, ...call });
    problems.push(...[...found.problems, ...(found.early ? [found.early] : [])].map((p) => `found, called ${way}: ${p}`));
  }
  return problems;
}

// checkWay finds and calls in a session of its own. early says that the client had no
// list with the tool when the answer was there: its model could not have called it from
// the list in the next step.
async function checkWay(connect, era, want, next) {
  const lists = [];
  const { client, call } = await connect(new URL(process.argv[2]), (error, tools) => lists.push({ error, tools }));
  const before = await allTools(client);
  const problems = before.some((t) => t.name === want.tool) ? [`${want.tool} is listed before it is found`] : [];
  const answer = await call({ name: 'discover_tools', arguments: { query: want.query } }, {});
  const heard = lists.some((l) => l.tools?.some((t) => t.name === want.tool)); // without waiting
  const found = answer.structuredContent?.tools?.map((t) => t.name) ?? [];
  if (found[0] !== want.tool) problems.push(`found ${JSON.stringify(found)}, want ${want.tool} first`);
  if (!(answer._meta?.['toolgate/spared_schema_tokens'] >= 0)) problems.push(`the answer says nothing of schemas that were spared: ${JSON.stringify(answer._meta)}`);
  const early = next.listed && era !== modern && !heard ? `the answer came before a list with ${want.tool}, of ${lists.length} lists` : undefined;
  if (next.listed && era !== modern && !(await allTools(client)).some((t) => t.name === want.tool)) {
    problems.push(`${want.tool} is not listed after it was found`);
  }
  problems.push(...(await checkCall(client, next)));
  await client.close();
  if (era === modern) problems.push(...(await checkSteady(connect, before, lists)));
  return { problems, early };
}

// checkSteady reads the list by another client, for this one may have kept it.
async function checkSteady(connect, before, lists) {
  const { client } = await connect(new URL(process.argv[2]), () => {});
  const after = await allTools(client);
  await client.close();
  const problems = JSON.stringify(after) === JSON.stringify(before) ? [] : [`the list of ${modern} has changed`];
  if (lists.length > 0) problems.push(`told of ${lists.length} lists, which do not change by what is called`);
  return problems;
}

// checkAsk calls a tool about which the user is asked, by a client of its own. The
// arguments are those of this run alone, for what a user refuses stays refused.
async function checkAsk(name, connect, ask) {
  const want = { ...ask, ...ask[name] };
  const forms = [];
  const user = (params) => {
    forms.push(params);
    return want.user;
  };
  const { client, call } = await connect(new URL(process.argv[2]), () => {}, want.user && user);
  const args = { ...want.args, run: randomUUID() };
  const made = want.by ? { name: want.by, arguments: { name: want.tool, arguments: args } } : { name: want.tool, arguments: args };
  const problems = await judge(() => call(made, {}), want);
  await client.close();
  if (forms.length !== (want.user ? 1 : 0)) problems.push(`the user was asked ${forms.length} times`);
  for (const { message, requestedSchema } of forms) {
    if (!message.includes(`Tool: ${want.tool}`)) problems.push(`the user is not told what is to run: ${JSON.stringify(message)}`);
    if (requestedSchema.properties.approve?.type !== 'boolean') problems.push(`the form is ${JSON.stringify(requestedSchema)}`);
  }
  return problems.map((p) => `${ask.tool}, ${JSON.stringify(want.user)}: ${p}`);
}
