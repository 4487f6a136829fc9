// Runs real hosts against a gateway with deferred tools, with a model that finds a tool
// in one turn and calls it in the next:
//
//   node run.mjs GATEWAY FOLDER [HOST…]
//
// GATEWAY is the address of the gateway that serves tools.yaml, FOLDER where the hosts
// are installed. For each host and each way to call what was found it prints whether the
// call of the very next turn reached the gateway, by the gateway's own record, what came
// back to the model, and whether the host had the tool in the model's list by then. The
// exit code is 1 when a host cannot call what was found in any way.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveModel } from './model.mjs';

// patience is how long one run of a host may take, in milliseconds.
const patience = 120_000;

const found = 'find_customer';
const args = { id: '7' };
const answer = 'Ada Moreau';
const ways = {
  'by its name': { tool: found, args },
  'by call_tool': { tool: 'call_tool', args: { name: found, arguments: args } },
};

// hosts: the package, and what to run in a folder that is the home of nobody else.
const hosts = {
  codex: {
    package: '@openai/codex',
    files: (gateway, model) => ({
      '.codex/config.toml': [
        'model = "fake"', 'model_provider = "fake"',
        '[model_providers.fake]', 'name = "fake"', `base_url = "${model}/v1"`, 'wire_api = "responses"', 'env_key = "FAKE_KEY"',
        '[mcp_servers.gw]', `url = "${gateway}/mcp"`, 'default_tools_approval_mode = "approve"', '',
      ].join('\n'),
    }),
    command: (prompt) => ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    env: (home) => ({ CODEX_HOME: join(home, '.codex'), FAKE_KEY: 'k' }),
  },
  'gemini-cli': {
    package: '@google/gemini-cli',
    files: (gateway) => ({
      '.gemini/settings.json': JSON.stringify({
        mcpServers: { gw: { httpUrl: `${gateway}/mcp` } },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
      }),
    }),
    command: (prompt) => ['gemini', '--yolo', '--skip-trust', '-m', 'gemini-2.5-pro', '-p', prompt],
    env: (home, model) => ({ GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: model }),
  },
  opencode: {
    package: 'opencode-ai',
    files: (gateway, model) => ({
      'opencode.json': JSON.stringify({
        model: 'fake/fake', small_model: 'fake/fake', autoupdate: false, share: 'disabled',
        provider: { fake: { npm: '@ai-sdk/openai-compatible', name: 'fake', options: { baseURL: `${model}/v1`, apiKey: 'k' }, models: { fake: { name: 'fake' } } } },
        mcp: { gw: { type: 'remote', url: `${gateway}/mcp`, enabled: true } },
      }),
    }),
    command: (prompt) => ['opencode', 'run', prompt],
    env: () => ({}),
  },
};

const [gateway, folder, ...named] = process.argv.slice(2);
const wanted = named.length ? named : Object.keys(hosts);
const unknown = wanted.filter((h) => !hosts[h]);
if (!gateway || !folder || unknown.length) {
  console.error(`usage: node run.mjs GATEWAY FOLDER [HOST…]; hosts: ${Object.keys(hosts).join(', ')}`);
  process.exit(2);
}
let failed = false;
for (const name of wanted) {
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', hosts[name].package, 'package.json'), 'utf8'));
  let works = false;
  for (const way of Object.keys(ways)) {
    const seen = await attempt(hosts[name], ways[way]);
    works ||= seen.reached && seen.answered;
    console.log(`${name} ${version}: ${way}, in the next turn: ${describe(seen)}`);
  }
  failed ||= !works;
}
process.exit(failed ? 1 : 0);

function describe(seen) {
  if (!seen.searched) return `FAILED: the search did not reach the gateway\n${seen.output}`;
  const call = seen.reached ? 'reached the gateway' : 'did not reach the gateway';
  return `the call ${call}${seen.via ? ` (${seen.via})` : ''}; the model was told ${JSON.stringify(seen.told)}; the tool was ${seen.listed ? '' : 'not '}in its list; ${seen.took} ms`;
}

// attempt runs the host once.
async function attempt(host, call) {
  const home = mkdtempSync(join(tmpdir(), 'host-'));
  const shown = [];
  const turns = [{ tool: 'discover_tools', args: { query: 'find a customer by id' } }, call];
  const model = await serveModel((n) => turns[n], (n, seen) => (shown[n] ??= seen));
  try {
    const before = (await record()).length;
    const began = Date.now();
    const output = await runHost(host, home, `http://127.0.0.1:${model.port}`);
    const took = Date.now() - began;
    const calls = (await record()).slice(before);
    const told = shown[2]?.results.at(-1) ?? '';
    const reached = calls.find((c) => c.tool === found);
    return {
      output, took, told: told.slice(0, 160), answered: told.includes(answer), searched: calls.some((c) => c.tool === 'discover_tools'),
      reached: Boolean(reached), via: reached?.via, listed: Boolean(shown[1]?.tools.some((t) => t.name.endsWith(found))),
    };
  } finally {
    model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

// record is the gateway's record of calls, the oldest first.
async function record() {
  const res = await fetch(`${gateway}/v1/log?limit=1000`);
  if (!res.ok) throw new Error(`the record of the gateway: ${res.status} ${await res.text()}`);
  return ((await res.json()).calls ?? []).reverse();
}

// runHost runs the host in its home and gives what it said.
function runHost(host, home, model) {
  for (const [name, text] of Object.entries(host.files(gateway, model))) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const [program, ...rest] = host.command('Find customer 7.');
  const env = {
    PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1', HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.data'), XDG_CACHE_HOME: join(home, '.cache'), XDG_STATE_HOME: join(home, '.state'),
    ...host.env(home, model),
  };
  return new Promise((done) => {
    const child = spawn(join(folder, 'node_modules', '.bin', program), rest, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), patience); // with all that it started
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('close', (code) => {
      clearTimeout(end);
      done(`${output}\nexit code ${code}`);
    });
  });
}
