/**
 * A model for crawls, trained on webs of the lab.
 *
 * Idea      Domains are read as a crawl reads them: by their first pages, found along links. Each
 *           domain gives a row for its name alone, and one for each stage at which a crawl gives a
 *           verdict. So the model knows what one page is worth, and what none is. Probabilities are
 *           calibrated for each stage, on a web that the model was not trained on.
 * Ensures   the same seeds give the same model. All rows of a domain, and all domains of a group,
 *           are on one side of a split.
 */
import { xxh64 } from '../../src/base/xxh64.ts';
import { fingerprintAndWords } from '../../src/duplicates/fingerprint.ts';
import type { PageWords } from '../../src/duplicates/page-words.ts';
import { BEHAVIOURS } from '../../src/lab/behaviour.ts';
import { glimpseOf } from '../../src/lab/judge/glimpse.ts';
import { truthOf } from '../../src/lab/judge/truth.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import type { Web } from '../../src/lab/web.ts';
import { searchedWords } from '../../src/lab/words/queries.ts';
import type { FeatureTable } from '../../src/spam/feature-table.ts';
import { contentColumns } from '../../src/spam/features/content/content-set.ts';
import { PageMeter } from '../../src/spam/features/content/page-meter.ts';
import { SiteSums } from '../../src/spam/features/content/site-sums.ts';
import type { WordLists } from '../../src/spam/features/content/word-lists.ts';
import { NAME_COLUMNS, nameValues } from '../../src/spam/features/names/name-set.ts';
import { isHome } from '../../src/spam/features/sites.ts';
import { calibrate } from '../../src/spam/learn/calibrate.ts';
import { type SpamModel, scoreSites } from '../../src/spam/model.ts';
import { trainModel } from '../../src/spam/train.ts';
import { hostOf, pathOf } from '../../src/url/parts.ts';

/** Stages of a virtual crawl, which reads 30 pages of a domain, and so many pages are read here. */
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

/** A page of a domain that a crawl reads. */
interface ReadPage {
  readonly url: string;
  readonly words: PageWords;
}

/**
 * Pages of a domain in an order in which a crawl may read them: from its home page, or from a page
 * that others link to, along its own links.
 */
function* pagesOf(web: Web, index: number, most: number): Generator<ReadPage> {
  const domain = web.domains.at(index);
  const random = randomOf(`${web.world.seed} ${index}`);
  const found = new Set([`${domain.origin(0)}/`]);
  const waiting = [...found];
  const isDeep = random() < DEEP;
  for (let read = 0, asked = 0; read < most && waiting.length > 0 && asked < 3 * most; asked++) {
    const [url] = waiting.splice(asked === 0 ? 0 : Math.floor(random() * waiting.length), 1);
    const glimpse = glimpseOf(web, url);
    if (glimpse?.domain.index !== index) continue;
    const { links, redirect } = glimpse;
    for (const link of redirect === undefined ? links : [redirect])
      if (!found.has(link) && web.placeOf(hostOf(link))?.domain.index === index) {
        found.add(link);
        waiting.push(link);
      }
    if (asked === 0 && isDeep && waiting.length > 0) {
      waiting.push(url);
      continue;
    }
    const isWhole = !glimpse.behaviour || !BEHAVIOURS[glimpse.behaviour].spoils;
    const body = glimpse.status === 200 && isWhole ? bodyOf(web, url) : undefined;
    if (!body) continue;
    read++;
    yield { url, words: fingerprintAndWords(body).words };
  }
}

/** Of so many domains another page than the home page is read first. */
const DEEP = 0.4;

/** Numbers from 0 to 1 that follow from a text. */
function randomOf(text: string): () => number {
  let turn = 0;
  return () => Number(xxh64(`${text} ${turn++}`) >> 12n) / 2 ** 52;
}

/** The page as a server would send it; undefined if it is not HTML. */
function bodyOf(web: Web, url: string): Uint8Array | undefined {
  const answer = web.answer(hostOf(url), pathOf(url), url.startsWith('https:'));
  return answer && /^Content-Type: text\/html/im.test(answer.headers)
    ? Buffer.from(answer.body, 'latin1')
    : undefined;
}

/** The most frequent words of the first pages of all domains, and those that people search for. */
export function frequentWords(web: Web): WordLists {
  const counts = new Map<string, number>();
  const decoder = new TextDecoder();
  for (let index = 0; index < web.world.domains; index++)
    for (const { words } of pagesOf(web, index, 3))
      for (const word of decoder.decode(words.text).toLowerCase().split(' '))
        if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
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

/** The rows of the domains of a web: by name, and at each stage that a domain has pages for. */
export function rowsOf(web: Web, lists: WordLists, most: number): Row[] {
  const { seed } = web.world;
  const rows: Row[] = [];
  const meter = new PageMeter(lists);
  for (let index = 0; index < web.world.domains; index++) {
    const { name: domain } = web.domains.at(index);
    const { spam = false, group = '' } = truthOf(web, domain) ?? {};
    const sums = SiteSums.empty();
    const add = () => {
      const content = CONTENT.map(({ of }) => of({ name: domain, sums }));
      const values = [...content, ...nameValues(domain)];
      rows.push({ domain, seed, stage: sums.pages, spam, group, values });
    };
    for (const { url, words } of pagesOf(web, index, most)) {
      if (sums.pages === 0) add();
      sums.add(meter.measure(words), isHome(url, 'domain'));
      if (STAGES.includes(sums.pages)) add();
    }
  }
  return rows;
}

/** The probabilities of spam of rows that are all of one stage. */
export function scoresAt(model: SpamModel, rows: readonly Row[], stage: number): Float64Array {
  const { calibrations = [], calibration } = model;
  const own = calibrations.findLast(({ pages }) => pages <= stage) ?? calibration;
  const columns = FEATURES.map((_, i) => Float64Array.from(rows, ({ values }) => values[i]));
  return scoreSites({ ...model, calibration: own }, { names: FEATURES, columns });
}

/** Trains on `rows`, and calibrates the probabilities of each stage on `others`. */
export async function trainOn(
  rows: readonly Row[],
  others: readonly Row[],
  words: WordLists,
): Promise<SpamModel> {
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
  const model = await trainModel(table, labelled, options);
  const plain = { ...model, calibration: { slope: 1, constant: 0 } };
  const calibrations = [0, ...STAGES].map((pages) => {
    const own = others.filter(({ stage }) => stage === pages);
    const scores = scoresAt(plain, own, pages).map((p) => Math.log(p / (1 - p)));
    return {
      pages,
      ...calibrate(
        scores,
        Uint8Array.from(own, ({ spam }) => (spam ? 1 : 0)),
      ),
    };
  });
  return { ...model, calibrations, words, stages: true, about: ABOUT };
}
