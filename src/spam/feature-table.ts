/**
 * Features of sites in memory and in files: CSV, ARFF as Weka reads it, or Parquet.
 *
 * A file has one row for each site. `site` names it (`hostname` and `name` are read too); `domain`,
 * `address` and `group` tell which sites belong together, `hostid` is the number that label files
 * of the Web Spam Challenge use. A site may have several addresses, with spaces between. All other
 * columns are features. A feature belongs to the set that its name begins with: `content:hp_words`
 * is one of the set `content`. A cell that is empty or `?` is a missing value.
 */
import { basename } from 'node:path';
import { DrumlinError } from '../base/errors.ts';
import { Disk } from '../disk/disk.ts';
import { readLines } from '../disk/text-input.ts';
import { readParquetTable } from './parquet-table.ts';

/** What tells that two sites belong together. */
export const BELONGING = ['domain', 'address', 'group'] as const;

export interface FeatureTable {
  readonly sites: readonly string[];
  /** The numbers of sites in other files, or an empty list. */
  readonly ids: readonly string[];
  /** What the sites have in common with others: a list of values for each site. */
  readonly belongings: readonly (readonly string[])[];
  readonly names: readonly string[];
  /** A column for each name; NaN is a missing value. */
  readonly columns: readonly Float64Array[];
}

/** The set of a feature: what stands before the first colon of its name. */
export function setOf(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? 'features' : name.slice(0, colon);
}

export async function readFeatures(path: string): Promise<FeatureTable> {
  if (/\.parquet$/i.test(path)) return readParquet(path);
  const lines = linesOf(path);
  const { header, separator } = /\.arff(\.gz)?$/i.test(path)
    ? await arffHeader(path, lines)
    : await csvHeader(path, lines);
  const table = new Reading(path, header);
  for await (const { text, line } of lines) {
    if (text.trim() === '' || text.startsWith('%')) continue;
    table.add(cellsOf(text, separator), line);
  }
  return table.end();
}

async function readParquet(path: string): Promise<FeatureTable> {
  const { header, columns } = await readParquetTable(new Disk(), path);
  const table = new Reading(path, header);
  const rows = Math.max(0, ...columns.map(({ length }) => length));
  for (let row = 0; row < rows; row++)
    table.add(
      columns.map((column) => cellOf(column[row])),
      row + 1,
    );
  return table.end();
}

const cellOf = (value: unknown): string | number =>
  typeof value === 'number' ? value : value === null || value === undefined ? '' : String(value);

interface Line {
  readonly text: string;
  readonly line: number;
}

async function* linesOf(path: string): AsyncGenerator<Line> {
  for await (const chunk of readLines(new Disk(), path)) {
    const texts = Buffer.from(chunk.bytes).toString('utf8').split(/\r?\n/);
    texts.pop();
    for (const [i, text] of texts.entries()) yield { text, line: chunk.line + i };
  }
}

async function csvHeader(path: string, lines: AsyncGenerator<Line>) {
  const { value } = await lines.next();
  if (value === undefined)
    throw problem(`${path} is empty.`, 'Give a file with a row for each site.');
  const text = (value as Line).text.replace(/^#/, '');
  const separator = text.includes('\t') ? '\t' : ',';
  return { header: cellsOf(text, separator), separator };
}

/** Attributes with values in braces, dates and strings are no features; `site` may be a string. */
async function arffHeader(path: string, lines: AsyncGenerator<Line>) {
  const header: string[] = [];
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw problem(`${path} has no line @data.`, 'Give an ARFF file as Weka writes it.');
    const { text, line } = value as Line;
    if (/^\s*@data\b/i.test(text)) return { header, separator: ',' };
    const [, quoted, plain, type] =
      /^\s*@attribute\s+(?:'([^']*)'|(\S+))\s+(.*)$/i.exec(text) ?? [];
    if (type === undefined) continue;
    const name = quoted ?? plain;
    if (!/^(numeric|real|integer)\b/i.test(type.trim()) && !isKnown(name) && !isClass(name))
      throw problem(
        `${path}, line ${line}: the feature "${name}" is not a number (${type.trim().slice(0, 40)}).`,
        'Make numbers of it, or leave it out.',
      );
    header.push(name);
  }
}

