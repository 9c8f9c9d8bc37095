/**
 * The parser of the filter language.
 *
 *   (HostEndsWith(.edu) and not InList(blocked.txt)) or PathDepth < 4
 *
 * Idea      Recursive descent directly over the text. The form of an argument depends on its
 *           predicate, so there are no tokens. `not` binds tighter than `and`, `and` tighter than
 *           `or`. Line ends are blanks, and `#` begins a comment.
 * Ensures   Any text is parsed, or refused with a column, in time linear in its length. A predicate
 *           that is not known at the given stage is refused; the error names the stages where it is
 *           known.
 */
import { numberAt, refuseAt } from '../base/expression.ts';
import { nearest } from '../base/nearest.ts';
import { normalise, readArgument, wordsFor } from './argument.ts';
import type { Call, Node, Sign } from './node.ts';
import type { Parameter, Predicate, Predicates } from './predicate.ts';
import { isKnown, MOMENT, type Stage, type Subject, stagesFrom } from './subject.ts';

/** Deepest nesting of parentheses and `not`. */
const DEEPEST = 100;
const LONGEST = 100_000;

const NAME = /[A-Za-z][A-Za-z0-9_]*/y;
const SIGN = /<=|>=|==|!=|<|>/y;
const BLANKS = /(?:\s+|#[^\n]*)*/y;

/** What other languages write, and its form here. */
const FOREIGN: readonly (readonly [string, string])[] = [
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
  ['&', 'and'],
  ['|', 'or'],
  ['=', '=='],
];

interface FilterContext<S> {
  readonly predicates: Predicates<S>;
  /** Without a stage every predicate is allowed. */
  readonly stage?: Stage;
  /** What ranks the domains; `none` if nothing does. Without it, rankings are not checked. */
  readonly ranking?: string;
  /** Whether the crawl gives verdicts on spam. Without it, this is not checked. */
  readonly spam?: boolean;
  /** What messages call the expression and its names, if not a filter and its predicates. */
  readonly words?: FilterWords;
}

interface FilterWords {
  /** `condition` */
  readonly expression: string;
  /** `column` */
  readonly name: string;
  /** Where to find the names, as a sentence. */
  readonly list: string;
}

const FILTER: FilterWords = {
  expression: 'filter',
  name: 'predicate',
  list: '"drumlin filter list" lists the predicates.',
};

export function parseFilter<S = Subject>(text: string, context: FilterContext<S>): Node<S> {
  return new Parser(text, context).whole();
}

class Parser<S> {
  readonly #text: string;
  readonly #context: FilterContext<S>;
  readonly #words: FilterWords;
  #at = 0;
  #depth = 0;

  constructor(text: string, context: FilterContext<S>) {
    this.#text = text;
    this.#context = context;
    this.#words = context.words ?? FILTER;
  }

  whole(): Node<S> {
    if (this.#text.length > LONGEST) {
      this.#refuse(
        0,
        `the ${this.#words.expression} is too long.`,
        `Use at most ${LONGEST} characters, and put lists into files.`,
      );
    }
    this.#skip();
    const node = this.#either();
    if (this.#at < this.#text.length) this.#refuseNext('"and", "or" or the end');
    return node;
  }

  #either(): Node<S> {
    return this.#joined('or', () => this.#joined('and', () => this.#single()));
  }

  #joined(kind: 'and' | 'or', part: () => Node<S>): Node<S> {
    const parts = [part()];
    while (this.#takeWord(kind)) parts.push(part());
    return parts.length === 1 ? parts[0] : { kind, parts };
  }

  #single(): Node<S> {
    if (++this.#depth > DEEPEST) {
      this.#refuse(
        this.#at,
        `the ${this.#words.expression} is nested too deeply.`,
        `Use at most ${DEEPEST} levels.`,
      );
    }
    const node = this.#take('(') ? this.#inParentheses() : this.#unary();
    this.#depth--;
    return node;
  }

  #inParentheses(): Node<S> {
    const node = this.#either();
    if (!this.#take(')')) this.#refuseNext('")"');
    return node;
  }

  #unary(): Node<S> {
    if (this.#takeWord('not')) return { kind: 'not', of: this.#single() };
    if (this.#takeWord('true')) return { kind: 'constant', value: true };
    if (this.#takeWord('false')) return { kind: 'constant', value: false };
    const at = this.#at;
    const name = this.#match(NAME);
    if (name === undefined) return this.#refuseNext(`a ${this.#words.name}, "not" or "("`);
    const predicate = this.#context.predicates.get(name) ?? this.#refuseUnknown(at, name);
    this.#requireKnown(at, predicate);
    this.#requireRanking(at, predicate);
    this.#requireSpam(at, predicate);
    this.#at += name.length;
    this.#skip();
    return this.#compared(at, { kind: 'call', predicate, values: this.#values(at, predicate) });
  }

  #compared(at: number, call: Call<S>): Node<S> {
    const { name, gives, example } = call.predicate;
    const signAt = this.#at;
    const sign = this.#match(SIGN) as Sign | undefined;
    if (sign === undefined) {
      if (gives !== 'number' && gives !== 'text') return call;
      if (!/^[=!&|]/.test(this.#text.slice(signAt))) {
        this.#refuse(at, `${name} is a ${gives}.`, `Compare it with one, like ${example}.`);
      }
      return this.#refuseNext('a comparison');
    }
    if (gives === 'truth') {
      this.#refuse(signAt, `${name} is true or false, not a number.`, `Write it like ${example}.`);
    }
    this.#at += sign.length;
    this.#skip();
    if (gives !== 'text') return { kind: 'comparison', of: call, sign, than: this.#number() };
    if (sign !== '==' && sign !== '!=')
      this.#refuse(signAt, `${name} is a text, not a number.`, 'Compare it with == or !=.');
    return { kind: 'comparison', of: call, sign, than: this.#value({ kind: 'text' }, name) };
  }

  #number(): number {
    const at = this.#at;
    const negative = this.#text[at] === '-';
    const number = numberAt(this.#text, negative ? at + 1 : at);
    if (number === undefined) return this.#refuseNext('a number');
    if (!Number.isFinite(number.value)) {
      this.#refuse(at, `${number.text} is too large.`, 'Write a smaller number.');
    }
    this.#at += number.text.length + (negative ? 1 : 0);
    // "10x" is neither a number nor two words.
    if (/[\w.]/.test(this.#text[this.#at] ?? '')) this.#refuseNext('the end of a number');
    this.#skip();
    return negative ? -number.value || 0 : number.value;
  }

  #values(at: number, { name, parameters, example }: Predicate<S>): string[] {
    const values: string[] = [];
    const least = parameters.filter(({ optional }) => !optional).length;
    if (this.#take('(') && !this.#take(')')) {
      do values.push(this.#value(parameters[Math.min(values.length, parameters.length - 1)], name));
      while (this.#take(','));
      if (!this.#take(')')) this.#refuseNext('"," or ")"');
    }
    const most = parameters.at(-1)?.many ? Infinity : parameters.length;
    if (values.length >= least && values.length <= most) return values;
    const takes =
      most === 0 ? 'no value' : most === Infinity ? `${least} or more values` : `${most}`;
    return this.#refuse(
      at,
      `${name} takes ${takes}, not ${values.length}.`,
      `Write it like ${example}.`,
    );
  }

  #value(parameter: Parameter | undefined, name: string): string {
    if (!parameter)
      return this.#refuse(this.#at, `${name} takes no value.`, `Write ${name} alone.`);
    const at = this.#at;
    const read = readArgument(parameter.kind, this.#text, at);
    if (!read) return this.#refuseNext('a value');
    this.#at = read.end;
    this.#skip();
    try {
      return normalise(parameter.kind, read.value);
    } catch (error) {
      const words = wordsFor(error);
      if (!words) throw error;
      return this.#refuse(at, words.fact, words.remedy);
    }
  }

  #requireRanking(at: number, { name, ranking: needed }: Predicate<S>): void {
    const { ranking } = this.#context;
    if (needed === undefined || ranking === undefined || ranking === needed) return;
    if (needed === 'any' && ranking !== 'none') return;
    const flags = needed === 'any' ? '--order budget' : `--order budget --rank ${needed}`;
    this.#refuse(at, `${name} is not known in this crawl.`, `Crawl with ${flags}.`);
  }

  #requireSpam(at: number, { name, needsSpam }: Predicate<S>): void {
    if (!needsSpam || this.#context.spam !== false) return;
    this.#refuse(at, `${name} is not known in this crawl.`, 'Crawl with --spam and a model.');
  }

  #requireKnown(at: number, { name, from }: Predicate<S>): void {
    const { stage } = this.#context;
    if (stage === undefined || isKnown(from, stage)) return;
    const stages = stagesFrom(from);
    this.#refuse(
      at,
      `${name} is not known ${MOMENT[stage]}.`,
      `It is known ${MOMENT[stages[0]]}: put it into the ${stages.join(' or ')} filter.`,
    );
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    this.#skip();
    return true;
  }

  /** Letter case does not matter: "AND" is "and". */
  #takeWord(word: string): boolean {
    if (this.#match(NAME)?.toLowerCase() !== word) return false;
    this.#at += word.length;
    this.#skip();
    return true;
  }

  /** What the pattern matches here, without consuming it. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #skip(): void {
    this.#at += this.#match(BLANKS)?.length ?? 0;
  }

  #refuseUnknown(at: number, name: string): never {
    const known = nearest(name, [...this.#context.predicates.keys()]);
    return this.#refuse(
      at,
      `there is no ${this.#words.name} "${name}".`,
      `Did you mean "${known}"?`,
    );
  }

  #refuseNext(expected: string): never {
    const rest = this.#text.slice(this.#at, this.#at + 40);
    const found = /^(?:[\w.]+|.)/su.exec(rest)?.[0];
    const next = found === undefined ? 'the end' : `"${found}"`;
    const foreign = FOREIGN.find(([sign]) => rest.startsWith(sign));
    const remedy = foreign ? `Write "${foreign[1]}".` : this.#words.list;
    return this.#refuse(this.#at, `expected ${expected}, found ${next}.`, remedy);
  }

  #refuse(at: number, fact: string, remedy: string): never {
    const { stage } = this.#context;
    const { expression } = this.#words;
    const what = stage === undefined ? expression : `${stage} ${expression}`;
    return refuseAt({ code: 'FILTER', what, text: this.#text, at, fact, remedy });
  }
}
