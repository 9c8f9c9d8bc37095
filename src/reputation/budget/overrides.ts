/**
 * The operator's decisions for single domains: a file in the crawl's folder. `drumlin domains set`
 * and people write it; a crawl reads it at its start and while it runs.
 *
 *   # one per line, with spaces or tabs between
 *   example.com    budget 5000
 *   farm.example   block
 *   example.org    trust
 *
 * Ensures   at every instant the file is the whole old or the whole new one; a change touches no
 *           other line. A line that cannot be read, or that repeats another, is refused with its
 *           number.
 * Non-goal  two commands at once: the last to write wins.
 */
import { join } from 'node:path';
import { DrumlinError, systemCode } from '../../base/errors.ts';
import { parseCount } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { ANOTHER_PROGRAM, replaceFileBy, writerOf } from '../../disk/notes/written-by.ts';
import { canonicalise } from '../../url/canonical.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
import type { Override } from './domain-record.ts';

export const OVERRIDES_FILE = 'domains.tsv';
/** The most overrides: they are kept in memory, and are part of every checkpoint. */
const MOST_OVERRIDES = 10_000;

export type Overrides = ReadonlyMap<string, Override>;

/** The overrides of a crawl; empty when there is no file. */
export async function readOverrides(disk: Disk, dir: string): Promise<Overrides> {
  return (await overridesBy(disk, dir)).overrides;
}

/** The overrides of a crawl, and who wrote them. */
export async function overridesBy(
  disk: Disk,
  dir: string,
): Promise<{ readonly overrides: Overrides; readonly by: string }> {
  const text = await textOf(disk, dir);
  const overrides = parseOverrides(text, join(dir, OVERRIDES_FILE));
  return { overrides, by: await writerOf(disk, dir, OVERRIDES_FILE, text) };
}

/** Writes an override; undefined removes it. Returns the domain's name as written in the file. */
export async function setOverride(
  disk: Disk,
  dir: string,
  domain: string,
  override: Override | undefined,
  by = ANOTHER_PROGRAM,
): Promise<string> {
  const before = await textOf(disk, dir);
  const { name, text } = withOverride(before, domain, override, join(dir, OVERRIDES_FILE));
  if (text !== before) await replaceFileBy(disk, dir, OVERRIDES_FILE, text, by);
  return name;
}

/** The text of the file with another override, and the domain's name as it is there. */
export function withOverride(
  text: string,
  domain: string,
  override: Override | undefined,
  file: string,
): { readonly name: string; readonly text: string } {
  const name = requireDomain(domain);
  if (typeof override === 'number' && !(Number.isSafeInteger(override) && override >= 0)) {
    throw new DrumlinError(
      'OVERRIDE',
      `${override} is no budget.`,
      'Give a whole number of URLs, 0 or more.',
    );
  }
  parseOverrides(text, file);
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const at = lines.findIndex((line) => nameIn(line) === name);
  const line = override === undefined ? [] : [printed(name, override)];
  if (at >= 0) lines.splice(at, 1, ...line);
  else lines.push(...line);
  if (at < 0 && override === undefined) return { name, text };
  return { name, text: lines.map((each) => `${each}\n`).join('') };
}

/** What must be set, or removed (undefined), to get from `before` to `after`. */
export function overrideChanges(
  before: Overrides,
  after: Overrides,
): Map<string, Override | undefined> {
  const changes = new Map<string, Override | undefined>();
  for (const name of before.keys()) if (!after.has(name)) changes.set(name, undefined);
  for (const [name, override] of after)
    if (before.get(name) !== override) changes.set(name, override);
  return changes;
}

/** `file` is named in error messages. */
export function parseOverrides(text: string, file: string): Overrides {
  const overrides = new Map<string, Override>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    try {
      addLine(overrides, line);
    } catch (error) {
      if (!(error instanceof DrumlinError)) throw error;
      throw new DrumlinError('OVERRIDE', `${file}:${i + 1}: ${error.fact}`, error.remedy);
    }
  }
  return overrides;
}

function addLine(overrides: Map<string, Override>, line: string): void {
  const words = wordsOf(line);
  if (words.length === 0) return;
  const name = requireDomain(words[0]);
  if (overrides.has(name)) {
    throw new DrumlinError(
      'OVERRIDE',
      `${name} is already in another line.`,
      'Remove one of them.',
    );
  }
  if (overrides.size === MOST_OVERRIDES) {
    throw new DrumlinError(
      'OVERRIDE',
      'these are too many domains.',
      `Write at most ${MOST_OVERRIDES}.`,
    );
  }
  overrides.set(name, parseOverride(words.slice(1)));
}

function parseOverride(words: readonly string[]): Override {
  const [kind, value, ...more] = words;
  if (kind === 'budget' && value !== undefined && more.length === 0) return parseCount(value);
  if (kind === 'block' && value === undefined) return 'blocked';
  if (kind === 'trust' && value === undefined) return 'trusted';
  throw new DrumlinError(
    'OVERRIDE',
    `"${words.join(' ')}" cannot be set for a domain.`,
    'Write "budget 5000", "block" or "trust" after its name.',
  );
}

function printed(name: string, override: Override): string {
  if (override === 'blocked') return `${name}\tblock`;
  return override === 'trusted' ? `${name}\ttrust` : `${name}\tbudget\t${override}`;
}

/** The name as in canonical URLs. Budgets are of whole domains, so a host inside one is refused. */
function requireDomain(text: string): string {
  const url = /[/?#@\\%]|:\d*$/.test(text.replace(/\[.*\]/, ''))
    ? undefined
    : canonicalise(`http://${text}/`);
  if (url === undefined) {
    throw new DrumlinError('OVERRIDE', `"${text}" is no domain.`, 'Write a name like example.com.');
  }
  const host = hostOf(url);
  const domain = payLevelDomain(host);
  if (domain === host) return domain;
  throw new DrumlinError(
    'OVERRIDE',
    `${host} is a host in the domain ${domain}, and budgets are of whole domains.`,
    `Write ${domain}.`,
  );
}

function nameIn(line: string): string | undefined {
  const [name] = wordsOf(line);
  return name === undefined ? undefined : requireDomain(name);
}

/** The words of a line; none for a comment. */
function wordsOf(line: string): string[] {
  const words = line.replace(/^\uFEFF/, '').split(/\s+/);
  const kept = words.filter(Boolean);
  return kept[0]?.startsWith('#') ? [] : kept;
}

async function textOf(disk: Disk, dir: string): Promise<string> {
  try {
    return await disk.readText(join(dir, OVERRIDES_FILE));
  } catch (error) {
    if (error instanceof DrumlinError && systemCode(error.cause) === 'ENOENT') return '';
    throw error;
  }
}
