/**
 * The features of sampled sites, by the code of `drumlin spam features`.
 *
 * The statistics that features refer to (frequent words, terms) come from the training webs alone,
 * as a model keeps them.
 */
import { tmpdir } from 'node:os';
import type { Bytes } from '../../src/base/units.ts';
import { Disk } from '../../src/disk/disk.ts';
import { inTemporaryFolder } from '../../src/disk/temporary-folder.ts';
import { fingerprintAndWords } from '../../src/duplicates/fingerprint.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { memoryGraph } from '../../src/graph/memory-graph.ts';
import type { Truth } from '../../src/lab/judge/truth.ts';
import type { Web } from '../../src/lab/web.ts';
import { searchedWords } from '../../src/lab/words/queries.ts';
import { rank } from '../../src/rank/index.ts';
import { termChangeSet } from '../../src/spam/crawls/term-snapshots.ts';
import { contentSet } from '../../src/spam/features/content/content-set.ts';
import { PageMeter } from '../../src/spam/features/content/page-meter.ts';
import { SiteSums } from '../../src/spam/features/content/site-sums.ts';
import type { WordLists } from '../../src/spam/features/content/word-lists.ts';
import type { FeatureSet } from '../../src/spam/features/feature-set.ts';
import { linkFeatures } from '../../src/spam/features/links/link-features.ts';
import { nameSet } from '../../src/spam/features/names/name-set.ts';
import { NearPages } from '../../src/spam/features/neighbours/near-pages.ts';
import { neighbourSet } from '../../src/spam/features/neighbours/neighbour-set.ts';
import type { Site } from '../../src/spam/features/sites.ts';
import { linkChange } from '../../src/spam/features/temporal/link-change.ts';
import { TERM_CHANGES } from '../../src/spam/features/temporal/term-change.ts';
import { bm25Set, chooseTerms } from '../../src/spam/features/terms/bm25.ts';
import { type StemNumbers, TermDocument } from '../../src/spam/features/terms/term-documents.ts';
import { domainArcs, openWeb, pagesOf, type SampledSite, sampleSites } from './sample.ts';

const MEMORY = 5e8 as Bytes;
const FREQUENT = 1000;
/** Pages of a site that are read to learn which words are frequent. */
const PAGES_FOR_WORDS = 2;
/** Steps between the two snapshots of temporal features, and the later ones of terms. */
const LATER = 3;
const SNAPSHOTS = [LATER, 2 * LATER];
const PERMUTATIONS = 30;
/** A verdict may come after this many pages. */
const EARLY = 3;

export interface Options {
  readonly domains: number;
  readonly sites: number;
  readonly pages: number;
  /** Make the features of links. */
  readonly links: boolean;
  /** Also those of how links change: of the web some steps later. */
  readonly temporal: boolean;
  /** Also read the pages of later steps, for how terms change. */
  readonly terms: boolean;
}

/** One web: its sites, and what was measured of them. */
export interface Measured {
  readonly sites: readonly Site[];
  readonly truths: readonly Truth[];
  readonly sums: readonly SiteSums[];
  /** The sums after the first few pages. */
  readonly early: readonly SiteSums[];
  readonly tops: readonly (Float64Array | undefined)[];
  readonly documents: readonly TermDocument[];
  /** The same at later steps. */
  readonly later: readonly (readonly TermDocument[])[];
  /** Sets that refer to no other web. */
  readonly sets: readonly FeatureSet[];
}

const seedWeb = (seed: number, domains: number, step = 0): Web =>
  openWeb({ scenario: 'mixed', seed, domains, step });

