/**
 * A query to lists of postings: which must match, which score, and how much.
 *
 * Idea      A word scores by several lists: the word in texts, titles and anchors, and variants of
 *           it (stems, forms without accents), which count half. A list that several words ask for
 *           counts once, with the sum of their weights. Words that must match are the same lists.
 * Ensures   The plan depends on the query, the languages and the dictionary of all parts together,
 *           never on how they are divided.
 */
import { DrumlinError } from '../../base/errors.ts';
import { FIELD, type Field, isAnchor } from '../store/formats.ts';
import type { Part } from '../store/part.ts';
import type { VariantTable } from '../store/words.ts';
import { type Atom, type Query, siteOf } from './parse-query.ts';

export interface Weights {
  readonly k1: number;
  readonly b: number;
  /** Of a word in a title; in a text it is 1. */
  readonly title: number;
  /** Of a word in the anchors of links to the page; 0 leaves anchors out. */
  readonly anchor: number;
  /** Of a variant, times the weight of the field. */
  readonly variant: number;
}

export const WEIGHTS: Weights = { k1: 1.2, b: 0.75, title: 3, anchor: 2, variant: 0.5 };

/** What must hold of a version. */
export type Matcher =
  | { readonly kind: 'any'; readonly terms: readonly string[] }
  /** All terms of one of the groups, one after the other if `adjacent`. */
  | {
      readonly kind: 'phrase';
      readonly groups: readonly (readonly string[])[];
      readonly adjacent: boolean;
    };

export interface Plan {
  /** Each clause must match: one of its matchers. */
  readonly clauses: readonly (readonly Matcher[])[];
  readonly excluded: readonly Matcher[];
  /** Terms that score, with their weights, in the order in which they are added up. */
  readonly scoring: ReadonlyMap<string, number>;
}

interface PlanOptions {
  readonly weights: Weights;
  /** Whether one clause is enough, besides those that name sites. */
  readonly any: boolean;
  readonly site: string | undefined;
  readonly language: string | undefined;
  readonly positions: boolean;
  /** Whether anchors count. */
  readonly anchors: boolean;
  /** Languages of the index. */
  readonly languages: readonly string[];
}

/** The most terms that a prefix stands for. */
const MOST_TERMS = 100;

const isSites = (clause: readonly Atom[]): boolean => clause.every(({ kind }) => kind === 'site');

export class Planner {
  readonly #parts: readonly Part[];
  readonly #variants: VariantTable;
  readonly #options: PlanOptions;
  readonly #scoring = new Map<string, number>();

  constructor(parts: readonly Part[], variants: VariantTable, options: PlanOptions) {
    this.#parts = parts;
    this.#variants = variants;
    this.#options = options;
  }

  async plan({ clauses, excluded }: Query): Promise<Plan> {
    const { any, site, language } = this.#options;
    const required: Matcher[][] = [];
    const oneOf: Matcher[] = [];
    for (const atoms of clauses) {
      const matchers: Matcher[] = [];
      for (const atom of atoms) matchers.push(await this.#matcher(atom, true));
      if (any && !isSites(atoms)) oneOf.push(...matchers);
      else required.push(matchers);
    }
    if (oneOf.length > 0) required.push(oneOf);
    if (site !== undefined) required.push([await this.#matcher(siteOf(site), false)]);
    if (language !== undefined)
      required.push([{ kind: 'any', terms: [FIELD.language + language.toLowerCase()] }]);
    const refused: Matcher[] = [];
    for (const atom of excluded) refused.push(await this.#matcher(atom, false));
    return { clauses: required, excluded: refused, scoring: this.#scoring };
  }

  async #matcher(atom: Atom, scores: boolean): Promise<Matcher> {
    if (atom.kind === 'site') return { kind: 'any', terms: [FIELD.site + atom.site] };
    if (atom.kind === 'phrase') return this.#phrase(atom, scores);
    const words = atom.kind === 'prefix' ? await this.#startingWith(atom) : [atom.word];
    const terms = words.flatMap((word) => this.#terms(word, atom.inTitle, atom.kind, scores));
    return { kind: 'any', terms };
  }

  #phrase({ words, inTitle, quoted }: Extract<Atom, { kind: 'phrase' }>, scores: boolean): Matcher {
    const { positions } = this.#options;
    if (quoted && !positions)
      throw new DrumlinError(
        'NO_POSITIONS',
        'The index has no positions, so it cannot search for phrases.',
        'Search for the words without quotation marks, or index again without --no-positions.',
      );
    const fields: Field[] = inTitle ? [FIELD.title] : [FIELD.body, FIELD.title];
    const groups = fields.map((field) => words.map((word) => field + word));
    if (scores) for (const group of groups) for (const term of group) this.#score(term, 1);
    return { kind: 'phrase', groups, adjacent: positions };
  }

  /** The terms by which a word is found. */
  #terms(
    word: string,
    inTitle: boolean,
    kind: 'word' | 'exact' | 'prefix',
    scores: boolean,
  ): string[] {
    const fields: [Field, Field][] = [[FIELD.title, FIELD.titleVariant]];
    if (!inTitle) fields.unshift([FIELD.body, FIELD.bodyVariant]);
    if (!inTitle && this.#options.anchors) fields.push([FIELD.anchor, FIELD.anchorVariant]);
    const variants = kind === 'word' ? this.#variantsOf(word) : [];
    const terms: string[] = [];
    const add = (term: string, weight: number) => {
      terms.push(term);
      if (scores) this.#score(term, weight);
    };
    const { variant: share } = this.#options.weights;
    for (const [field, variantField] of fields) {
      add(field + word, 1);
      if (kind === 'word') add(variantField + word, share);
      for (const variant of variants) {
        add(field + variant, share);
        add(variantField + variant, share);
      }
    }
    return terms;
  }

  #score(term: string, weight: number): void {
    const { weights } = this.#options;
    const isTitle = term[0] === FIELD.title || term[0] === FIELD.titleVariant;
    const added = weight * (isTitle ? weights.title : isAnchor(term[0]) ? weights.anchor : 1);
    this.#scoring.set(term, (this.#scoring.get(term) ?? 0) + added);
  }

  /** The variants of a word in every language of the index, or in the one asked for. */
  #variantsOf(word: string): string[] {
    const { languages, language } = this.#options;
    const used = language === undefined ? languages : [language.toLowerCase()];
    const variants = new Set(used.flatMap((code) => this.#variants.in(code).of(word)));
    return [...variants].sort();
  }

  /** The most frequent words that begin with a prefix. */
  async #startingWith({ word, inTitle }: Extract<Atom, { word: string }>): Promise<string[]> {
    const counts = new Map<string, number>();
    for (const part of this.#parts) {
      for (const field of inTitle ? [FIELD.title] : [FIELD.body, FIELD.title]) {
        for await (const { term, count } of part.terms.startingWith(field + word)) {
          const found = term.slice(1);
          counts.set(found, (counts.get(found) ?? 0) + count);
        }
      }
    }
    const found = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return found.slice(0, MOST_TERMS).map(([each]) => each);
  }
}
