/**
 * Arithmetic over what is known of a domain. A small language: a budget can be any function of rank
 * and score, and no setting is ever run as a program.
 *
 *   rank <= 1000 ? 5000 : 10          max(10, 200 * log(in + 1))          irlbot * boost(.edu=4)
 *
 * Idea      A Pratt parser builds expressions. Each has two functions: its value for a domain, and
 *           its printed form.
 * Ensures   `parseExpression(String(e))` is `e` again. Any text is either parsed or refused with
 *           the column, in time linear in its length. Values are numbers, also where arithmetic
 *           fails (NaN).
 *
 * From the loosest to the tightest: `a ? b : c`, one comparison, sums, products, minus, powers (to
 * the right), calls.
 */
import { nearest } from '../../base/nearest.ts';
import { refuse, type Token, tokens } from './budget-tokens.ts';

/** What a policy can depend on. */
export interface DomainView {
  readonly name: string;
  /** Rank from 1; Infinity below the top. */
  readonly rank: number;
  readonly score: number;
  readonly inDegree: number;
  readonly supporters: number;
  readonly cash: number;
  /** The probability that it is spam, by the last verdict; 0 without verdicts. */
  readonly spam: number;
  /** Number of domains in the whole crawl. */
  readonly domains: number;
  /** Mean score of all these domains. */
  readonly mean: number;
}

export interface Expression {
  value(domain: DomainView): number;
  toString(): string;
  /** How tightly its outermost operator binds. */
  readonly level: number;
}

/** An argument of a named policy: `top=1%`, `.edu=4`, or just a number. */
export interface Option {
  readonly name: string | undefined;
  readonly value: number;
  /** The value is a percentage. */
  readonly isShare: boolean;
  readonly column: number;
}

export type Refuse = (column: number, fact: string, remedy: string) => never;
/** A named policy: makes an expression from its options, or refuses them. */
export type Term = (
  options: readonly Option[],
  refuse: Refuse,
) => Pick<Expression, 'value' | 'toString'>;

const CHOICE = 1;
const COMPARISON = 2;
const SUM = 3;
const PRODUCT = 4;
const MINUS = 5;
const POWER = 6;
const WHOLE = 7;
/** Deepest nesting of parentheses, choices, powers and signs. */
const DEEPEST = 50;

const VARIABLES: Readonly<Record<string, (domain: DomainView) => number>> = {
  rank: ({ rank }) => rank,
  score: ({ score }) => score,
  in: ({ inDegree }) => inDegree,
  supporters: ({ supporters }) => supporters,
  cash: ({ cash }) => cash,
  spam: ({ spam }) => spam,
  domains: ({ domains }) => domains,
  mean: ({ mean }) => mean,
};

/** Each function, with the least and the most arguments it takes. */
const FUNCTIONS: Readonly<
  Record<string, { of: (...values: number[]) => number; least: number; most: number }>
> = {
  min: { of: Math.min, least: 1, most: 20 },
  max: { of: Math.max, least: 1, most: 20 },
  log: { of: Math.log, least: 1, most: 1 },
  sqrt: { of: Math.sqrt, least: 1, most: 1 },
};

const OPERATORS: Readonly<Record<string, { level: number; of: (a: number, b: number) => number }>> =
  {
    '<': { level: COMPARISON, of: (a, b) => Number(a < b) },
    '<=': { level: COMPARISON, of: (a, b) => Number(a <= b) },
    '>': { level: COMPARISON, of: (a, b) => Number(a > b) },
    '>=': { level: COMPARISON, of: (a, b) => Number(a >= b) },
    '==': { level: COMPARISON, of: (a, b) => Number(a === b) },
    '!=': { level: COMPARISON, of: (a, b) => Number(a !== b) },
    '+': { level: SUM, of: (a, b) => a + b },
    '-': { level: SUM, of: (a, b) => a - b },
    '*': { level: PRODUCT, of: (a, b) => a * b },
    '/': { level: PRODUCT, of: (a, b) => a / b },
    '^': { level: POWER, of: (a, b) => a ** b },
  };

/** Parses an expression. `terms` are the named policies. */
export function parseExpression(text: string, terms: Readonly<Record<string, Term>>): Expression {
  return new Parser(text, terms).whole();
}