/** The words that precision and recall look at. */
export function learnWords(seeds: readonly number[], { domains, sites }: Options): WordLists {
  const counts = new Map<string, number>();
  const decoder = new TextDecoder();
  for (const seed of seeds) {
    for (const site of sampleSites(seedWeb(seed, domains), Math.ceil(sites / 2))) {
      for (const { body } of site.pages(PAGES_FOR_WORDS)) {
        const { text } = fingerprintAndWords(body).words;
        for (const word of wordsOf(decoder.decode(text)))
          counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
  }
  const collection = [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([word]) => word)
    .filter(isOneWord)
    .slice(0, FREQUENT);
  const queries = searchedWords()
    .map(({ word }) => word)
    .slice(0, FREQUENT);
  return { collection, queries };
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(' ').filter(Boolean);
const isOneWord = (word: string): boolean =>
  fingerprintAndWords(Buffer.from(word)).words.hashes.length === 1;

export async function measureWeb(
  seed: number,
  lists: WordLists,
  stems: StemNumbers,
  options: Options,
): Promise<Measured> {
  const web = seedWeb(seed, options.domains);
  const sampled = sampleSites(web, options.sites);
  const sites = sampled.map(
    ({ truth }): Site => ({
      name: truth.domain,
      domain: truth.domain,
      addresses: [truth.address],
      group: truth.group === '' ? undefined : `${seed} ${truth.group}`,
    }),
  );
  return inTemporaryFolder(new Disk(), tmpdir(), 'drumlin-bench-', async (folder: string) => {
    const near = await NearPages.create(new Disk(), folder);
    const read = await readPages(sampled, lists, stems, near, options.pages);
    const shared = await near.finish(sites.length, MEMORY);
    const names = sites.map(({ name }) => name);
    const graph = options.links ? graphOf(web, options.pages) : undefined;
    const room = { memory: MEMORY, threads: 1 };
    return {
      ...{ sites, truths: sampled.map(({ truth }) => truth), ...read },
      later: options.terms
        ? SNAPSHOTS.map((step) => documentsAt(seed, sampled, stems, options, step))
        : [],
      sets: [
        ...(graph
          ? [await linkFeatures(graph, { sites: names, trusted: trustedOf(web), ...room })]
          : []),
        nameSet(names),
        neighbourSet(sites, shared),
        ...(graph && options.temporal ? [await changeOf(seed, graph, names, options)] : []),
      ],
    };
  });
}

/** The words of the same sites some steps later; a site that is gone has none. */
function documentsAt(
  seed: number,
  sampled: readonly SampledSite[],
  stems: StemNumbers,
  { domains, pages }: Options,
  step: number,
): TermDocument[] {
  const web = seedWeb(seed, domains, step);
  const decoder = new TextDecoder();
  return sampled.map(({ domain: { index } }) => {
    const document = new TermDocument();
    for (const { body } of pagesOf(web, web.domains.at(index), pages))
      stems.add(document, wordsOf(decoder.decode(fingerprintAndWords(body).words.text)));
    return document;
  });
}

function changeOf(
  seed: number,
  graph: Graph,
  sites: readonly string[],
  { domains, pages }: Options,
): Promise<FeatureSet> {
  const later = graphOf(seedWeb(seed, domains, LATER), pages);
  return linkChange([graph, later], { sites, permutations: PERMUTATIONS, seed: 1 });
}

/** The best ranked honest domains, as an operator would name them. */
function trustedOf(web: Web): string[] {
  return Array.from({ length: 20 }, (_, index) => web.domains.at(index))
    .filter(({ kind }) => !kind.spam)
    .map(({ name }) => name);
}

async function readPages(
  sampled: readonly SampledSite[],
  lists: WordLists,
  stems: StemNumbers,
  near: NearPages,
  most: number,
): Promise<Pick<Measured, 'sums' | 'early' | 'tops' | 'documents'>> {
  const meter = new PageMeter(lists);
  const decoder = new TextDecoder();
  const [sums, early, documents]: [SiteSums[], SiteSums[], TermDocument[]] = [[], [], []];
  const tops: (Float64Array | undefined)[] = [];
  for (const [number, site] of sampled.entries()) {
    const [sum, first, document] = [SiteSums.empty(), SiteSums.empty(), new TermDocument()];
    const pages: { url: string; links: readonly string[]; values: Float64Array }[] = [];
    for (const { url, links, body } of site.pages(most)) {
      const { fingerprint, words } = fingerprintAndWords(body);
      const values = meter.measure(words);
      stems.add(document, wordsOf(decoder.decode(words.text)));
      sum.add(values, pages.length === 0);
      if (pages.length < EARLY) first.add(values, pages.length === 0);
      await near.add(number, fingerprint);
      pages.push({ url, links, values });
    }
    sums.push(sum);
    early.push(first);
    documents.push(document);
    tops.push(await topPage(pages));
  }
  return { sums, early, tops, documents };
}

/** The values of the page with the greatest PageRank among those of the site. */
async function topPage(
  pages: readonly { url: string; links: readonly string[]; values: Float64Array }[],
): Promise<Float64Array | undefined> {
  if (pages.length < 2) return pages[0]?.values;
  const place = new Map(pages.map(({ url }, i) => [url, i]));
  const arcs = pages.flatMap(({ links }, i) =>
    links.flatMap((link): [number, number][] => {
      const to = place.get(link);
      return to === undefined || to === i ? [] : [[i, to]];
    }),
  );
  if (arcs.length === 0) return pages[0].values;
  const { scores } = await rank(memoryGraph(pages.length, arcs), {
    by: 'pagerank',
    memory: MEMORY,
    threads: 1,
  });
  return pages[scores.indexOf(Math.max(...scores))].values;
}

/** The graph of all living domains, by name. */
function graphOf(web: Web, pages: number): Graph {
  const names = Array.from({ length: web.world.domains }, (_, i) => web.domains.at(i).name);
  const order = [...names.keys()].sort((a, b) => (names[a] < names[b] ? -1 : 1));
  const place = new Uint32Array(names.length);
  for (const [at, index] of order.entries()) place[index] = at;
  const arcs = domainArcs(web, pages).map(([from, to]): [number, number] => [
    place[from],
    place[to],
  ]);
  return memoryGraph(
    names.length,
    arcs,
    order.map((index) => names[index]),
  );
}

/** Term weights of some webs and their changes, by the statistics of the first `training` ones. */
export function termSets(
  webs: readonly Measured[],
  training: number,
  stems: StemNumbers,
): FeatureSet[][] {
  const all = stems.stems;
  const learned = webs.slice(0, training).flatMap(({ documents }) => documents);
  const statistics = chooseTerms(learned, all);
  return webs.map(({ documents, later }) => [
    bm25Set(documents, all, statistics),
    ...(later.length > 0 ? TERM_CHANGES : []).map((kind) =>
      termChangeSet(kind, [documents, ...later], all, statistics),
    ),
  ]);
}

/** The set `content` of a web, of all its pages or of its first. */
export function contentOf(
  { sites, sums, early, tops }: Measured,
  part: 'a' | 'aa' | 'b',
  when: 'early' | 'all' = 'all',
): FeatureSet {
  const of = when === 'early' ? early : sums;
  const contents = sites.map(({ name }, i) => ({ name, sums: of[i], top: tops[i] }));
  return contentSet(contents, part, true);
}
