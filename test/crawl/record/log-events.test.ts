/** The log of a crawl: every line is an event of the table. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../../src/config/settings.ts';
import { EVENTS, type EventName } from '../../../src/crawl/record/log-events.ts';
import { fastClock } from '../fast-clock.ts';
import { startCrawl } from '../here.ts';
import { linking, startSmallSite } from '../small-site.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('every event of the table is logged somewhere', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts'),
  );
  const sources = files.map((file) => readFileSync(join(ROOT, 'src', file), 'utf8')).join('\n');
  for (const name of Object.keys(EVENTS)) expect(sources, name).toContain(`event('${name}'`);
});

test('a crawl logs no event that the table lacks', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'drumlin-log-'));
  const site = await startSmallSite({
    '/robots.txt': (_, response) => response.end('User-agent: *\nCrawl-delay: 9999\n'),
    '/': linking('/a', 'http://localhost:1/'),
    '/a': 'a',
  });
  try {
    const config = resolveConfig({
      dir: join(dir, 'c'),
      delay: 0,
      maxCrawlDelay: 0,
      allowPrivate: true,
    });
    for (let run = 0; run < 2; run++)
      await (await startCrawl([`${site.origin}/`], config, { clock: fastClock(300) })).finished;
    const lines = readFileSync(join(dir, 'c/log.jsonl'), 'utf8').trim().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    for (const { time, event, ...facts } of events) {
      expect(new Date(time).toISOString()).toBe(time);
      expect(Object.keys(EVENTS)).toContain(event);
      const documented = Object.keys(EVENTS[event as EventName].facts);
      expect(documented).toEqual(expect.arrayContaining(Object.keys(facts)));
    }
    const names = events.map(({ event }) => event);
    expect(names).toContain('crawl-delay-capped');
    expect(names).toContain('robots-unreachable');
    const run = ['crawl-started', 'crawl-stopping', 'crawl-ended'];
    expect(names.filter((name) => run.includes(name))).toEqual([...run, ...run]);
    const [first, second] = events.filter(({ event }) => event === 'crawl-started');
    expect(first.from).toBeUndefined();
    expect(second.from).toMatchObject({ pages: 2, waiting: 0 });
  } finally {
    await site.close();
    rmSync(dir, { recursive: true });
  }
});
