/**
 * The archive of a crawl of the lab holds the whole web, to the byte, as an independent reader sees
 * it.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountOf } from '../../soak/hostile/verdict.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { readWithWarcio, type SecondOpinion } from '../archive/warc/fixtures.ts';
import { startCrawl } from './here.ts';

let dir: string;
let lab: Lab | undefined;

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-replay-')), 'crawl');
});
afterEach(async () => {
  await lab?.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

/** Loopback only: some names of the hostile web lead to private networks. */
const LOOPBACK = ['127.0.0.0/8'];

async function archiveOf(
  web: Lab,
  options: Record<string, unknown> = {},
): Promise<SecondOpinion[]> {
  const config = resolveConfig({
    dir,
    dns: [web.dns],
    allowPrivate: LOOPBACK,
    delay: 0,
    ...options,
  });
  const summary = await (await startCrawl(web.seeds, config)).finished;
  expect(accountOf(summary).lost).toBe(0);
  const files = readdirSync(join(dir, 'archive')).sort();
  return (
    await Promise.all(files.map((file) => readWithWarcio(join(dir, 'archive', file))))
  ).flat();
}

const confirmed = ({ type, blockConfirmed, payloadConfirmed }: SecondOpinion) =>
  blockConfirmed === true && (type !== 'response' || payloadConfirmed === true);

describe('the archive of a crawl', () => {
  test('holds every page of a finite web once, byte-identical to the served one, with correct digests', async () => {
    lab = await startLab({ scenario: 'site', pages: 120 });
    const records = await archiveOf(lab);
    const responses = records.filter(({ type }) => type === 'response');
    const stored = responses.map(({ url }) => url).filter((url) => !url?.endsWith('/robots.txt'));
    expect([...stored].sort()).toEqual([...lab.web.allUrls()].sort());
    expect(records.every(confirmed)).toBe(true);
    for (const { url, block } of responses) {
      const { status, body } = lab.expected(String(url))!;
      const text = Buffer.from(block);
      expect(text.toString('latin1')).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text.subarray(text.indexOf('\r\n\r\n') + 4).equals(body)).toBe(true);
    }
  });

  test('is whole when it is spread over many files', async () => {
    lab = await startLab({ scenario: 'clean', domains: 40, pages: 10 });
    const records = await archiveOf(lab, { maxPages: 150, warcSize: 100_000 });
    expect(readdirSync(join(dir, 'archive')).length).toBeGreaterThan(3);
    expect(records.every(confirmed)).toBe(true);
    const responses = records.filter(
      ({ type, url }) => type === 'response' && !url?.endsWith('/robots.txt'),
    );
    expect(responses.length).toBe(150);
  });

  test('is whole after a crawl of the hostile web: traps, broken servers, lying names', async () => {
    lab = await startLab({ scenario: 'hostile', domains: 400, patience: 200 });
    const records = await archiveOf(lab, { maxPages: 400, maxTime: 15_000, fetches: 32 });
    const responses = records.filter(({ type }) => type === 'response');
    expect(responses.length).toBeGreaterThan(100);
    expect(records.every(({ blockConfirmed }) => blockConfirmed === true)).toBe(true);
    // A cut-off or trailed chunked body states no payload digest; every stated one holds.
    expect(records.every(({ payloadConfirmed }) => payloadConfirmed !== false)).toBe(true);
  });
});
