/**
 * The short form of `npm run soak -- kill`: a crawl in threads that is killed again and again, and
 * stopped cleanly.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { EVERYTHING, killOverAndOver } from '../../soak/kill.ts';
import { scenarioOf } from '../../src/lab/scenario.ts';
import { readWithWarcio } from '../archive/warc/fixtures.ts';
import { indexFaults } from '../archive/warc/true-index.ts';
import { tinyModel } from '../spam/live/tiny-model.ts';
import { type Handler, linking, type SmallSite, startSmallSite } from './small-site.ts';

const DRUMLIN = join(import.meta.dirname, '../../bin/drumlin');
const LOCAL = ['--allow-private', '--delay', '0', '--agents', '2', '--json'];

let site: SmallSite | undefined;
const folders: string[] = [];

afterEach(async () => {
  await site?.close();
  site = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'drumlin-stop-'));
  folders.push(made);
  return made;
}

describe('a crawl by two agents', () => {
  test('that is killed again and again archives every page of the web, none twice, in whole files, and judges each domain by its pages', async () => {
    const report = await killOverAndOver({
      ...{
        kills: 4,
        domains: 25,
        pages: 15,
        requests: 60,
        checkpoint: '200ms',
        agents: 2,
        seed: 7,
        answersAfter: 25,
      },
      flags: ['--order', 'budget', '--fetches', '4'],
      spam: tinyModel(),
    });
    expect(report).toMatchObject({
      exitCode: 0,
      missing: [],
      twice: [],
      torn: [],
      unconfirmed: 0,
      indexFaults: [],
      misjudged: [],
    });
    expect(report.archived).toBe(report.web);
    expect(report.askedAgain).toBeLessThanOrEqual(report.mayBeAskedAgain);
    expect(report.web).toBeGreaterThan(200);
    expect(report.kills).toBe(4);
  });

  test('with everything on, killed among traps, has no page twice and a correct index', async () => {
    const report = await killOverAndOver({
      ...{
        kills: 3,
        domains: 30,
        pages: 8,
        requests: 40,
        checkpoint: '200ms',
        agents: 2,
        seed: 3,
        answersAfter: 25,
      },
      flags: [...EVERYTHING.flags, '--fetches', '4'],
      // Calendars take a thousand pages each: they, and pages that learned rules skip, are for the
      // long form.
      scenario: scenarioOf('clean', {
        ...{ session: 0.04, alias: 0.04, repeat: 0.04, 'soft-404': 0.2 },
        'slow-start': 1,
      }),
    });
    expect(report).toMatchObject({
      exitCode: 0,
      twice: [],
      torn: [],
      unconfirmed: 0,
      indexFaults: [],
    });
    expect(report.askedAgain).toBeLessThanOrEqual(report.mayBeAskedAgain);
    expect(report.kills).toBe(3);
  });

  test('that is stopped by the user loses nothing and fetches nothing twice', async () => {
    const paths = Array.from({ length: 60 }, (_, i) => `/${i}`);
    // Answers are held until the crawl stops.
    let most = 0;
    let held: (() => void)[] = [];
    const answer: Handler = (_, response) => {
      const send = () => void response.end(linking('/'));
      if (--most > 0) send();
      else held.push(send);
    };
    site = await startSmallSite({
      '/': linking(...paths),
      ...Object.fromEntries(paths.map((path) => [path, answer])),
    });
    const dir = join(folder(), 'crawl');
    const stopping = () =>
      readFileSync(join(dir, 'log.jsonl'), 'utf8').split('"event":"crawl-stopping"').length;
    let stops = 0;
    for (let code = -1; code !== 0; ) {
      most = 16;
      const child = spawn(process.execPath, [
        DRUMLIN,
        'crawl',
        `${site.origin}/`,
        '--dir',
        dir,
        ...LOCAL,
      ]);
      const ended = once(child, 'exit');
      const until = async (happened: () => boolean) => {
        while (!happened() && child.exitCode === null)
          await new Promise((later) => setImmediate(later));
      };
      await until(() => held.length > 0);
      const before = stopping();
      child.kill('SIGINT');
      await until(() => stopping() > before);
      most = Infinity;
      for (const send of held) send();
      held = [];
      [code] = (await ended) as [number];
      if (code !== 0) {
        expect(code).toBe(130);
        stops++;
      }
    }
    expect(stops).toBeGreaterThan(1);
    const pages = site.asked.filter((path) => path !== '/robots.txt');
    expect(pages.sort()).toEqual(['/', ...paths].sort());
    expect(await archived(join(dir, 'archive'))).toEqual(['/', ...paths].sort());
    expect(await indexFaults(dir)).toEqual([]);
  });
});

async function archived(archive: string): Promise<string[]> {
  const records = [];
  for (const file of readdirSync(archive).filter((name) => name !== 'orphans'))
    records.push(...(await readWithWarcio(join(archive, file))));
  const responses = records.filter(
    ({ type, url }) => type === 'response' && !url?.endsWith('/robots.txt'),
  );
  return responses.map(({ url }) => new URL(String(url)).pathname).sort();
}
