/** Near-duplicates of the lab against its truth, as two crawls of two agents each. */
import { join } from 'node:path';
import { labPages } from '../../bench/duplicates/pages.ts';
import { nearDuplicates } from '../../src/corpus/near/near-duplicates.ts';
import { type SketchPart, SketchWriter } from '../../src/corpus/near/sketch-file.ts';
import type { Disk } from '../../src/disk/disk.ts';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';

export interface DatedPage {
  readonly body: Uint8Array;
  readonly date: number;
}

export interface Found {
  readonly page: number;
  readonly earliest: number;
  readonly earliestId: string;
}

const THRESHOLD = 0.75;

/** The members of clusters among pages that are read from so many files. */
export async function* clustersAmong(
  disk: Disk,
  folder: string,
  pages: readonly DatedPage[],
  files: number,
  memory: number,
): AsyncGenerator<Found> {
  const parts: SketchPart[] = [];
  const size = Math.ceil(pages.length / files);
  for (let part = 0; part < files; part++) {
    const some = pages.slice(part * size, (part + 1) * size);
    const path = join(folder, `sketches-${part}`);
    const file = await disk.open(path, 'create');
    const writer = new SketchWriter(file);
    for (const [i, { body, date }] of some.entries())
      await writer.add(fingerprintOf(body), date, `id-${part * size + i}`);
    await writer.flush();
    await file.close();
    parts.push({ path, first: part * size, pages: some.length });
  }
  yield* nearDuplicates(disk, folder, parts, { threshold: THRESHOLD, memory });
}

export interface Verdict {
  /** Pages with the text of an earlier one. */
  readonly positives: number;
  readonly right: number;
  readonly wrong: number;
}

/** How many copies in a web of the lab are found, and how many verdicts are wrong. */
export async function judgedLab(
  disk: Disk,
  folder: string,
  seed: number,
  memory: number,
): Promise<Verdict> {
  // Pages come in no order; as two crawls of two agents each, they are read file by file.
  const pages = labPages(seed);
  const order = [0, 1, 2, 3].flatMap((file) =>
    pages
      .map((page, i) => ({ ...page, date: i, file: (i < pages.length / 2 ? 0 : 2) + (i % 2) }))
      .filter((page) => page.file === file),
  );
  const earliest = new Map<number, number>();
  for await (const found of clustersAmong(disk, folder, order, 4, memory))
    earliest.set(found.page, found.earliest);
  const seen = new Set<string>();
  let [positives, right, wrong] = [0, 0, 0];
  const byDate = order.map((page, at) => ({ ...page, at })).sort((a, b) => a.date - b.date);
  for (const { text, at, date } of byDate) {
    if (seen.has(text)) positives++;
    seen.add(text);
    const first = earliest.get(at);
    if (first === undefined || first === at) continue;
    if (order[first].date >= date) throw new Error(`page ${first} is not earlier than page ${at}`);
    if (order[first].text === text) right++;
    else wrong++;
  }
  return { positives, right, wrong };
}