class Parser {
  readonly #text: string;
  readonly #terms: Readonly<Record<string, Term>>;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string, terms: Readonly<Record<string, Term>>) {
    this.#text = text;
    this.#terms = terms;
    this.#tokens = tokens(text);
  }

  whole(): Expression {
    const expression = this.#expression(CHOICE);
    if (this.#next.kind !== 'end') this.#refuseNext('an operator, or the end');
    return expression;
  }

  /** Parses everything from here on that binds at least as tightly as `level`. */
  #expression(level: number): Expression {
    if (++this.#depth > DEEPEST) {
      this.#refuse(
        this.#next.column,
        'this is nested too deeply.',
        `Use at most ${DEEPEST} levels.`,
      );
    }
    let left = this.#take('-') ? minus(this.#expression(MINUS)) : this.#operand();
    for (
      let operator = this.#operator();
      operator && operator.level >= level;
      operator = this.#operator()
    ) {
      this.#at++;
      left = this.#infix(left, operator.sign, operator.level);
    }
    this.#depth--;
    return left;
  }

  #infix(left: Expression, sign: string, level: number): Expression {
    if (sign === '?') {
      const yes = this.#expression(CHOICE);
      this.#require(':');
      return choice(left, yes, this.#expression(CHOICE));
    }
    // The exponent may have a sign, and powers group to the right.
    const right = this.#expression(level === POWER ? MINUS : level + 1);
    if (level === COMPARISON && this.#operator()?.level === COMPARISON) {
      this.#refuse(
        this.#next.column,
        'comparisons cannot be chained.',
        'Put the second one into another choice.',
      );
    }
    return binary(left, sign, right);
  }

  /** The operator that comes next, if any. */
  #operator(): { readonly sign: string; readonly level: number } | undefined {
    const { kind, text } = this.#next;
    if (kind !== 'sign') return undefined;
    if (text === '?') return { sign: text, level: CHOICE };
    const known = OPERATORS[text];
    return known && { sign: text, level: known.level };
  }

  #operand(): Expression {
    const token = this.#next;
    if (token.kind === 'number') {
      this.#at++;
      return { value: () => token.value, toString: () => String(token.value), level: WHOLE };
    }
    if (token.kind === 'word') return this.#named(token);
    if (!this.#take('(')) this.#refuseNext('a number, a name or "("');
    const inner = this.#expression(CHOICE);
    this.#require(')');
    return inner;
  }

  #named({ text, column }: Token): Expression {
    this.#at++;
    const known = (names: object) => Object.hasOwn(names, text);
    if (known(VARIABLES)) return { value: VARIABLES[text], toString: () => text, level: WHOLE };
    if (known(FUNCTIONS)) return this.#call(text, column);
    if (known(this.#terms)) {
      const refuse: Refuse = (...what) => this.#refuse(...what);
      const made = this.#terms[text](this.#options(), refuse);
      return { value: made.value, toString: made.toString, level: WHOLE };
    }
    const names = [VARIABLES, FUNCTIONS, this.#terms].flatMap((table) => Object.keys(table));
    return this.#refuse(
      column,
      `there is no "${text}".`,
      `Did you mean "${nearest(text, names)}"?`,
    );
  }

  #call(name: string, column: number): Expression {
    const { of, least, most } = FUNCTIONS[name];
    this.#require('(');
    const values = [this.#expression(CHOICE)];
    while (this.#take(',')) values.push(this.#expression(CHOICE));
    this.#require(')');
    if (values.length < least || values.length > most) {
      this.#refuse(
        column,
        `${name} does not take ${values.length} values.`,
        `Give it at most ${most}.`,
      );
    }
    return {
      value: (domain) => of(...values.map((value) => value.value(domain))),
      toString: () => `${name}(${values.join(', ')})`,
      level: WHOLE,
    };
  }

  #options(): Option[] {
    const options: Option[] = [];
    if (!this.#take('(') || this.#take(')')) return options;
    do options.push(this.#option());
    while (this.#take(','));
    this.#require(')');
    return options;
  }

  #option(): Option {
    const { kind, text, column } = this.#next;
    const hasName = kind === 'word' || kind === 'suffix';
    if (hasName) {
      this.#at++;
      this.#require('=');
    }
    const number = this.#next;
    if (number.kind !== 'number') this.#refuseNext('a number');
    this.#at++;
    const isShare = this.#take('%');
    return { name: hasName ? text : undefined, value: number.value, isShare, column };
  }

  get #next(): Token {
    return this.#tokens[this.#at];
  }

  #take(sign: string): boolean {
    if (this.#next.kind !== 'sign' || this.#next.text !== sign) return false;
    this.#at++;
    return true;
  }

  #require(sign: string): void {
    if (!this.#take(sign)) this.#refuseNext(`"${sign}"`);
  }

  #refuseNext(expected: string): never {
    const { kind, text, column } = this.#next;
    const found = kind === 'end' ? 'it ends' : `"${text}" stands`;
    return this.#refuse(
      column,
      `${found} where ${expected} is expected.`,
      'See docs/reputation.md.',
    );
  }

  #refuse(column: number, fact: string, remedy: string): never {
    return refuse(this.#text, column, fact, remedy);
  }
}

function minus(of: Expression): Expression {
  return {
    value: (domain) => -of.value(domain),
    toString: () => `-${within(of, MINUS)}`,
    level: MINUS,
  };
}

function binary(left: Expression, sign: string, right: Expression): Expression {
  const { level, of } = OPERATORS[sign];
  // Sums and products group to the left, powers to the right, comparisons not at all.
  const leftLevel = level === POWER ? WHOLE : level === COMPARISON ? SUM : level;
  const rightLevel = level === POWER ? MINUS : level + 1;
  return {
    value: (domain) => of(left.value(domain), right.value(domain)),
    toString: () => `${within(left, leftLevel)} ${sign} ${within(right, rightLevel)}`,
    level,
  };
}

function choice(condition: Expression, yes: Expression, no: Expression): Expression {
  return {
    // NaN is no.
    value: (domain) => (condition.value(domain) ? yes.value(domain) : no.value(domain)),
    toString: () => `${within(condition, COMPARISON)} ? ${yes} : ${no}`,
    level: CHOICE,
  };
}

/** The printed form, in parentheses where it binds less tightly than its place requires. */
function within(expression: Expression, level: number): string {
  return expression.level < level ? `(${expression})` : String(expression);
}
