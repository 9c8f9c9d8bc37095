/**
 * The lines of the lab's documents.
 *
 *   paper      title, sections, a heading "References", the list of references
 *   slides     a few words a page
 *   notes      as long as a paper, without references: lectures, manuals
 *   brochure   two pages
 *
 * A few documents mislead: papers whose references have another heading, notes that have such a
 * heading, slides with references.
 */
import type { Random } from '../words/random.ts';
import { type Pool, phraseOf, Reader } from '../words/text.ts';

export type DocumentClass = 'paper' | 'slides' | 'notes' | 'brochure';

/** Longest line, and lines of a page. */
const LINE = 84;
const PAGE_LINES = 60;
const SLIDE_LINES = 8;
/** Documents in a thousand that mislead. */
const MISLEADING: Readonly<Record<DocumentClass, number>> = {
  paper: 25,
  slides: 100,
  notes: 8,
  brochure: 0,
};
/** Characters that a string of PDF or PostScript would need to escape, or cannot show. */
const UNFIT = /[()\\\x80-\xff]/g;
const SECTIONS = ['Introduction', 'Related Work', 'Method', 'Experiments', 'Results', 'Discussion'];

interface Prose {
  readonly kind: DocumentClass;
  readonly pool: Pool;
  readonly random: Random;
  /** Addresses that a paper cites; an empty one is a reference without an address. */
  readonly references: readonly string[];
}

/** Pages of lines. */
export function proseOf({ kind, pool, random, references }: Prose): string[][] {
  const reader = new Reader(pool, random);
  const misleads = random.below(1000) < MISLEADING[kind];
  const read = (bytes: number) => wrapped(reader.read(bytes).replace(UNFIT, ''));
  const phrase = () => phraseOf(pool, random).replace(UNFIT, '');
  const title = `${phrase()} ${phrase()}`;
  const listed = (heading: string) => [
    heading,
    ...references.flatMap((address, i) => [
      `[${i + 1}] ${phrase()}. ${phrase()} ${phrase()}, ${1990 + random.below(36)}.`,
      ...(address === '' ? [] : [address]),
    ]),
  ];
  switch (kind) {
    case 'paper': {
      const bytes = 1500 + random.below(5500);
      const body = SECTIONS.flatMap((section, i) => [`${i + 1} ${section}`, ...read(bytes)]);
      const heading = misleads ? 'Literature' : headingOf(random);
      return paged([title, 'Abstract', ...read(900), ...body, ...listed(heading)], PAGE_LINES);
    }
    case 'notes': {
      const bytes = 2500 + random.below(6000);
      const body = Array.from({ length: 4 }, (_, i) => [`${i + 1} ${phrase()}`, ...read(bytes)]);
      return paged([title, ...body.flat(), ...(misleads ? ['References'] : [])], PAGE_LINES);
    }
    case 'slides': {
      const slides = 8 + random.below(22);
      const lines = Array.from({ length: slides }, () => [phrase(), ...read(120)]).flat();
      return paged([title, ...lines, ...(misleads ? ['References'] : [])], SLIDE_LINES);
    }
    case 'brochure':
      return paged([title, ...read(600 + random.below(2400))], PAGE_LINES);
  }
}

function headingOf(random: Random): string {
  return ['References', 'REFERENCES', '7 References', 'Bibliography'][random.below(4)];
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= LINE) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}

function paged(lines: readonly string[], length: number): string[][] {
  const pages: string[][] = [];
  for (let at = 0; at < lines.length; at += length) pages.push(lines.slice(at, at + length));
  return pages;
}
