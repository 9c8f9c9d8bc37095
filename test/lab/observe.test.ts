import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { register } from '../../src/cli/commands/web.ts';
import { type Access, AccessLog } from '../../src/lab/server/access-log.ts';
import type { Status } from '../../src/lab/server/control.ts';
import { startLab } from '../../src/lab/server/lab.ts';
import { leftOut, needs } from '../left-out.ts';
import { exchange, get, resolve } from './client.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drumlin-lab-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('observing the lab', () => {
  test('the log has time, host, address, method, path, status and bytes of every request', async () => {
    const log = join(folder, 'access.jsonl');
    const lab = await startLab({ scenario: 'site', pages: 5, log });
    const before = Date.now();
    const page = await get(lab, lab.seeds[0]);
    await get(lab, `${lab.seeds[0]}nothing?x=1`);
    await exchange(lab, 'nonsense\r\n\r\n');
    const address = await resolve(lab, new URL(lab.seeds[0]).hostname);
    await lab.close();
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
    const accesses = lines.map((line) => JSON.parse(line) as Access);
    const host = new URL(lab.seeds[0]).hostname;
    expect(accesses).toMatchObject([
      { host, address, method: 'GET', path: '/', status: 200, bytes: page.body.length },
      { host, address, path: '/nothing?x=1', status: 404 },
      { host: '', path: '', status: 400 },
    ]);
    expect(accesses[0].time).toBeGreaterThanOrEqual(before);
  });

  test('a log that cannot be written is refused, and nothing stays open', async () => {
    const log = join(folder, 'no', 'such', 'folder');
    await expect(startLab({ log })).rejects.toMatchObject({ code: 'LAB_LOG', exitCode: 4 });
  });

  test.skipIf(leftOut(needs.system('/dev/full', existsSync('/dev/full'))))(
    'a log that fails is reported once and ends nothing',
    async () => {
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      try {
        const log = await AccessLog.open('/dev/full');
        const access = {
          time: 0,
          host: 'a.test',
          address: '127.0.0.1',
          method: 'GET',
          path: '/',
          status: 200,
          bytes: 0,
        };
        log.add(access);
        await vi.waitFor(() => expect(log.dropped).toBe(1), 5000);
        log.add(access);
        expect(log.dropped).toBe(2);
        await log.close();
        const early = await AccessLog.open('/dev/full');
        early.add(access);
        await early.close();
        expect(early.dropped).toBe(1);
        expect(said.mock.calls.flat()).toEqual([
          expect.stringContaining('ENOSPC'),
          expect.stringContaining('ENOSPC'),
        ]);
      } finally {
        said.mockRestore();
      }
    },
  );

  test('a port that is taken is refused by number', async () => {
    const lab = await startLab({ scenario: 'site' });
    await expect(startLab({ scenario: 'site', httpPort: lab.httpPort })).rejects.toMatchObject({
      code: 'LAB_PORT',
    });
    const dnsPort = Number(lab.dns.split(':')[1]);
    await expect(startLab({ scenario: 'site', dnsPort })).rejects.toThrow(`Port ${dnsPort} cannot`);
    await lab.close();
    await lab.close();
  });

  test('the control page shows scenario, counts and requests so far', async () => {
    const lab = await startLab({ scenario: 'mixed', domains: 500, pages: 5, controlPort: 0 });
    const control = `http://127.0.0.1:${lab.ports.control}`;
    expect(await (await fetch(`${control}/`)).text()).toContain('Scenario <b>mixed</b>');
    await exchange(lab, 'nonsense\r\n\r\n');
    const status = (await (await fetch(`${control}/status.json`)).json()) as Status;
    expect(status.requests).toBe(1);
    expect(Object.values(status.kinds).reduce((a, b) => a + b)).toBe(500);
    expect((await fetch(`${control}/other`)).status).toBe(404);
    await lab.close();
  });

  test('the truth about a domain is available by any of its hosts', async () => {
    const lab = await startLab({ scenario: 'spam', domains: 500, pages: 5 });
    const kinds = new Set(
      Array.from({ length: 500 }, (_, i) => lab.truth(lab.web.domains.at(i).hostName(0))?.kind),
    );
    expect(kinds.size).toBeGreaterThan(8);
    expect(lab.truth('nobody.test')).toBeUndefined();
    await lab.close();
  });
});