const SITE_NAMES = ['site', 'host', 'hostname', 'name'];
const isKnown = (name: string): boolean =>
  SITE_NAMES.includes(name) || name === 'hostid' || (BELONGING as readonly string[]).includes(name);
/** The class of Weka's files is what labels tell; it is no feature. */
const isClass = (name: string): boolean => /^(class|label|assessmentscore)$/i.test(name);

class Reading {
  readonly #path: string;
  readonly #header: readonly string[];
  readonly #site: number;
  readonly #id: number;
  readonly #belonging: readonly number[];
  readonly #features: readonly number[];
  readonly #values: number[][];
  readonly #sites: string[] = [];
  readonly #ids: string[] = [];
  readonly #belongings: string[][] = [];
  readonly #known = new Set<string>();

  constructor(path: string, header: readonly string[]) {
    this.#path = path;
    this.#header = header;
    this.#site = header.findIndex((name) => SITE_NAMES.includes(name));
    if (this.#site < 0)
      throw problem(
        `${path} has no column "site".`,
        'Write the name of each site in a column of that name.',
      );
    const twice = header.find((name, i) => header.indexOf(name) < i);
    if (twice !== undefined)
      throw problem(`${path} has two columns "${twice}".`, 'Leave one of them out.');
    this.#id = header.indexOf('hostid');
    this.#belonging = BELONGING.map((name) => header.indexOf(name)).filter((place) => place >= 0);
    this.#features = [...header.keys()].filter((i) => !isKnown(header[i]) && !isClass(header[i]));
    if (this.#features.length === 0)
      throw problem(`${path} has no features.`, 'Give a file of "drumlin spam features".');
    this.#values = this.#features.map(() => []);
  }

  add(cells: readonly (string | number)[], line: number): void {
    const path = this.#path;
    if (cells.length !== this.#header.length)
      throw problem(
        `${path}, line ${line}: ${cells.length} values, but ${this.#header.length} columns.`,
        'Repair the line.',
      );
    const textAt = (place: number): string => String(cells[place]).trim();
    const site = textAt(this.#site);
    if (this.#known.has(site))
      throw problem(`${path}, line ${line}: the site "${site}" stands above already.`, 'Keep one.');
    this.#known.add(site);
    this.#sites.push(site);
    if (this.#id >= 0) this.#ids.push(textAt(this.#id));
    this.#belongings.push(
      this.#belonging
        .filter((place) => !['', '?'].includes(textAt(place)))
        .flatMap((place) => {
          const [name, cell] = [this.#header[place], textAt(place)];
          return (name === 'address' ? cell.split(/\s+/) : [cell]).map((one) => `${name} ${one}`);
        }),
    );
    for (const [k, place] of this.#features.entries())
      this.#values[k].push(numberOf(cells[place], path, line, this.#header[place]));
  }

  end(): FeatureTable {
    if (this.#sites.length === 0)
      throw problem(
        `${basename(this.#path)} has no sites.`,
        'Give a file with a row for each site.',
      );
    return {
      sites: this.#sites,
      ids: this.#ids,
      belongings: this.#belongings,
      names: this.#features.map((place) => this.#header[place]),
      columns: this.#values.map((values) => Float64Array.from(values)),
    };
  }
}

function numberOf(cell: string | number, path: string, line: number, name: string): number {
  const text = typeof cell === 'string' ? cell.trim() : cell;
  if (text === '' || text === '?' || Number.isNaN(text)) return Number.NaN;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw problem(
    `${path}, line ${line}: "${String(text).slice(0, 40)}" of ${name} is not a number.`,
    'Write a number, or ? for a missing value.',
  );
}

/** Cells of a line; one in double or single quotes may hold the separator. */
function cellsOf(text: string, separator: string): string[] {
  if (!/["']/.test(text)) return text.split(separator);
  const cells: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      let end = at + 1;
      let cell = '';
      while (end < text.length && (text[end] !== quote || text[end + 1] === quote)) {
        if (text[end] === quote) end++;
        cell += text[end++];
      }
      cells.push(cell);
      at = end + 2;
    } else {
      const end = text.indexOf(separator, at);
      cells.push(end < 0 ? text.slice(at) : text.slice(at, end));
      at = end < 0 ? text.length + 1 : end + 1;
    }
  }
  return cells;
}

const problem = (fact: string, remedy: string): DrumlinError =>
  new DrumlinError('FEATURES', fact, remedy);
