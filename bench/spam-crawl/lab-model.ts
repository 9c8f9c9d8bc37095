/**
 * A model for crawls, trained on webs of the lab.
 *
 * Idea      Domains are read as a crawl reads them: by their first pages, found along links. Each
 *           domain gives a row for its name alone, and one for each stage at which a crawl gives a
 *           verdict. Each stage has stumps of its own: means of one page tell other things than
 *           means of thirty. Probabilities are calibrated on webs that the model was not trained
 *           on.
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
import { contentColumns } from '../../src/spam/features/content/content-set.ts';
import { PageMeter } from '../../src/spam/features/content/page-meter.ts';
import { SiteSums } from '../../src/spam/features/content/site-sums.ts';
import type { WordLists } from '../../src/spam/features/content/word-lists.ts';
import { NAME_COLUMNS, nameValues } from '../../src/spam/features/names/name-set.ts';
import { isHome } from '../../src/spam/features/sites.ts';
import { type Calibration, calibrate, logOdds } from '../../src/spam/learn/calibrate.ts';
import { examplesOf } from '../../src/spam/learn/examples.ts';
import { fitLogitBoost, type Stump, scoreStumps } from '../../src/spam/learn/logit-boost.ts';
import { auc, aucHalfWidth } from '../../src/spam/learn/measures.ts';
import type { LiveModel } from '../../src/spam/live/live-model.ts';
import {
  type ModelPart,
  type SpamModel,
  type StageModel,
  scoreSites,
} from '../../src/spam/model.ts';
import { hostOf, pathOf } from '../../src/url/parts.ts';

/** Stages with a model of their own; the last also judges after 400 pages. */
export const STAGES: readonly number[] = [1, 3, 10, 30, 100];
const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
const MOST_WORDS = 1000;
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
  /** Spam of which only links tell: its text is as honest as any. */
  readonly plain: boolean;
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
    const { spam = false, trick = '' } = truthOf(web, domain) ?? {};
    const sums = SiteSums.empty();
    const add = () => {
      const content = CONTENT.map(({ of }) => of({ name: domain, sums }));
      const values = [...content, ...nameValues(domain)];
      rows.push({ domain, seed, stage: sums.pages, spam, plain: trick === 'none', values });
    };
    for (const { url, words } of pagesOf(web, index, most)) {
      if (sums.pages === 0) add();
      sums.add(meter.measure(words), isHome(url, 'domain'));
      if (STAGES.includes(sums.pages)) add();
    }
  }
  return rows;
}

/** The verdicts of a crawl on a domain: after the first pages, and after as many as it measures. */
interface Verdicts {
  readonly spam: boolean;
  readonly early: number;
  readonly late: number;
  readonly pages: number;
}

/** Verdicts after `early` and `late` pages, or after all if a domain has fewer. */
export function* verdictsOf(
  web: Web,
  model: LiveModel,
  early: number,
  late: number,
): Generator<Verdicts> {
  const meter = new PageMeter(model.words);
  for (let index = 0; index < web.world.domains; index++) {
    const { name } = web.domains.at(index);
    const sums = SiteSums.empty();
    let first: number | undefined;
    for (const { url, words } of pagesOf(web, index, late)) {
      sums.add(meter.measure(words), isHome(url, 'domain'));
      if (sums.pages === early) first = model.verdict(name, sums);
    }
    if (sums.pages === 0) continue;
    const verdict = model.verdict(name, sums);
    const { spam = false } = truthOf(web, name) ?? {};
    yield { spam, early: first ?? verdict, late: verdict, pages: sums.pages };
  }
}

/** The probabilities of spam of rows that are all of one stage. */
export function scoresAt(model: SpamModel, rows: readonly Row[], stage: number): Float64Array {
  const own = model.stages?.findLast(({ pages }) => pages <= stage) ?? model;
  const columns = FEATURES.map((_, i) => Float64Array.from(rows, ({ values }) => values[i]));
  return scoreSites({ ...model, ...own }, { names: FEATURES, columns });
}

/** By name alone all features, with pages only those of content: names tell little beside them. */
const featuresAt = (pages: number): number[] =>
  [...FEATURES.keys()].filter((i) => pages === 0 || i < CONTENT.length);