/**
 * Runs the command as installed, since its thread needs built files, until it has printed
 * everything; then presses Ctrl-C.
 */
async function serveUntilReady(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [
    join(import.meta.dirname, '../../bin/drumlin'),
    'web',
    ...args,
  ]);
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.includes('Press Ctrl-C to stop.') || printed.endsWith('}\n')) child.kill('SIGINT');
  }
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
  return printed;
}

describe('drumlin web', () => {
  async function run(...args: string[]): Promise<string> {
    let printed = '';
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += text;
      return true;
    });
    try {
      const program = new Command('drumlin').exitOverride();
      register(program);
      await program.parseAsync(['node', 'drumlin', 'web', ...args]);
    } finally {
      write.mockRestore();
    }
    return printed;
  }

  test('prints where it listens, as text and as JSON, and ends with Ctrl-C', async () => {
    const ca = join(folder, 'ca.pem');
    const words = await serveUntilReady('--domains', '50', '--scenario', 'mixed', '--ca-file', ca);
    expect(words).toContain(`--ca ${ca}`);
    expect(await readFile(ca, 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    const clean = await serveUntilReady('--domains', '50', '--ca-file', ca);
    expect(clean).not.toContain('--ca ');
    const ready = JSON.parse(await serveUntilReady('--scenario', 'site', '--pages', '7', '--json'));
    expect(ready).toMatchObject({
      http: expect.any(Number),
      dns: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    });
    expect(ready.seeds).toHaveLength(1);
  });

  test('prints the truth of every domain', async () => {
    const lines = (await run('truth', '--domains', '300', '--scenario', 'spam'))
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(301);
    expect(lines.some((line) => /\tfarm\ttarget\tspam\t/.test(line))).toBe(true);
    const objects = (await run('truth', '--domains', '20', '--json')).trimEnd().split('\n');
    expect(JSON.parse(objects[0])).toMatchObject({ kind: 'giant', spam: false });
  });

  test.each([
    [['--port', '70000'], 'is not a port'],
    [['--domains', '0'], 'domains are not between'],
    [['--domains', 'many'], 'is not a whole number'],
    [['--scenario', 'chaos'], 'Choose one of clean, mixed, spam, attack, hostile, site, papers'],
    [['--mix', 'farm'], 'Write it like farm=5%'],
    [['--mix', 'unicorn=5%'], 'Nothing in the lab is called "unicorn"'],
    [['--mix', 'farm=80%', '--mix', 'parked=50%'], 'sum to'],
    [['--step', '2000'], 'Steps are months'],
    [['--seed', '99999999999'], 'is not a whole number from 0'],
  ])('refuses %j with a remedy', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });
});

const built = new URL('../../dist/lib/lab.js', import.meta.url);

describe('the lab in a thread', () => {
  test('serves what the handle on this side expects', async () => {
    const { startLab } = (await import(built.href)) as typeof import('../../src/api/lab.ts');
    const lab = await startLab({ thread: true, domains: 50, pages: 5 });
    const got = await get(lab, lab.seeds[0]);
    expect(got.body.equals(lab.expected(lab.seeds[0])?.body as Uint8Array)).toBe(true);
    expect(lab.requests).toBe(1);
    await lab.close();
    await expect(startLab({ thread: true, log: join(folder, 'no', 'log') })).rejects.toMatchObject({
      exitCode: 4,
    });
    await expect(startLab({ thread: true, domains: -1 })).rejects.toMatchObject({
      code: 'LAB_SETTING',
    });
    // A thread that dies is an error of the caller, never an uncaught one.
    await expect(startLab({ thread: true, httpPort: -1 })).rejects.toMatchObject({
      code: 'LAB_GONE',
    });
  });
});
