/** BM25 over all versions valid at a time, by looking at every version. */
import { Variants, wordsIn } from '../../src/search/store/words.ts';
import { isStopWord } from '../../src/text/stop-words.ts';
import { payLevelDomain } from '../../src/url/domain.ts';
import type { TestCapture } from './collection.ts';

export type NaiveAtom =
  | { readonly word: string; readonly inTitle: boolean; readonly prefix: boolean }
  | { readonly phrase: readonly string[]; readonly inTitle: boolean }
  | { readonly site: string };

export interface NaiveQuery {
  readonly clauses: readonly (readonly NaiveAtom[])[];
  readonly excluded: readonly NaiveAtom[];
  readonly any: boolean;
}

interface NaiveVersion {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly spans: [start: number, end: number][];
  /** Frequencies by field and term; lengths by field. */
  readonly lists: Map<string, number>;
  anchorWords: number;
  readonly words: string[];
  readonly titleWords: string[];
  readonly host: string;
}

const variants = new Map<string, Variants>();
function variantsOf(word: string, language: string): readonly string[] {
  let known = variants.get(language);
  if (!known) {
    known = new Variants(language);
    variants.set(language, known);
  }
  return known.of(word);
}

function listsOf({ title, text, language, url }: TestCapture) {
  const lists = new Map<string, number>();
  const add = (term: string, by: number) => lists.set(term, (lists.get(term) ?? 0) + by);
  for (const [upper, lower, source] of [
    ['B', 'b', text],
    ['T', 't', title],
  ]) {
    for (const word of wordsIn(source)) {
      add(upper + word, 1);
      for (const variant of variantsOf(word, language)) add(lower + variant, 1);
    }
  }
  return { lists, words: wordsIn(text), titleWords: wordsIn(title), host: new URL(url).hostname };
}

/** Each anchor once, with the time when it was first seen. */
function anchorsOf(captures: readonly TestCapture[]) {
  const anchors = new Map<string, { url: string; text: string; language: string; time: number }>();
  for (const { url: page, time, language, links = [] } of captures) {
    for (const link of links) {
      const { url, text = '' } = typeof link === 'string' ? { url: link } : link;
      if (text === '' || url === page) continue;
      const site = payLevelDomain(new URL(page).hostname);
      const name = JSON.stringify([url, site, language, text]);
      const first = Math.min(time, anchors.get(name)?.time ?? time);
      anchors.set(name, { url, text, language, time: first });
    }
  }
  return [...anchors.values()];
}

/** Gives every version the anchors that were seen before it ended. */
function addAnchors(versions: readonly NaiveVersion[], captures: readonly TestCapture[]): void {
  for (const { url, text, language, time } of anchorsOf(captures)) {
    const having = versions.filter(
      (version) => version.url === url && version.spans.some(([, end]) => end > time),
    );
    for (const version of having) {
      const add = (term: string) => version.lists.set(term, (version.lists.get(term) ?? 0) + 1);
      for (const word of wordsIn(text)) {
        add(`A${word}`);
        for (const variant of variantsOf(word, language)) add(`a${variant}`);
        version.anchorWords++;
      }
    }
  }
}

export function versionsOf(captures: readonly TestCapture[]): NaiveVersion[] {
  const byUrl = new Map<string, TestCapture[]>();
  for (const capture of captures)
    byUrl.set(capture.url, [...(byUrl.get(capture.url) ?? []), capture]);
  const all: NaiveVersion[] = [];
  for (const [url, list] of byUrl) {
    list.sort((a, b) => a.time - b.time);
    const versions = new Map<string, NaiveVersion>();
    for (const [i, capture] of list.entries()) {
      const { title, text, time } = capture;
      const name = JSON.stringify([title, text]);
      const version = versions.get(name) ?? {
        ...{ url, title, text, spans: [], anchorWords: 0, ...listsOf(capture) },
      };
      versions.set(name, version);
      version.spans.push([time, list[i + 1]?.time ?? Number.POSITIVE_INFINITY]);
    }
    all.push(...versions.values());
  }
  addAnchors(all, captures);
  return all;
}

export interface NaiveResult {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly score: number;
}

/** Of fields. */
const WEIGHTS: Record<string, number> = { T: 3, A: 2 };

const isSites = (clause: readonly NaiveAtom[]) => clause.every((atom) => 'site' in atom);

