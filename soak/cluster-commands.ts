/**
 * The commands of a cluster as processes, on a broker with TLS, certificates of clients and a
 * password: create, join, status, steer, drain, stop, resume; and what they refuse.
 *
 *   npm run soak -- cluster-commands
 *
 * Judged from exit codes, from what the commands print, and from the lab's log of requests.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { servers } from '../scripts/servers.ts';
import type { AgentEntry } from '../src/cluster/lease/agent-lease.ts';
import { type Lab, startLab } from '../src/lab/server/lab.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const PATIENCE = 120_000;

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

/** An authority, and a key and certificate of it for localhost: the client verifies names only. */
function certificates(folder: string): Record<'ca' | 'cert' | 'key', string> {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const ca = ['-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '2'];
  openssl('req', ...ca, '-subj', '/CN=test authority');
  openssl('req', ...key, '-keyout', at('key.pem'), '-out', at('csr.pem'), '-subj', '/CN=broker');
  writeFileSync(at('san'), 'subjectAltName=DNS:localhost\n');
  const signed = ['-req', '-in', at('csr.pem'), '-CA', at('ca.pem'), '-CAkey', at('ca.key')];
  openssl('x509', ...signed, '-days', '2', '-extfile', at('san'), '-out', at('cert.pem'));
  return { ca: at('ca.pem'), cert: at('cert.pem'), key: at('key.pem') };
}

class Play {
  readonly folder = mkdtempSync(join(tmpdir(), 'drumlin-commands-'));
  readonly children: ChildProcess[] = [];
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  readonly lab: Lab;

  constructor(url: string, env: Readonly<Record<string, string>>, lab: Lab) {
    this.url = url;
    this.env = { ...process.env, ...env };
    this.lab = lab;
  }

  start(args: readonly string[], env = this.env): { child: ChildProcess; ran: Promise<Ran> } {
    const child = spawn(process.execPath, [DRUMLIN, 'cluster', ...args], { env });
    this.children.push(child);
    let out = '';
    const take = (bytes: Buffer) => {
      out += bytes;
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    return { child, ran: once(child, 'close').then(([code]) => ({ code, out })) };
  }

  async do(...args: string[]): Promise<string> {
    const { code, out } = await this.start([...args, '--brokers', this.url]).ran;
    assert.equal(code, 0, `${args.join(' ')}: ${out}`);
    return out;
  }

  async refused(code: number, fact: RegExp, args: string[], env = this.env): Promise<void> {
    const ran = await this.start([...args, '--brokers', this.url], env).ran;
    assert.equal(ran.code, code, ran.out);
    assert.match(ran.out, fact);
    console.log(`refused: ${ran.out.trim().slice(0, 160)}`);
  }

  join(number: number, metricsPort?: number): { child: ChildProcess; ran: Promise<Ran> } {
    const dir = join(this.folder, `worker-${number}`);
    const given = ['--brokers', this.url, '--dir', dir, '--commit', '1s'];
    const metrics = metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort)];
    return this.start(['join', 'x', ...given, ...metrics]);
  }

  async status() {
    return JSON.parse(await this.do('status', 'x', '--json')) as {
      readonly state: { readonly phase: string; readonly reason: string };
      readonly workers: Readonly<Record<string, unknown>>;
      readonly agents: Readonly<Record<string, AgentEntry>>;
    };
  }

  /** Looks at the status until it is as wanted. */
  async until(what: string, holds: (now: Awaited<ReturnType<Play['status']>>) => boolean) {
    for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(500)) {
      const now = await this.status();
      if (holds(now)) return now;
    }
    throw new Error(`It never came: ${what}.`);
  }
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-tls-'));
  const log = join(folder, 'requests.jsonl');
  const { ca, cert, key } = certificates(folder);
  const monitor = await servers.freePort();
  const broker = await servers.nats({
    config: `
      http: "127.0.0.1:${monitor}"
      authorization { user: drumlin, password: "a secret" }
      tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}", verify: true }`,
  });
  const lab = await startLab({ scenario: 'site', domains: 12, pages: 200, log });
  const env = {
    ...{ DRUMLIN_NATS_CA: ca, DRUMLIN_NATS_CERT: cert, DRUMLIN_NATS_KEY: key },
    ...{ DRUMLIN_NATS_USER: 'drumlin', DRUMLIN_NATS_PASSWORD: 'a secret' },
  };
  const play = new Play(broker.url.replace('127.0.0.1', 'localhost'), env, lab);
  try {
    await act(play, `http://127.0.0.1:${monitor}`, join(folder, 'objects'), log);
    console.log('create, join, status, steer, drain, stop, resume: passed');
  } finally {
    for (const child of play.children) child.kill('SIGKILL');
    await lab.close();
    await broker.stop();
    for (const each of [folder, play.folder]) rmSync(each, { recursive: true, force: true });
  }
}

