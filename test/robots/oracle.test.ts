/**
 * Real robots.txt files, read by us and by robots-parser. Every known difference is listed and
 * justified here.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import robotsParserModule from 'robots-parser';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseRobots, rulesFromBytes } from '../../src/robots/parse-robots.ts';
import { foreignMaterial } from '../foreign-material.ts';
import { leftOut } from '../left-out.ts';

// Its types describe an ES module, but it is not one: the default import is the function itself.
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

const material = await foreignMaterial('robots');

/** Files where we differ, for the agents and paths tried below, and why we are right. */
const EMPTY_GROUP = 'a group without rules is a group: its agents may fetch everything';
const DELAY =
  'Crawl-delay ends no group (RFC 9309, 2.2.4): who is named before it shares the rules that follow';
const ENCODED = 'a character that URLs encode is the same in a URL and in a rule, encoded or not';
const ACCEPTED: Readonly<Record<string, string>> = {
  'artofmanliness.com': DELAY,
  'hypebeast.com': DELAY,
  'www.24hourfitness.com': EMPTY_GROUP,
  'www.cartier.com': ENCODED,
  'www.cdjapan.co.jp': DELAY,
  'www.census.gov': EMPTY_GROUP,
  'www.charlotteobserver.com': DELAY,
  'www.dallasnews.com': EMPTY_GROUP,
  'www.deccanchronicle.com': DELAY,
  'www.gunbroker.com': DELAY,
  'www.harveynorman.com.au': ENCODED,
  'www.homeaway.com': 'a line of no meaning ends no group (RFC 9309, 2.2.4)',
  'www.intel.com': DELAY,
  'www.ixigo.com': DELAY,
  'www.kansascity.com': DELAY,
  'www.lbc.co.uk': DELAY,
  'www.lonelyplanet.com': DELAY,
  'www.metafilter.com': DELAY,
  'www.milb.com': DELAY,
  'www.opentext.com': 'rules are octets: a file in Latin-1 does not mean the replacement character',
  'www.pep.ph': EMPTY_GROUP,
  'www.sacbee.com': DELAY,
  'www.seagate.com': DELAY,
  'www.tableau.com': DELAY,
  'www.thestudentroom.co.uk': ENCODED,
  'www.zacks.com': EMPTY_GROUP,
};
/** Those that affect a crawler that no file names. */
const ACCEPTED_FOR_US = [
  'www.cartier.com',
  'www.harveynorman.com.au',
  'www.opentext.com',
  'www.thestudentroom.co.uk',
];

describe.skipIf(leftOut(material))('real robots.txt files', () => {
  let files: Map<string, Buffer>;
  beforeAll(() => {
    files = filesAt(material.path);
  });

  test('exist in large number', () => {
    expect(files.size).toBeGreaterThan(600);
  });

  test('mean the same to us as to robots-parser, except for the accepted differences', () => {
    const differing = new Set<string>();
    const differingForUs = new Set<string>();
    let compared = 0;
    for (const [name, bytes] of files) {
      const text = bytes.toString('utf8').replace(/^\ufeff/, '');
      const theirs = robotsParser('http://lab.test/robots.txt', text);
      const paths = pathsOf(text);
      for (const agent of agentsOf(text)) {
        const ours = parseRobots(bytes, agent);
        for (const path of paths) {
          compared++;
          if (ours.verdict(path).allowed === theirs.isAllowed(`http://lab.test${path}`, agent))
            continue;
          differing.add(name);
          if (agent === 'drumlin') differingForUs.add(name);
        }
        if (agent === 'drumlin')
          expect([name, ours.sitemaps]).toEqual([name, theirs.getSitemaps()]);
        // robots-parser takes the last of several delays, we take the longest.
        expect(ours.crawlDelay ?? 0).toBeGreaterThanOrEqual(
          (theirs.getCrawlDelay(agent) ?? 0) * 1000,
        );
      }
    }
    expect(compared).toBeGreaterThan(20_000);
    const here = (names: readonly string[]) => names.filter((name) => files.has(name));
    expect([...differing].sort()).toEqual(here(Object.keys(ACCEPTED)));
    expect([...differingForUs].sort()).toEqual(here(ACCEPTED_FOR_US));
  });

  test('survive storing and restoring', () => {
    for (const [name, bytes] of files) {
      const rules = parseRobots(bytes, 'drumlin');
      const copy = rulesFromBytes(rules.toBytes()!);
      for (const path of pathsOf(bytes.toString('utf8')).slice(0, 10)) {
        expect([name, copy.verdict(path)]).toEqual([name, rules.verdict(path)]);
      }
    }
  });

  test('report the deciding line in every verdict', () => {
    for (const bytes of [...files.values()].slice(0, 150)) {
      const lines = bytes.toString('utf8').split(/\r\n|\r|\n/);
      const rules = parseRobots(bytes, 'drumlin');
      for (const path of pathsOf(lines.join('\n')).slice(0, 10)) {
        const { line, rule } = rules.verdict(path);
        if (line === undefined) continue;
        expect(lines[line - 1].replace(/\s/g, '').toLowerCase()).toContain(
          rule!.replace(/\s/g, '').toLowerCase(),
        );
      }
    }
  });
});

/** Our name and the first that the file addresses, as far as they are product tokens. */
function agentsOf(text: string): string[] {
  const named = [...text.matchAll(/^\s*user-agent\s*:\s*([a-z0-9_-]+)\s*(?:#.*)?$/gim)].map(
    (match) => match[1].toLowerCase(),
  );
  return [...new Set(['drumlin', ...named])].slice(0, 12);
}

/** Paths that the file's rules match, and paths that they just fail to match. */
function pathsOf(text: string): string[] {
  const paths = new Set(['/', '/index.html']);
  for (const [, value] of text.matchAll(/^\s*(?:dis)?allow\s*:\s*([^#\r\n]*)/gim)) {
    const path = value.trim().replaceAll('*', 'x').replace(/\$$/, '');
    for (const variant of [path, `${path}y`, path.slice(0, -1)]) {
      const base = 'http://lab.test/';
      const url = URL.canParse(variant, base) ? new URL(variant, base) : undefined;
      if (url?.host === 'lab.test') paths.add(url.pathname + url.search);
    }
  }
  const every = Math.ceil(paths.size / 40);
  paths.delete('/robots.txt'); // we always allow it (RFC 9309, 2.2.2), robots-parser does not
  return [...paths].filter((_, i) => i % every === 0);
}

/** Those of an archive; of the thousands in a folder, every sixth: more would take too long. */
function filesAt(path: string): Map<string, Buffer> {
  if (!statSync(path).isDirectory()) return untar(gunzipSync(readFileSync(path)));
  const names = readdirSync(path).sort();
  const some = names.filter((_, i) => i % 6 === 0);
  return new Map(some.map((name) => [name, readFileSync(join(path, name))]));
}

function untar(tar: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const field = (from: number, length: number) =>
      tar.toString('latin1', at + from, at + from + length).replace(/\0.*$/, '');
    const size = Number.parseInt(field(124, 12), 8) || 0;
    const isFile = field(156, 1) === '0' || field(156, 1) === '';
    if (isFile)
      files.set(field(0, 100).replace(/^.*\//, ''), tar.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
