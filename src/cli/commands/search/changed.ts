/** `drumlin search --changed`: what happened around a time. */
import { DrumlinError } from '../../../base/errors.ts';
import { Disk } from '../../../disk/disk.ts';
import { type Changed, type ChangedPage, whatChanged } from '../../../search/changed/changed.ts';
import type { SmallGraph } from '../../../search/changed/order.ts';
import { statesOf, type TwoStates } from '../../../search/changed/states.ts';
import { LinkGraph } from '../../../search/links/link-graph.ts';
import { describe } from '../../../search/query/results.ts';
import type { SearchIndex, SearchOptions } from '../../../search/query/search-index.ts';
import { iso } from '../../../search/query/times.ts';
import { asJson, asText, printable } from './print.ts';
import type { Output, SearchFlags } from './work.ts';

export async function printChanged(
  opened: SearchIndex,
  query: string,
  options: SearchOptions,
  flags: SearchFlags & { readonly folders: readonly string[] },
  out: Output,
): Promise<boolean> {
  if (flags.timeline)
    throw new DrumlinError(
      'USAGE',
      'A timeline does not show what changed.',
      'Leave out --timeline or --changed.',
    );
  const { folders, snippets, by, alpha, seeds, expand } = flags;
  const states = statesOf(opened, flags);
  const links = await LinkGraph.open(new Disk(), folders, opened.crawls);
  try {
    const wanted = { ...options, by, alpha, seeds, expand };
    const changed = await whatChanged(opened, links, states, query, wanted);
    const results = changed.pages.map(({ version, rank }) => ({
      ...{ version, score: rank, page: opened.pages.pageOf[version] },
    }));
    const described = await describe(opened, { ...changed, ...NO_READS, results }, { snippets });
    for (const [i, result] of described.entries()) {
      const parts = partsOf(changed, i);
      out.write(
        flags.json
          ? `${JSON.stringify({ ...asJson(result), ...timesOf(states), ...parts })}\n`
          : asText(result, i + 1, flags.explain ? explanation(changed.pages[i], parts) : []),
      );
    }
    if (flags.explain && !flags.json && described.length > 0) out.write(summary(changed, states));
    return described.length > 0;
  } finally {
    await links.close();
  }
}

const NO_READS = { reads: { blocks: 0, decoded: 0 } };

const timesOf = ({ before, after }: TwoStates) => ({
  before: { epoch: before.name, end: iso(before.end) },
  after: { epoch: after.name, end: iso(after.end) },
});

/** The parts of a score; results are named by their places, from 1. */
function partsOf({ pages, before, after }: Changed, place: number) {
  const page = pages[place];
  return {
    ...{ text: page.score, change: page.change, p: page.p, isSeed: page.isSeed },
    ...{ in: [page.before.in, page.after.in], out: [page.before.out, page.after.out] },
    words: [page.before.words, page.after.words],
    linksBefore: targetsOf(before, place),
    linksAfter: targetsOf(after, place),
  };
}

const targetsOf = ({ from, to }: SmallGraph, place: number): number[] =>
  [...to].filter((_, i) => from[i] === place).map((target) => target + 1);

function explanation({ isSeed }: ChangedPage, parts: ReturnType<typeof partsOf>): string[] {
  const { text, change, p, in: into, out, words, linksBefore, linksAfter } = parts;
  const counts = `in-links ${into.join(' to ')}, out-links ${out.join(' to ')}, words ${words.join(' to ')}`;
  const named = (targets: readonly number[]) =>
    targets.length === 0 ? 'none' : targets.map((target) => `#${target}`).join(' ');
  return [
    `text ${text.toFixed(3)}${isSeed ? '' : ' (added by its links)'}, change ${change.toFixed(3)}; p ${p.toFixed(3)}`,
    counts,
    `links to ${named(linksAfter)}; before: ${named(linksBefore)}`,
  ];
}

function summary({ before, after }: Changed, states: TwoStates): string {
  const name = (state: keyof TwoStates) => printable(states[state].name);
  return `Links among these pages: ${before.from.length} at the end of ${name('before')}, ${after.from.length} at the end of ${name('after')}.\n`;
}