const examplesAt = (rows: readonly Row[], features: readonly number[]) =>
  examplesOf(
    features.map((i) => FEATURES[i]),
    features.map((i) => Float64Array.from(rows, ({ values }) => values[i])),
    Uint8Array.from(rows, ({ spam }) => (spam ? 1 : 0)),
  );

/**
 * A model of each stage: stumps that are fitted to `rows`, and a calibration by `others`. Spam of
 * which only links tell is left out: text that is spam here and honest there blurs what text can
 * tell.
 *
 * A verdict that shuts a domain out is final, and there are several verdicts. So a stage is
 * calibrated to give `SURE` or more to `RASH` of the honest domains among `others`.
 */
export function trainOn(rows: readonly Row[], others: readonly Row[], words: WordLists): SpamModel {
  const stages = [0, ...STAGES].map((pages): StageModel => {
    const at = (all: readonly Row[]) => all.filter(({ stage, plain }) => stage === pages && !plain);
    const features = featuresAt(pages);
    const steps = stumpsAt(pages);
    const stumps = fitLogitBoost(examplesAt(at(rows), features), steps).map(tempered);
    const part: ModelPart = {
      ...{ learner: `boost-${steps}`, set: 'all', weight: 1 },
      features,
      fitted: { kind: 'stumps', stumps },
    };
    const judges = at(others);
    const scores = Float64Array.from(judges, ({ values }) =>
      scoreStumps(
        stumps,
        features.map((i) => values[i]),
      ),
    );
    const honest = scores.filter((_, i) => !judges[i].spam);
    const labels = Uint8Array.from(judges, ({ spam }) => (spam ? 1 : 0));
    return { pages, parts: [part], calibration: careful(calibrate(scores, labels), honest, pages) };
  });
  const spam = rows.reduce((sum, row) => sum + (row.spam ? 1 : 0), 0);
  const last = STAGES[STAGES.length - 1];
  const tested = others.filter(({ stage }) => stage === last);
  const labels = Uint8Array.from(tested, (row) => (row.spam ? 1 : 0));
  const model = { ...stages[0], features: FEATURES, stages: stages.slice(1), words, about: ABOUT };
  const scores = scoresAt({ ...model, trained: NOT_YET }, tested, last);
  const trained = {
    ...{ sites: rows.length, spam, groups: new Set(rows.map(({ seed }) => seed)).size },
    ...{ folds: 0, seed: 1, auc: auc(scores, labels), aucHalfWidth: aucHalfWidth(scores, labels) },
  };
  const { features, parts, calibration } = model;
  return { features, parts, calibration, stages: model.stages, words, about: ABOUT, trained };
}

const NOT_YET = { sites: 0, spam: 0, groups: 0, folds: 0, seed: 1, auc: 0, aucHalfWidth: 0 };
/** The means of many pages tell spam and honest domains apart with few stumps. */
const stumpsAt = (pages: number): number => (pages < 100 ? 300 : 100);

/**
 * A smaller stump: the order of domains stays, and sums of stumps stay where the score of a part is
 * nearly linear in them. Otherwise the scores of most spam would be 1, and a threshold among them a
 * matter of rounding.
 */
const tempered = (stump: Stump): Stump => ({
  ...stump,
  below: stump.below / TEMPER,
  above: stump.above / TEMPER,
  missing: stump.missing / TEMPER,
});
const TEMPER = 32;
/** The verdict from which on a domain is shut out. */
const SURE = 0.9;
/** Of the honest domains so many may be shut out at a stage. */
const RASH: Readonly<Record<number, number>> = {
  0: 0,
  1: 0.003,
  3: 0.001,
  10: 0.002,
  30: 0.003,
  100: 0.002,
};

/** The calibration, moved so that `RASH` of the honest scores become `SURE`, and no more. */
function careful(own: Calibration, honest: Float64Array, pages: number): Calibration {
  const order = honest.toSorted((a, b) => b - a);
  const highest = order[Math.floor(order.length * RASH[pages])];
  const excess = logOdds(own, highest) - Math.log(SURE / (1 - SURE)) + 1e-6;
  return { ...own, constant: own.constant - excess };
}
