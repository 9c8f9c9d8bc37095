/**
 * A thread that dies stops its crawl cleanly: the other agents checkpoint, and the crawl can be
 * resumed.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { startLab } from '../../src/lab/server/lab.ts';
import { archivedPages } from './archived.ts';
import { startCrawl } from './here.ts';

const CHILD = join(import.meta.dirname, 'thread-death-child.mjs');

test('a crawl one of whose threads dies reports it, and loses nothing when it is resumed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-thread-'));
  const dir = join(folder, 'crawl');
  const lab = await startLab({ scenario: 'clean', domains: 25, pages: 10 });
  try {
    const args = [CHILD, dir, lab.dns, ...lab.seeds];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect(stderr).toBe('');
    const ended = JSON.parse(stdout);
    expect(ended).toMatchObject({ code: 'AGENT_GONE', exitCode: 1 });
    expect(ended.message).toMatch(
      /^Agent 1 ended without a report .* the pages fetched so far are in the folder/,
    );

    // With another number of agents, which must work too.
    const config = resolveConfig({ dir, dns: [lab.dns], allowPrivate: true, delay: 0, agents: 2 });
    await (await startCrawl([], config)).finished;
    expect(await archivedPages(dir)).toEqual([...lab.web.allUrls()].sort());
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
