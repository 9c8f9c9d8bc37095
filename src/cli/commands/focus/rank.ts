/** `drumlin focus rank BOOK`: which domains to crawl, the best first. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCount, parseCount } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { writeText } from '../../../disk/text-file.ts';
import { Book } from '../../../focus/book/book.ts';
import { HEAD, rowOf, whitelistPage } from '../../../focus/rank/figures.ts';
import { type RankedBook, rankBook } from '../../../focus/rank/rank-book.ts';
import { logF1, type Ranked } from '../../../focus/rank/whitelist.ts';
import { printable } from '../../screen/printable.ts';

export interface RankFlags {
  readonly top: string;
  readonly quality: string;
  readonly out?: string;
  readonly figures?: string;
  readonly show: string;
  readonly json?: true;
}

export async function rank(place: string, flags: RankFlags): Promise<void> {
  const disk = new Disk();
  const book = await Book.open(disk, place);
  const [top, shown] = [parseCount(flags.top), parseCount(flags.show)];
  const options = { top, quality: flags.quality, temporary: tmpdir() };
  const list = await rankBook(disk, book, options);
  if (flags.out !== undefined) await writeList(disk, flags.out, list.domains);
  if (flags.figures !== undefined) {
    const html = whitelistPage(`Whitelist of ${place}`, list);
    await writeText(disk, join(flags.figures), (file) => file.write(Buffer.from(html)));
  }
  process.stdout.write(flags.json ? `${JSON.stringify(objectOf(list))}\n` : textOf(list, shown));
}

/** One domain a line with its F1, as the filter `DomainValue` reads it. */
async function writeList(disk: Disk, path: string, domains: readonly Ranked[]): Promise<void> {
  await writeText(disk, path, async (file) => {
    const lines = domains.map(({ name, f1 }) => `${name} ${f1}\n`);
    await file.write(Buffer.from(`# domain F1, the best first\n${lines.join('')}`));
  });
}

function objectOf({ domains, core, all, totals, covered, unknown }: RankedBook) {
  const rows = domains.map(({ f1, inD, documentShare: _, qualityShare: __, ...rest }) => ({
    ...rest,
    f1,
    logF1: f1 > 0 ? logF1(f1) : null,
    inD: inD ?? null,
  }));
  return { domains: rows, core, all, totals, covered, unknown };
}

function textOf({ domains, core, all, covered, unknown }: RankedBook, shown: number): string {
  const rows = [HEAD, ...domains.slice(0, shown).map(rowOf)];
  const widths = HEAD.map((_, i) => rows.reduce((width, row) => Math.max(width, row[i].length), 0));
  const lines = rows.map((row) =>
    row.map((cell, i) => (i === 5 ? printable(cell) : cell.padStart(widths[i]))).join('  '),
  );
  if (domains.length > shown) lines.push(`… ${formatCount(domains.length - shown)} more`);
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  lines.push(
    '',
    `${formatCount(domains.length)} of ${formatCount(all.domains)} domains, ${formatCount(core)} of them in the core`,
    `covered: ${percent(covered.documents)} of the documents, ${percent(covered.quality)} of the quality`,
  );
  if (unknown > 0)
    lines.push(
      `${formatCount(unknown)} counts are for URLs or domains that the book does not know`,
    );
  return `${lines.join('\n')}\n`;
}
