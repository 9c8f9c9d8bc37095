/**
 * What a decision costs: a list of a million entries, compared with a Set of the same in the same
 * run, and filters of a few parts.
 *
 *   npm run bench -- filter [--entries 1M] [--urls 200k] [--rounds 7]
 *
 * URLs are slices of larger texts, like those of the parser: pages of 50 links, 35 of them to the
 * page's own host. Half of the hosts are listed. Times are processor time, medians of rounds,
 * without the time to find where the path of each URL begins.
 */
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseCount } from '../src/base/units.ts';
import { compile } from '../src/filter/compile.ts';
import { bindingOf } from '../src/filter/filter-set.ts';
import { ListBuilder } from '../src/filter/list-table.ts';
import { parseFilter } from '../src/filter/parse.ts';
import { BUILT_IN } from '../src/filter/predicates.ts';
import { hostOf } from '../src/url/parts.ts';

const LIST = '/list';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      entries: { type: 'string', default: '1M' },
      urls: { type: 'string', default: '200k' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const entries = parseCount(values.entries);
  const rounds = parseCount(values.rounds);
  const links = linksOf(parseCount(values.urls), entries);
  const scattered = links.toSorted((a, b) => hashOf(a) - hashOf(b));
  const subjects = new Map<string, (url: string) => boolean>();

  const heapBefore = heap();
  const set = new Set(Array.from({ length: entries }, (_, i) => nameOf(2 * i)));
  const setBytes = heap() - heapBefore;
  const builder = new ListBuilder();
  const startedAt = performance.now();
  for (let i = 0; i < entries; i++) builder.add(nameOf(2 * i));
  const building = performance.now() - startedAt;
  const list = builder.finish();
  console.log(`${formatCount(entries)} hosts; ${formatCount(links.length)} links`);
  console.log(`  a Set of strings  ${formatBytes(setBytes)}`);
  console.log(
    `  the table         ${formatBytes(list.words.byteLength)}, made in ${building.toFixed(0)} ms`,
  );

  const binding = bindingOf([{ path: LIST, kind: 'entries', list }]);
  const filter = (text: string) => {
    const accepts = compile(parseFilter(text, { predicates: BUILT_IN }), binding);
    const subject = {
      url: '',
      depth: 1,
      ...{ standing: undefined, visit: undefined, response: undefined, page: undefined },
    };
    return (url: string) => {
      subject.url = url;
      return accepts(subject);
    };
  };
  subjects.set('a Set: has(hostOf(url))', (url) => set.has(hostOf(url)));
  for (const text of [
    `InList(${LIST})`,
    'HostEndsWith(.edu)',
    'PathDepth < 4',
    'ExtensionIs(jpg, png, gif)',
    'Matches(*/print/*)',
    'HostEndsWith(.edu) and not PathContains(/print/)',
    `(HostEndsWith(.edu) and not InList(${LIST})) or PathDepth < 4`,
  ]) {
    subjects.set(text, filter(text));
  }
  console.log('\n  ns a link: as on pages, each to another host, part accepted');
  const nothing = (url: string) => url.indexOf('/', 8) < 0;
  for (const [name, accepts] of subjects) {
    const cost = (urls: readonly string[]) =>
      Math.max(0, median(rounds, urls, accepts) - median(rounds, urls, nothing));
    const taken = links.filter(accepts).length / links.length;
    console.log(
      `  ${name.padEnd(62)} ${cost(links).toFixed(0).padStart(5)} ${cost(scattered).toFixed(0).padStart(5)} ${taken.toFixed(2).padStart(6)}`,
    );
  }
}

const SUFFIXES = ['com', 'org', 'edu', 'co.uk'];
const nameOf = (i: number): string => `www.site${i.toString(36)}.${SUFFIXES[i % 4]}`;

/** Every second name is listed. */
function linksOf(count: number, entries: number): string[] {
  const links: string[] = [];
  let state = 1;
  const random = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  while (links.length < count) {
    const own = nameOf(random(2 * entries));
    const hrefs = Array.from({ length: 50 }, (_, i) => {
      const host = i < 35 ? own : nameOf(random(2 * entries));
      return `https://${host}/${'part/'.repeat(random(6))}page${random(1000)}.html`;
    });
    const page = hrefs.map((href) => `<a href="${href}">`).join('\n');
    for (let at = page.indexOf('https:'); at >= 0; at = page.indexOf('https:', at + 1)) {
      links.push(page.slice(at, page.indexOf('"', at)));
    }
  }
  return links;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

function median(
  rounds: number,
  urls: readonly string[],
  accepts: (url: string) => boolean,
): number {
  const times: number[] = [];
  let accepted = 0;
  for (let round = 0; round < rounds + 2; round++) {
    const before = process.cpuUsage();
    for (const url of urls) if (accepts(url)) accepted++;
    if (round >= 2) times.push((process.cpuUsage(before).user * 1e3) / urls.length);
  }
  if (accepted < 0) throw new Error('never');
  return times.sort((a, b) => a - b)[rounds >> 1];
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
