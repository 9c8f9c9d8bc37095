/**
 * What is known of rows only when all were read: their clusters, and how often they were fetched
 * again.
 *
 * Format    .near of a segment: a line for each row with something to say, in order: its number in
 *           the segment, the cluster or `-`, 1 if it is not the earliest of it, its revisits.
 * Cost      Fixed memory; see near/near-duplicates.ts and revisits.ts.
 */
import { join } from 'node:path';
import { PairSorter } from '../disk/external-sort.ts';
import { readLines } from '../disk/lines.ts';
import { listsOf, Pairs } from './near/components.ts';
import { type ClusterMember, nearDuplicates } from './near/near-duplicates.ts';
import type { SketchPart } from './near/sketch-file.ts';
import type { CorpusPlan } from './plan.ts';
import type { SegmentResult } from './read-segment.ts';
import { RevisitJoin } from './revisits.ts';
import type { WorkFolder } from './work-folder.ts';

export interface LateResult {
  /** Rows with an earlier near-duplicate. */
  readonly duplicates: number;
  readonly clusters: number;
}

export async function findLateFacts(
  work: WorkFolder,
  plan: CorpusPlan,
  segments: readonly SegmentResult[],
  surveys: readonly { readonly revisits: number }[],
): Promise<void> {
  const { disk, path: folder } = work;
  const { duplicates, similarity, sizes } = plan.settings;
  let first = 0;
  const parts = segments.map(({ rows }, i): SketchPart => {
    first += rows;
    return { path: work.file('read', i, 'sketches'), first: first - rows, pages: rows };
  });
  const near =
    duplicates === 'keep'
      ? nobody()
      : nearDuplicates(disk, folder, parts, { threshold: similarity, memory: sizes.memory });
  const hasRevisits = surveys.some(({ revisits }) => revisits > 0);
  const revisits = hasRevisits ? revisitsOf(work, plan, parts, surveys.length) : nobody();
  const [members, counts] = [new Peekable(near), new Peekable(revisits)];
  for (const [i, part] of parts.entries()) {
    await writeSegment(work, i, part, members, counts);
  }
  await members.end();
  await counts.end();
}

async function* nobody(): AsyncGenerator<never> {}

async function writeSegment(
  work: WorkFolder,
  index: number,
  { first, pages }: SketchPart,
  members: Peekable<ClusterMember>,
  counts: Peekable<{ page: number; count: number }>,
): Promise<void> {
  let [duplicates, clusters] = [0, 0];
  await work.write([work.file('late', index, 'near')], async ([file]) => {
    let [position, lines] = [0, ''];
    const flush = async () => {
      const bytes = Buffer.from(lines, 'latin1');
      await file.writeAll(bytes, position);
      position += bytes.length;
      lines = '';
    };
    for (;;) {
      const page = Math.min(
        (await members.peek())?.page ?? Infinity,
        (await counts.peek())?.page ?? Infinity,
      );
      if (page >= first + pages) break;
      const member = await members.takeAt(page);
      const revisits = (await counts.takeAt(page))?.count ?? 0;
      const isLater = member !== undefined && member.earliest !== page;
      if (isLater) duplicates++;
      else if (member) clusters++;
      lines += `${page - first} ${member?.earliestId ?? '-'} ${isLater ? 1 : 0} ${revisits}\n`;
      if (lines.length > 2 ** 18) await flush();
    }
    await flush();
  });
  await work.done('late', index, { duplicates, clusters } satisfies LateResult);
}

/** Pages with revisits, by their numbers. */
async function* revisitsOf(
  work: WorkFolder,
  plan: CorpusPlan,
  parts: readonly SketchPart[],
  files: number,
): AsyncGenerator<{ page: number; count: number }> {
  const { disk, path: folder } = work;
  const { memory } = plan.settings.sizes;
  const joined = new RevisitJoin(disk, folder, memory / 2);
  for (let i = 0; i < files; i++) {
    for await (const lines of readLines(disk, work.file('survey', i, 'revisits')))
      for (const key of lines) await joined.revisit(key);
  }
  for (const [i, { first }] of parts.entries()) {
    let page = first;
    for await (const lines of readLines(disk, work.file('read', i, 'pages'))) {
      for (const line of lines) {
        for (const [side, key] of line.split(' ').entries()) await joined.page(key, page, side);
        page++;
      }
    }
  }
  // A page has two keys: a count is marked with whose it is, because equal pairs are joined.
  const byPage = new Pairs(new PairSorter(disk, folder, 'revisited', memory / 2));
  await joined.finish(async (page, count, side) => {
    await byPage.add(page, count * 2 + side);
  });
  for await (const { key, values } of listsOf(await byPage.sorted())) {
    yield { page: key, count: values.reduce((sum, value) => sum + (value >>> 1), 0) };
  }
}

/** A stream whose next item can be looked at. */
class Peekable<T extends { readonly page: number }> {
  readonly #rest: AsyncGenerator<T>;
  #next: IteratorResult<T> | undefined;

  constructor(rest: AsyncGenerator<T>) {
    this.#rest = rest;
  }

  async peek(): Promise<T | undefined> {
    this.#next ??= await this.#rest.next();
    return this.#next.done ? undefined : this.#next.value;
  }

  /** The next item if it is about this page. */
  async takeAt(page: number): Promise<T | undefined> {
    const next = await this.peek();
    if (next?.page !== page) return undefined;
    this.#next = undefined;
    return next;
  }

  async end(): Promise<void> {
    await this.#rest.return(undefined);
  }
}

/** What is known of the rows of a segment: by their numbers, in order. */
export interface LateFacts {
  readonly row: number;
  readonly cluster: string | undefined;
  readonly isLater: boolean;
  readonly revisits: number;
}

export async function* readLateFacts(work: WorkFolder, index: number): AsyncGenerator<LateFacts> {
  for await (const lines of readLines(work.disk, work.file('late', index, 'near'))) {
    for (const line of lines) {
      const [row, cluster, later, revisits] = line.split(' ');
      yield {
        row: Number(row),
        cluster: cluster === '-' ? undefined : cluster,
        isLater: later === '1',
        revisits: Number(revisits),
      };
    }
  }
}

export const repeatsPath = ({ path }: WorkFolder): string => join(path, 'repeats.bin');