export function naiveSearch(
  captures: readonly TestCapture[],
  languages: readonly string[],
  query: NaiveQuery,
  from: number,
  to: number,
): NaiveResult[] | 'only stop words' {
  const all = versionsOf(captures);
  const valid = all.filter(({ spans }) => spans.some(([a, b]) => a <= to && b > from));
  const having = (term: string) => valid.filter(({ lists }) => lists.has(term)).length;
  const isStop = (word: string) => isStopWord(word) && having(`B${word}`) > valid.length / 5;
  const clauses = query.clauses.filter(
    ([atom, ...more]) =>
      !(more.length === 0 && 'word' in atom && !(atom.prefix || atom.inTitle) && isStop(atom.word)),
  );
  if (clauses.length === 0) return 'only stop words';
  const vocabulary = new Set(all.flatMap(({ words, titleWords }) => [...words, ...titleWords]));
  const weights = new Map<string, number>();
  const termsOf = (atom: NaiveAtom): string[] => {
    if ('site' in atom) return [];
    const texts = atom.inTitle ? ['T'] : ['B', 'T'];
    if ('phrase' in atom) return texts.flatMap((field) => atom.phrase.map((w) => field + w));
    const fields = atom.inTitle ? texts : [...texts, 'A'];
    if (atom.prefix)
      return [...vocabulary]
        .filter((word) => word.startsWith(atom.word))
        .flatMap((word) => fields.map((field) => field + word));
    const forms = new Set(languages.flatMap((language) => variantsOf(atom.word, language)));
    return fields.flatMap((field) => [
      field + atom.word,
      field.toLowerCase() + atom.word,
      ...[...forms].flatMap((form) => [field + form, field.toLowerCase() + form]),
    ]);
  };
  for (const atom of clauses.flat()) {
    for (const term of termsOf(atom)) {
      const exact = !('word' in atom) || atom.prefix || term.slice(1) === atom.word;
      const half = !exact || 'bta'.includes(term[0]);
      const weight = (half ? 0.5 : 1) * (WEIGHTS[term[0].toUpperCase()] ?? 1);
      weights.set(term, (weights.get(term) ?? 0) + weight);
    }
  }
  const contains = (words: readonly string[], phrase: readonly string[]) =>
    words.some((_, i) => phrase.every((word, j) => words[i + j] === word));
  const matches = (version: NaiveVersion, atom: NaiveAtom): boolean => {
    if ('site' in atom) return version.host === atom.site || version.host.endsWith(`.${atom.site}`);
    if ('phrase' in atom)
      return (
        contains(version.titleWords, atom.phrase) ||
        (!atom.inTitle && contains(version.words, atom.phrase))
      );
    return termsOf(atom).some((term) => version.lists.has(term));
  };
  const mean = (of: (version: NaiveVersion) => number) =>
    valid.reduce((sum, version) => sum + of(version), 0) / valid.length;
  const lengthOf = (version: NaiveVersion, field: string): number => {
    if ('Aa'.includes(field)) return version.anchorWords;
    return 'Tt'.includes(field) ? version.titleWords.length : version.words.length;
  };
  const scoreOf = (version: NaiveVersion): number => {
    let score = 0;
    for (const [term, weight] of weights) {
      const tf = version.lists.get(term);
      if (tf === undefined) continue;
      const df = having(term);
      const idf = Math.log(1 + (valid.length - df + 0.5) / (df + 0.5));
      const relative = lengthOf(version, term[0]) / mean((each) => lengthOf(each, term[0]));
      score += (weight * idf * tf * 2.2) / (tf + 1.2 * (0.25 + 0.75 * relative));
    }
    return score;
  };
  const best = new Map<string, NaiveResult>();
  for (const version of valid) {
    const each = (clause: readonly NaiveAtom[]) => clause.some((atom) => matches(version, atom));
    const required = query.any ? clauses.filter(isSites) : clauses;
    const oneOf = clauses.filter((clause) => !required.includes(clause));
    if (!required.every(each) || (oneOf.length > 0 && !oneOf.some(each))) continue;
    if (query.excluded.some((atom) => matches(version, atom))) continue;
    const { url, title, text } = version;
    const score = scoreOf(version);
    if (score > (best.get(url)?.score ?? -1)) best.set(url, { url, title, text, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}
