/**
 * What a page states about itself: title, author, date and description, from `<meta>`, Open Graph,
 * JSON-LD and `<title>`.
 *
 * Ensures   never throws; a value that cannot be read is as if it were absent. A date is ISO 8601.
 * Cost      a few look-ups; JSON-LD is parsed only as far as `MOST_JSON` bytes.
 */
import { decodeReferences } from '../parse/entities.ts';
import type { PageFacts } from './block.ts';
import type { BlockScanner } from './block-scanner.ts';

const LONGEST = 2000;
const MOST_JSON = 256 * 1024;
const MOST_NODES = 2000;

export const NO_FACTS: PageFacts = {
  title: undefined,
  author: undefined,
  published: undefined,
  description: undefined,
  declaredLanguage: undefined,
};

const TITLES = ['og:title', 'twitter:title', 'dc.title', 'title'];
const AUTHORS = [
  'author',
  'article:author',
  'dc.creator',
  'sailthru.author',
  'parsely-author',
  'byl',
];
const DATES = [
  'article:published_time',
  'datepublished',
  'og:published_time',
  'dc.date.issued',
  'dc.date',
  'date',
  'pubdate',
  'publishdate',
  'publish-date',
  'parsely-pub-date',
  'sailthru.date',
  'article.published',
  'dcterms.created',
  'created',
];
const DESCRIPTIONS = ['og:description', 'description', 'twitter:description', 'dc.description'];

export function readFacts(scanner: BlockScanner, bytes: Buffer): PageFacts {
  const metas = new Map<string, string>();
  for (const { name, start, end } of scanner.metas) {
    const value = cleaned(bytes, start, end, 'attribute');
    if (value !== undefined && !metas.has(name)) metas.set(name, value);
  }
  const first = (names: readonly string[]): string | undefined => {
    for (const name of names) if (metas.has(name)) return metas.get(name);
    return undefined;
  };
  const data = linkedData(scanner, bytes);
  const { title, lang } = scanner;
  return {
    title: (title && cleaned(bytes, title.start, title.end, 'text')) ?? first(TITLES) ?? data.title,
    author: personOf(first(AUTHORS)) ?? data.author,
    published: isoDate(first(DATES)) ?? isoDate(data.published),
    description: first(DESCRIPTIONS) ?? data.description,
    declaredLanguage: lang && cleaned(bytes, lang.start, lang.end, 'attribute'),
  };
}

function cleaned(
  bytes: Buffer,
  start: number,
  end: number,
  place: 'attribute' | 'text',
): string | undefined {
  const raw = bytes.toString('utf8', start, Math.min(end, start + LONGEST));
  return tidy(decodeReferences(raw, place));
}

function tidy(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .slice(0, LONGEST)
    .replace(/[\s\0]+/g, ' ')
    .trim();
  return text === '' ? undefined : text;
}

/** Some pages give the URL of an author's page instead of a name. */
function personOf(author: string | undefined): string | undefined {
  return author === undefined || /^https?:/i.test(author) ? undefined : author;
}

interface LinkedData {
  title?: string | undefined;
  author?: string | undefined;
  published?: string | undefined;
  description?: string | undefined;
}

function linkedData(scanner: BlockScanner, bytes: Buffer): LinkedData {
  const found: LinkedData = {};
  let room = MOST_JSON;
  for (const { start, end } of scanner.data) {
    room -= end - start;
    if (room < 0) break;
    try {
      gather(JSON.parse(bytes.toString('utf8', start, end)), found);
    } catch {
      // Not JSON: as if it were absent.
    }
  }
  return found;
}

/** Looks through nested objects, the outer ones first, and keeps the first value of each kind. */
function gather(root: unknown, found: LinkedData): void {
  const queue: unknown[] = [root];
  for (let at = 0; at < queue.length && at < MOST_NODES; at++) {
    const node = queue[at];
    if (typeof node !== 'object' || node === null) continue;
    const fields = node as Record<string, unknown>;
    found.title ??= tidy(fields.headline);
    found.published ??= tidy(fields.datePublished);
    found.description ??= tidy(fields.description);
    found.author ??= nameOf(fields.author);
    for (const value of Object.values(fields)) queue.push(value);
  }
}

function nameOf(author: unknown): string | undefined {
  if (Array.isArray(author)) {
    const names = author
      .slice(0, 20)
      .map(nameOf)
      .filter((name) => name !== undefined);
    return names.length === 0 ? undefined : names.join(', ');
  }
  if (typeof author === 'object' && author !== null)
    return tidy((author as { name?: unknown }).name);
  return personOf(tidy(author));
}

const ISO =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?/i;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAY_FIRST = /\b(\d{1,2})\.?\s+([a-z]{3})[a-z]*\.?,?\s+(\d{4})\b/i;
const MONTH_FIRST = /\b([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b/i;

/** A date as ISO 8601; undefined if it is in no form that all readers understand alike. */
export function isoDate(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const iso = ISO.exec(value.trim());
  if (iso !== null) {
    const [, year, month, day, hours, minutes, seconds = '00', zone = ''] = iso;
    const date = checkedDate(Number(year), Number(month), Number(day));
    if (date === undefined || hours === undefined) return date;
    return `${date}T${hours}:${minutes}:${seconds}${zone.toUpperCase()}`;
  }
  const dayFirst = DAY_FIRST.exec(value);
  if (dayFirst !== null)
    return checkedDate(Number(dayFirst[3]), monthOf(dayFirst[2]), Number(dayFirst[1]));
  const monthFirst = MONTH_FIRST.exec(value);
  if (monthFirst === null) return undefined;
  return checkedDate(Number(monthFirst[3]), monthOf(monthFirst[1]), Number(monthFirst[2]));
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.toLowerCase()) + 1;
}

function checkedDate(year: number, month: number, day: number): string | undefined {
  if (year < 1900 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31)
    return undefined;
  const two = (number: number) => String(number).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}`;
}
