/**
 * Near-duplicates and traps: precision and recall against the truth, and microseconds a page beside
 * a plain simhash.
 *
 *   npm run bench -- duplicates [lab] [debian] [traps] [speed] [--seed 1] [--rounds 7]
 *                               [--debian /usr/share/doc] [--domains 15] [--pages 10000]
 *
 * `lab` and `traps` use the truth of the synthetic web. `traps` walks `--domains` domains of each
 * kind, up to `--pages` pages each. `debian` reads the installation guides of several architectures
 * (packages installation-guide-amd64, -i386, -arm64) and other manuals, if they are installed.
 */
import { parseArgs } from 'node:util';
import { debianPages, labPages } from './duplicates/pages.ts';
import { measureSpeed } from './duplicates/speed.ts';
import {
  bySignature,
  bySimhash,
  bySketches,
  type KnownPage,
  type Score,
  scoreOf,
} from './duplicates/stream.ts';
import { judgeSoftErrors, judgeTraps } from './duplicates/traps.ts';

const SIMILARITIES = [0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9];
const BITS = [3, 6, 8, 10, 12, 14, 16];

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      debian: { type: 'string', default: '/usr/share/doc' },
      rounds: { type: 'string', default: '7' },
      domains: { type: 'string', default: '15' },
      pages: { type: 'string', default: '10000' },
    },
  });
  const wants = (part: string) => positionals.length === 0 || positionals.includes(part);
  const seed = Number(values.seed);
  if (wants('lab')) table(`lab, seed ${seed}`, labPages(seed));
  if (wants('debian')) {
    for (const other of ['i386', 'arm64'] as const) {
      const pages = debianPages(values.debian, ['amd64', other]);
      if (pages.length > 0)
        table(`installation guides of amd64 and ${other}, and other manuals`, pages);
      else console.log(`debian: no installation-guide-* in ${values.debian}: skipped`);
    }
  }
  if (wants('traps')) {
    const extent = { seed, domains: Number(values.domains), pages: Number(values.pages) };
    judgeTraps(extent);
    judgeSoftErrors(extent);
  }
  if (wants('speed')) measureSpeed(labPages(seed), Number(values.rounds));
}

function table(name: string, pages: readonly KnownPage[]): void {
  const sketches = bySketches(pages);
  const simhashes = bySimhash(pages);
  const row = (label: string, { precision, recall }: Score) =>
    console.log(`  ${label.padEnd(28)} ${precision.toFixed(4)}     ${recall.toFixed(4)}`);
  const { positives } = scoreOf(pages, []);
  console.log(
    `${name}: ${pages.length} pages, ${positives} of them near-duplicates of an earlier one`,
  );
  console.log(`  ${''.padEnd(28)} precision  recall`);
  row('same signature (BUbiNG)', scoreOf(pages, bySignature(pages)));
  for (const threshold of SIMILARITIES)
    row(`minhash, ${threshold} alike`, scoreOf(pages, sketches(threshold)));
  for (const bits of BITS) row(`simhash, ${bits} bits apart`, scoreOf(pages, simhashes(bits)));
  console.log('');
}