// Long: one story, told in the order in which an operator lives it.
async function act(play: Play, monitor: string, objects: string, log: string): Promise<void> {
  const { lab } = play;
  const seeds = join(play.folder, 'seeds.txt');
  writeFileSync(seeds, `${lab.seeds.join('\n')}\n`);
  const made = ['create', 'x', seeds, '--objects', `file://${objects}`, '--agents', '4'];
  const settings = [
    '--delay',
    '1s',
    '--address-delay',
    '50ms',
    '--allow-private',
    '--dns',
    lab.dns,
  ];
  const given = [...made, ...settings, '--checkpoint', '1s', '--contact', 'you@example.com'];
  await play.refused(5, /no cluster named "x"/, ['status', 'x']);
  await play.refused(9, /is not known/, given);
  const { DRUMLIN_NATS_CA: _, ...noAuthority } = play.env;
  await play.refused(9, /No broker answers/, [...given, '--monitors', monitor], noAuthority);
  const wrong = { ...play.env, DRUMLIN_NATS_PASSWORD: 'wrong' };
  await play.refused(9, /No broker answers/, [...given, '--monitors', monitor], wrong);
  await play.do(...given, '--monitors', monitor);
  await play.refused(5, /have a cluster named/, [...given, '--monitors', monitor]);

  const ports = [await servers.freePort(), await servers.freePort()];
  const first = play.join(1, ports[0]);
  const second = play.join(2, ports[1]);
  const isShared = (agents: Readonly<Record<string, AgentEntry>>) =>
    new Set(Object.values(agents).map(({ worker }) => worker)).size === 2 &&
    Object.values(agents).every(({ worker }) => worker !== '');
  const both = await play.until('two workers with agents', ({ agents }) => isShared(agents));
  console.log(`joined: ${Object.keys(both.workers).join(', ')}`);
  await someMetrics(ports, lab);
  await play.refused(2, /no worker named/, ['drain', 'x', 'nobody']);
  await play.refused(2, /has not ended/, ['resume', 'x']);

  const filters = join(play.folder, 'filters.txt');
  const domains = join(play.folder, 'domains.tsv');
  const domain = new URL(lab.seeds[0]).hostname.split('.').slice(-2).join('.');
  writeFileSync(filters, 'fetch: not Matches(/[02468]$/)\n');
  writeFileSync(domains, `${domain}\tblock\n`);
  await play.do('steer', 'x', '--filters', filters, '--domains', domains);
  const steered = Date.now();
  console.log(`steered: ${domain} is blocked, ${readFileSync(filters, 'utf8').trim()}`);

  const others = Object.keys(both.workers);
  await sleep(5000);
  await play.do('drain', 'x', others[1]);
  const drained = await Promise.race([first.ran, second.ran]);
  assert.deepEqual([drained.code, /has ended: drained/.test(drained.out)], [0, true], drained.out);
  const left = await play.until('one worker has all', ({ agents }) =>
    Object.values(agents).every(({ worker }) => worker === others[0]),
  );
  console.log(`drained: ${others[1]}; ${Object.keys(left.workers).length} worker left`);
  const moved = Date.now();

  await sleep(5000);
  await play.do('stop', 'x');
  const ends = await Promise.all([first.ran, second.ran]);
  assert.deepEqual(ends.map(({ code }) => code).sort(), [0, 130]);
  const stopped = await play.status();
  assert.deepEqual([stopped.state.phase, stopped.state.reason], ['ended', 'interrupted']);
  const pages = Object.values(stopped.agents).reduce((sum, agent) => sum + agent.pages, 0);
  console.log(`stopped with ${pages} pages committed`);

  await play.do('resume', 'x');
  const kept = (await first.ran) === drained ? 2 : 1;
  damageIn(join(play.folder, `worker-${kept}`, 'agents'));
  const failed = await play.join(kept).ran;
  assert.ok(
    failed.code !== 0 && /damaged|short|missing|does not exist/.test(failed.out),
    failed.out,
  );
  console.log(`damaged: ${failed.out.trim().slice(0, 160)}`);
  // The next start restores what was committed; each agent may fail once.
  let resumed = await play.join(kept).ran;
  for (let more = 0; more < 4 && resumed.code !== 0; more++) resumed = await play.join(kept).ran;
  assert.equal(resumed.code, 0, resumed.out);
  const ended = await play.status();
  assert.deepEqual([ended.state.phase, ended.state.reason], ['ended', 'finished']);
  await lab.close();
  const asked = readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const late = asked.filter(({ time, path }) => time > steered + 4000 && path !== '/robots.txt');
  const isSteered = ({ host, path }: { host: string; path: string }) =>
    /[02468]$/.test(path) || host.split(':')[0].endsWith(domain);
  console.log(
    `${asked.length} requests, ${late.length} after the filters, ${late.filter(({ time }) => time > moved).length} after the drain`,
  );
  assert.deepEqual(late.filter(isSteered), []);
  // Nothing was lost, so nothing is asked for twice.
  const fetched = asked.filter(({ path }) => path !== '/robots.txt');
  const distinct = new Set(fetched.map(({ host, path }) => host + path)).size;
  assert.equal(fetched.length, distinct);
}

/** Each worker counts its own pages: together those that the lab has served, or a few less. */
async function someMetrics(ports: readonly number[], lab: Lab): Promise<void> {
  const pagesAt = async (port: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await answer.text();
    const line = /^drumlin_fetch_pages_total (\d+)$/m.exec(text);
    assert.ok(line, text);
    return Number(line[1]);
  };
  for (const end = Date.now() + PATIENCE; ; await sleep(500)) {
    const pages = await Promise.all(ports.map(pagesAt));
    assert.ok(pages[0] + pages[1] <= lab.requests, `${pages} of ${lab.requests}`);
    if (pages.every((count) => count > 0)) {
      console.log(`metrics: ${pages.join(' and ')} pages`);
      return;
    }
    assert.ok(Date.now() < end, `no pages: ${pages}`);
  }
}

/** Other bytes in the middle of every file. */
function damageIn(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const bytes = readFileSync(path);
    bytes.fill(0x5a, bytes.length >> 2, bytes.length - (bytes.length >> 2));
    writeFileSync(path, bytes);
  }
}
