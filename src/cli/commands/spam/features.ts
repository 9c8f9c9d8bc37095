/** What `drumlin spam features` does. */
import { randomUUID } from 'node:crypto';
import { DrumlinError } from '../../../base/errors.ts';
import { nearest } from '../../../base/nearest.ts';
import { counted, parseBytes } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { readLines } from '../../../disk/text-input.ts';
import { type Collection, writeCollection } from '../../../spam/collection.ts';
import { readQueries } from '../../../spam/crawls/frequent-words.ts';
import { makeFeatures, SET_NAMES, type SetName } from '../../../spam/crawls/make-features.ts';
import { MOST_PAGES } from '../../../spam/features/content/site-sums.ts';
import type { SiteLevel } from '../../../spam/features/sites.ts';
import { writeFeatures } from '../../../spam/write-features.ts';
import { type Screen, watched } from '../graph.ts';
import { openModel } from './work.ts';

export interface FeaturesFlags {
  readonly level: SiteLevel;
  readonly sets: string;
  readonly out: string;
  readonly pages: number;
  readonly queries?: string;
  readonly groups?: string;
  readonly model?: string;
  readonly trusted?: string;
  readonly memory: string;
}

export async function features(
  crawls: readonly string[],
  flags: FeaturesFlags,
  screen: Screen,
): Promise<void> {
  const disk = new Disk();
  const sets = setsOf(flags.sets);
  if (flags.pages > MOST_PAGES)
    throw new DrumlinError(
      'FEATURES',
      `Sums are exact for at most ${MOST_PAGES} pages of a site, not ${flags.pages}.`,
      `Give --pages ${MOST_PAGES} or less.`,
    );
  const collection = flags.model === undefined ? undefined : await collectionOf(flags);
  const queries = flags.queries === undefined ? undefined : await readQueries(disk, flags.queries);
  const groups = flags.groups === undefined ? undefined : await groupsIn(disk, flags.groups);
  const trusted = flags.trusted === undefined ? undefined : await namesIn(disk, flags.trusted);
  const scratch = `${flags.out}.work-${randomUUID()}`;
  await watched(screen, async (meter, signal) => {
    const made = await makeFeatures(disk, {
      ...{ crawls, sets, collection, queries, groups, trusted, signal },
      ...{ level: flags.level, pages: flags.pages, scratch, memory: parseBytes(flags.memory) },
      onProgress: meter.show,
      onNote: meter.note,
    });
    meter.show('writing', 0);
    await writeFeatures(disk, flags.out, made.table);
    await writeCollection(disk, flags.out, made.collection);
    const { sites, names } = made.table;
    meter.note(
      `${flags.out}: ${counted(sites.length, 'site')}, ${counted(names.length, 'feature')}.`,
    );
  });
}

function setsOf(text: string): SetName[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  for (const name of names)
    if (!(SET_NAMES as readonly string[]).includes(name))
      throw new DrumlinError(
        'FEATURES',
        `There is no set "${name}" (the nearest is "${nearest(name, SET_NAMES)}").`,
        `Choose from ${SET_NAMES.join(', ')}.`,
      );
  return names as SetName[];
}

/** The lists of a model, for features that it can score. */
async function collectionOf({ model: path = '', level }: FeaturesFlags): Promise<Collection> {
  const { level: trained, words, terms } = await openModel(path);
  if (trained !== undefined && trained !== level)
    throw new DrumlinError(
      'SPAM_MODEL',
      `${path} was trained on sites of the level ${trained}.`,
      `Give --level ${trained}.`,
    );
  return { words, terms };
}

/** The names in a file, one on each line. */
async function namesIn(disk: Disk, path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { bytes } of readLines(disk, path))
    for (const text of Buffer.from(bytes).toString().split(/\r?\n/))
      if (text.trim() !== '' && !text.startsWith('#')) names.push(text.trim());
  return names;
}

async function groupsIn(disk: Disk, path: string): Promise<Map<string, string>> {
  const groups = new Map<string, string>();
  for await (const { bytes, line } of readLines(disk, path)) {
    for (const [i, text] of Buffer.from(bytes).toString().split(/\r?\n/).entries()) {
      if (text.trim() === '' || text.startsWith('#')) continue;
      const [site, group] = text.split('\t').map((cell) => cell.trim());
      if (group === undefined || group === '')
        throw new DrumlinError(
          'FEATURES',
          `${path}, line ${line + i}: "${text.slice(0, 60)}" names no group.`,
          'Write a site, a tab, and its group.',
        );
      groups.set(site, group);
    }
  }
  return groups;
}
