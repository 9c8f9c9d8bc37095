/**
 * What sites are known to be. A label file has a site and `spam` or `ham` on each line, with a tab
 * or spaces between; `nonspam` and `normal` are ham. This is also the form of the Web Spam
 * Challenge, whose files name sites by numbers and have more columns. Sites with other labels
 * (`undecided`, `borderline`) are left out.
 */
import { DrumlinError } from '../base/errors.ts';
import { Disk } from '../disk/disk.ts';
import { readLines } from '../disk/text-input.ts';
import type { FeatureTable } from './feature-table.ts';

export interface Labelled {
  /** Places of the labelled sites in the table. */
  readonly places: Uint32Array;
  /** 1 for spam, 0 for ham, for each of these. */
  readonly spam: Uint8Array;
  /** Labels of sites that the table does not have. */
  readonly unknown: readonly string[];
  /** Labels that are neither spam nor ham. */
  readonly undecided: number;
}

const WORDS: ReadonlyMap<string | undefined, number> = new Map([
  ['spam', 1],
  ['ham', 0],
  ['nonspam', 0],
  ['normal', 0],
]);

export async function readLabels(path: string, table: FeatureTable): Promise<Labelled> {
  const places = new Map<string, number>();
  for (const [place, id] of table.ids.entries()) places.set(id, place);
  for (const [place, site] of table.sites.entries()) places.set(site, place);
  const found = new Map<number, number>();
  const unknown: string[] = [];
  let undecided = 0;
  for await (const { bytes, line } of readLines(new Disk(), path)) {
    const texts = Buffer.from(bytes).toString('utf8').split(/\r?\n/);
    for (const [i, text] of texts.entries()) {
      if (text.trim() === '' || text.startsWith('#')) continue;
      const [site, word] = text.trim().split(/\s+/);
      const label = WORDS.get(word?.toLowerCase());
      if (label === undefined && !/^(undecided|borderline)$/i.test(word ?? ''))
        throw new DrumlinError(
          'LABELS',
          `${path}, line ${line + i}: "${text.slice(0, 60)}" is no label.`,
          'Write a site, a tab, and spam or ham.',
        );
      const place = places.get(site);
      if (label === undefined) undecided++;
      else if (place === undefined) unknown.push(site);
      else if ((found.get(place) ?? label) !== label)
        throw new DrumlinError(
          'LABELS',
          `${path}, line ${line + i}: ${site} is labelled both spam and ham.`,
          'Keep one of the labels.',
        );
      else found.set(place, label);
    }
  }
  return labelledBy(path, { found, unknown, undecided });
}

/**
 * Labels by what an operator decided for domains: what is blocked is spam, what is trusted is ham.
 * Other decisions label nothing, and neither do domains that the table does not have.
 */
export function labelsOfDecisions(
  decisions: ReadonlyMap<string, unknown>,
  table: FeatureTable,
  path: string,
): Labelled {
  const found = new Map<number, number>();
  const unknown: string[] = [];
  for (const [domain, decision] of decisions) {
    if (decision !== 'blocked' && decision !== 'trusted') continue;
    const places = [...table.sites.keys()].filter(
      (place) =>
        table.sites[place] === domain || table.belongings[place].includes(`domain ${domain}`),
    );
    if (places.length === 0) unknown.push(domain);
    for (const place of places) found.set(place, decision === 'blocked' ? 1 : 0);
  }
  return labelledBy(path, { found, unknown, undecided: 0 });
}

function labelledBy(
  path: string,
  read: { found: Map<number, number>; unknown: string[]; undecided: number },
): Labelled {
  const { unknown, undecided } = read;
  const found = [...read.found].sort(([a], [b]) => a - b);
  if (found.length === 0 && unknown.length > 0)
    throw new DrumlinError(
      'LABELS',
      `${path} labels ${unknown.length} sites, and none is in the feature file (${unknown[0]}).`,
      'Give labels of the sites in that file, spelt the same.',
    );
  const spam = Uint8Array.from(found, ([, label]) => label);
  return { places: Uint32Array.from(found, ([place]) => place), spam, unknown, undecided };
}

/** Labels to learn from, or to test with. `path` is named in errors. */
export function requireBoth(labelled: Labelled, path: string): Labelled {
  const { spam } = labelled;
  const bad = spam.reduce((sum, label) => sum + label, 0);
  if (bad === 0 || bad === spam.length)
    throw new DrumlinError(
      'LABELS',
      `${path} has only ${bad === 0 ? 'ham' : 'spam'} among the sites of the feature file.`,
      'Give labels of both kinds.',
    );
  return labelled;
}
