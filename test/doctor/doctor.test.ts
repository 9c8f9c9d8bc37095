/**
 * The doctor's verdicts on good and bad machines, and its examination of this one.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lineOf } from '../../src/cli/commands/doctor.ts';
import { examine } from '../../src/doctor/index.ts';
import {
  judgeClock,
  judgeDisk,
  judgeFiles,
  judgeMemory,
  judgeNames,
  judgeNode,
  judgeRoom,
} from '../../src/doctor/verdicts.ts';
import { startLab } from '../../src/lab/server/lab.ts';
import { startSmallSite } from '../crawl/small-site.ts';

const NOW = Date.UTC(2026, 10, 16);
const FOUND = { name: 'example.com', took: 20 };

describe('the doctor', () => {
  test.each([
    [judgeNode('v20.19.0'), 'ok'],
    [judgeNode('v22.1.0'), 'ok'],
    [judgeNode('v20.18.3'), 'bad'],
    [judgeNode('v18.20.0'), 'bad'],
    [judgeMemory(4e9, 2), 'ok'],
    [judgeMemory(4e8, 2), 'fair'],
    [judgeMemory(1e8, 2), 'bad'],
    [judgeFiles(Infinity, 64), 'ok'],
    [judgeFiles(4096, 2), 'ok'],
    [judgeFiles(256, 2), 'bad'],
    [judgeRoom(1e11, '.'), 'ok'],
    [judgeRoom(5e9, '.'), 'fair'],
    [judgeRoom(5e8, '.'), 'bad'],
    [judgeDisk({ free: 1e11, speed: 5e8, sync: 5 }), 'ok'],
    [judgeDisk({ free: 1e11, speed: 5e7, sync: 5 }), 'fair'],
    [judgeDisk({ free: 1e11, speed: 5e8, sync: 100 }), 'fair'],
    [judgeDisk({ free: 1e11, speed: 1e6, sync: 5 }), 'bad'],
    [judgeNames({ known: FOUND, invented: [] }), 'ok'],
    [judgeNames({ known: { ...FOUND, took: 900 }, invented: [] }), 'fair'],
    [judgeNames({ known: { ...FOUND, fault: 'dns-timeout' }, invented: [] }), 'bad'],
    [judgeNames({ known: FOUND, invented: ['192.0.2.1'] }), 'bad'],
    [judgeClock({ now: NOW, leapt: 0 }), 'ok'],
    [judgeClock({ now: NOW, leapt: 3, ahead: -800 }), 'ok'],
    [judgeClock({ now: NOW, leapt: 5000 }), 'fair'],
    [judgeClock({ now: NOW, leapt: 0, ahead: 3.6e6 }), 'bad'],
    [judgeClock({ now: 0, leapt: 0 }), 'bad'],
  ])('judges %j as %s', (finding, verdict) => {
    expect(finding.verdict).toBe(verdict);
    // A verdict other than ok has a remedy.
    expect(finding.remedy === undefined).toBe(verdict === 'ok');
  });

  test('prints a finding in one line, with the command to run', () => {
    expect(lineOf(judgeFiles(256, 2))).toBe(
      'bad   files   256 can be open at once; 2 agents need 832. Run "ulimit -n 832" first, or raise nofile in /etc/security/limits.conf.',
    );
    expect(lineOf(judgeMemory(4e8, 2))).toMatch(
      /^fair {2}memory {2}400 MB available; .*\. Crawl with --agents 1\.$/,
    );
    expect(lineOf(judgeClock({ now: NOW, leapt: 0, ahead: 3.6e6 }))).toBe(
      'bad   clock   it is 1 h 0 min behind. Let the system set the time: timedatectl set-ntp true.',
    );
  });

  test('examines this machine with the given name servers and page, and leaves nothing behind', async () => {
    const lab = await startLab({ scenario: 'clean', domains: 3 });
    const folder = mkdtempSync(join(tmpdir(), 'drumlin-doctor-'));
    const url = lab.seeds[0];
    const site = await startSmallSite({ '/': 'page' });
    try {
      const found = [];
      for await (const finding of examine({ folder, agents: 1, dns: [lab.dns], url }))
        found.push(finding);
      expect(found.map(({ check }) => check)).toEqual([
        'node',
        'memory',
        'files',
        'room',
        'disk',
        'dns',
        'web',
        'clock',
      ]);
      expect(found.find(({ check }) => check === 'dns')).toMatchObject({
        fact: expect.stringContaining(new URL(url).hostname),
      });
      expect(readdirSync(folder)).toEqual([]);
      // An address needs no look-up, and the clock is compared with its server's.
      const local = [];
      for await (const finding of examine({
        folder,
        agents: 1,
        dns: [lab.dns],
        url: `${site.origin}/`,
      }))
        local.push(finding);
      expect(local.at(-2)).toMatchObject({ check: 'web', verdict: 'ok' });
      expect(local.at(-1)).toMatchObject({
        verdict: 'ok',
        fact: expect.stringContaining('of the server’s'),
      });
    } finally {
      await site.close();
      await lab.close();
      rmSync(folder, { recursive: true });
    }
  });

  test('exits with 9 when something is bad, and prints which, also as JSON', async () => {
    const bin = join(import.meta.dirname, '../../bin/drumlin');
    const args = [bin, 'doctor', '--dns', '127.0.0.1:1', '--agents', '100000', '--json'];
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) =>
      execFile(process.execPath, args, { cwd: tmpdir() }, (error, stdout) =>
        resolve({ code: error?.code, out: stdout }),
      ),
    );
    expect(code).toBe(9);
    const findings = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(findings.filter(({ verdict }) => verdict === 'bad').map(({ check }) => check)).toContain(
      'dns',
    );
  });
});
