// A model that does what it is told, in the forms of the providers whose hosts are
// tried: it searches for tools in its first turn, calls what was found in its second,
// and says in its third what came back. Which turn it is follows from how many results
// of tools a request has; a request without tools is answered with a word.
import { createServer } from 'node:http';

// provider reads the requests of one path and writes the answers to them:
//   read(body)            what is offered and what came back: {tools: [{name, group}], results: [text]}
//   say(text)             the events of an answer in words
//   call(tool, args, id)  those of a call of a tool
const providers = [
  { path: /\/chat\/completions$/, read: readChat, say: (text) => chat({ content: text }, 'stop'), call: chatCall, end: '[DONE]' },
  { path: /\/responses$/, read: readResponses, say: (text) => response({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }), call: responseCall, named: true },
  { path: /:(streamG|g)enerateContent$/, read: readGemini, say: (text) => gemini({ text }), call: (tool, args) => gemini({ functionCall: { name: tool.name, args } }) },
];

// serveModel serves the model on a port of its own. turns are the calls it makes, by
// turn: turns(n) gives {tool, args} or nothing. heard(n, seen) is told what each turn was
// shown. It gives {port, close}.
export async function serveModel(turns, heard) {
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const chunk of req) text += chunk;
    const url = new URL(req.url, 'http://model');
    const provider = providers.find((p) => p.path.test(url.pathname));
    if (!provider) {
      res.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error": {"message": "no such path"}}');
      return;
    }
    const body = JSON.parse(text);
    const seen = provider.read(body);
    const events = answer(provider, seen, turns, heard);
    const streams = body.stream || url.searchParams.get('alt') === 'sse';
    res.writeHead(200, { 'Content-Type': streams ? 'text/event-stream' : 'application/json' });
    if (!streams) { // only Gemini's are the same in one piece, and nobody else asks for that
      res.end(JSON.stringify(events[0]));
      return;
    }
    for (const event of events) {
      if (provider.named) res.write(`event: ${event.type}\n`);
      res.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    res.end(provider.end ? `data: ${provider.end}\n\n` : '');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { port: server.address().port, close: () => server.close() };
}

// answer is one turn. A host names tools in its own way, with something in front of the
// gateway's name, and so must the model: the same stands before the name of any other.
function answer(provider, seen, turns, heard) {
  const search = seen.tools.find((t) => t.name.endsWith('discover_tools'));
  if (!search) return provider.say('Hm.');
  const turn = seen.results.length;
  heard(turn, seen);
  const next = turns(turn);
  if (!next) return provider.say(`It said: ${seen.results.at(-1)}`);
  const name = search.name.replace(/discover_tools$/, next.tool);
  return provider.call({ name, group: search.group }, next.args, `call_${turn}`);
}

function readChat(body) {
  return {
    tools: (body.tools ?? []).map((t) => ({ name: t.function.name })),
    results: body.messages.filter((m) => m.role === 'tool').map((m) => textOf(m.content)),
  };
}

function chat(delta, reason, calls) {
  const chunk = (delta, reason) => ({
    id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'fake', choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [chunk({ role: 'assistant', ...delta, tool_calls: calls }, null), { ...chunk({}, reason), usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }];
}

function chatCall(tool, args, id) {
  return chat({}, 'tool_calls', [{ index: 0, id, type: 'function', function: { name: tool.name, arguments: JSON.stringify(args) } }]);
}

function readResponses(body) {
  const tools = (body.tools ?? []).flatMap((t) => (t.type === 'namespace' ? t.tools.map((f) => ({ name: f.name, group: t.name })) : [{ name: t.name ?? t.type }]));
  return { tools, results: body.input.filter((i) => i.type === 'function_call_output').map((i) => textOf(i.output)) };
}

function response(item) {
  const whole = { id: 'r1', object: 'response', status: 'completed', output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
  return [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
}

function responseCall(tool, args, id) {
  return response({ type: 'function_call', call_id: id, name: tool.name, namespace: tool.group, arguments: JSON.stringify(args) });
}

function readGemini(body) {
  const parts = body.contents.flatMap((c) => c.parts ?? []);
  return {
    tools: (body.tools ?? []).flatMap((t) => (t.functionDeclarations ?? []).map((f) => ({ name: f.name }))),
    results: parts.filter((p) => p.functionResponse).map((p) => textOf(p.functionResponse.response)),
  };
}

function gemini(part) {
  return [{ candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }];
}

// textOf is a result as one text, whatever its form.
function textOf(result) {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
