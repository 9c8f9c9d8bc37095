/**
 * A model for crawls, trained on crawls of the lab.
 *
 * Idea      A virtual crawl by TSE shows domains as a crawl sees them: by their first pages, in the
 *           order of a crawl. Each domain gives a row for its name alone, and one for each stage at
 *           which a crawl gives a verdict. So the model knows what one page is worth, and what none
 *           is.
 * Ensures   the same seeds give the same model. All rows of a domain, and all domains of a group,
 *           are on one side of a split.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../src/config/settings.ts';
import { fingerprintAndWords } from '../../src/duplicates/fingerprint.ts';
import type { PageWords } from '../../src/duplicates/page-words.ts';
import type { Domain as CrawledDomain } from '../../src/frontier/host.ts';
import { truthOf } from '../../src/lab/judge/truth.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import type { Web } from '../../src/lab/web.ts';
import { searchedWords } from '../../src/lab/words/queries.ts';
import { VirtualCrawl } from '../../src/simulator/crawl.ts';
import { type PageWatch, POLICIES } from '../../src/simulator/policies.ts';
import type { FeatureTable } from '../../src/spam/feature-table.ts';
import { contentColumns } from '../../src/spam/features/content/content-set.ts';
import { PageMeter } from '../../src/spam/features/content/page-meter.ts';
import { SiteSums } from '../../src/spam/features/content/site-sums.ts';
import type { WordLists } from '../../src/spam/features/content/word-lists.ts';
import { NAME_COLUMNS, nameValues } from '../../src/spam/features/names/name-set.ts';
import { isHome } from '../../src/spam/features/sites.ts';
import type { SpamModel } from '../../src/spam/model.ts';
import { trainModel } from '../../src/spam/train.ts';

/** Stages of a virtual crawl, which reads 30 pages of a domain. */
export const STAGES: readonly number[] = [1, 3, 10, 30];
const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
const MOST_WORDS = 1000;
/** Small and fast: a forest has megabytes, and goes every way where a value is missing. */
export const LEARNERS = ['boost-64', 'boost-32', 'boost-16', 'logistic-1', 'logistic-100'];

const ABOUT =
  'It was trained on the synthetic web of "drumlin web", and knows nothing of the real web. Use it as an example only.';

export interface LabWeb {
  readonly scenario: string;
  readonly seed: number;
  readonly domains: number;
}

export const labWeb = (options: LabWeb): Web => webOf(options, PORTS);

/** Crawls by TSE in virtual time, and shows the pages that verdicts are made of. */
export async function watchCrawl(
  web: Web,
  pages: number,
  watch: Omit<PageWatch, 'shuts'>,
): Promise<void> {
  const spam = { ...watch, shuts: () => false };
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-spam-'));
  const policy: (typeof POLICIES)[string] = async (parts) => ({
    ...(await POLICIES.tse(parts)),
    spam,
  });
  const crawl = await VirtualCrawl.open({ web, policy, config: resolveConfig({}), folder });
  try {
    await crawl.run(pages);
  } finally {
    await crawl.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The most frequent words of the first pages of a crawl, and those that people search for. */
export async function frequentWords(web: Web, pages: number): Promise<WordLists> {
  const counts = new Map<string, number>();
  const decoder = new TextDecoder();
  await watchCrawl(web, pages, {
    wants: ({ pages: fetched }) => fetched <= 3,
    measure: ({ text }: PageWords) => {
      for (const word of decoder.decode(text).toLowerCase().split(' '))
        if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
      return new Float64Array(0);
    },
    committed: () => {},
  });
  const order = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const list = (words: readonly string[]) => words.filter(isOneWord).slice(0, MOST_WORDS);
  return {
    collection: list(order.map(([word]) => word)),
    queries: list(searchedWords().map(({ word }) => word)),
  };
}

const isOneWord = (word: string): boolean =>
  fingerprintAndWords(Buffer.from(word)).words.hashes.length === 1;

export interface Row {
  readonly domain: string;
  readonly seed: number;
  readonly stage: number;
  readonly spam: boolean;
  readonly group: string;
  readonly values: readonly number[];
}

const CONTENT = contentColumns('a', true);
export const FEATURES: readonly string[] = [
  ...CONTENT.map(({ name }) => `content:${name}`),
  ...NAME_COLUMNS.map((name) => `names:${name}`),
];

/** The rows of the domains of a crawl: by name, and at each stage that a domain has come to. */
export async function rowsOf(web: Web, seed: number, pages: number, lists: WordLists) {
  const rows: Row[] = [];
  const sumsOf = new Map<string, SiteSums>();
  const meter = new PageMeter(lists);
  const add = (domain: string, stage: number, sums: SiteSums) => {
    const { spam = false, group = '' } = truthOf(web, domain) ?? {};
    const content = CONTENT.map(({ of }) => of({ name: domain, sums }));
    rows.push({ domain, seed, stage, spam, group, values: [...content, ...nameValues(domain)] });
  };
  await watchCrawl(web, pages, {
    wants: () => true,
    measure: (words) => meter.measure(words),
    committed: ({ name }: CrawledDomain, url, values) => {
      if (!values) return;
      let sums = sumsOf.get(name);
      if (!sums) {
        sums = SiteSums.empty();
        sumsOf.set(name, sums);
        add(name, 0, sums);
      }
      sums.add(values, isHome(url, 'domain'));
      if (STAGES.includes(sums.pages)) add(name, sums.pages, sums);
    },
  });
  return rows;
}

export async function trainOn(rows: readonly Row[], words: WordLists): Promise<SpamModel> {
  const table: FeatureTable = {
    sites: rows.map(({ domain, seed, stage }) => `${seed}/${domain}/${stage}`),
    ids: [],
    belongings: rows.map(({ domain, seed, group }) => [
      `domain ${seed}/${domain}`,
      ...(group === '' ? [] : [`group ${seed}/${group}`]),
    ]),
    names: FEATURES,
    columns: FEATURES.map((_, i) => Float64Array.from(rows, ({ values }) => values[i])),
  };
  const labelled = {
    places: Uint32Array.from(rows.keys()),
    spam: Uint8Array.from(rows, ({ spam }) => (spam ? 1 : 0)),
    ...{ unknown: [], undecided: 0 },
  };
  const options = { seed: 1, fast: true, skipConstant: true, learners: LEARNERS };
  return { ...(await trainModel(table, labelled, options)), words, stages: true, about: ABOUT };
}
