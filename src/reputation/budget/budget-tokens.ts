/** The tokens of a budget policy, each with its column. */
import { numberAt, refuseAt } from '../../base/expression.ts';

export interface Token {
  readonly kind: 'number' | 'word' | 'suffix' | 'sign' | 'end';
  readonly text: string;
  /** Column where it begins, from 1. */
  readonly column: number;
  /** The value, if it is a number; else 0. */
  readonly value: number;
}

/** Enough for any policy, and so few that no expression can be deep. */
const MOST_TOKENS = 500;
const PATTERNS = [
  ['word', /[a-z]+/y],
  ['suffix', /(?:\.[a-z\d-]+)+/y],
  ['sign', /<=|>=|==|!=|[-+*/^<>?:(),=%]/y],
] as const;

/** Refuses a policy: what is wrong with it, and where. */
export function refuse(text: string, column: number, fact: string, remedy: string): never {
  return refuseAt({ code: 'BUDGET', what: 'budget', text, at: column - 1, fact, remedy });
}

export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (true) {
    while (text[at] === ' ' || text[at] === '\t') at++;
    const token = tokenAt(text, at);
    found.push(token);
    if (token.kind === 'end') return found;
    if (found.length > MOST_TOKENS) {
      refuse(
        text,
        token.column,
        'it is too long.',
        `Use at most ${MOST_TOKENS} numbers, names and signs.`,
      );
    }
    at += token.text.length;
  }
}

function tokenAt(text: string, at: number): Token {
  const column = at + 1;
  if (at === text.length) return { kind: 'end', text: '', column, value: 0 };
  const number = numberAt(text, at);
  if (number) {
    if (!Number.isFinite(number.value))
      refuse(text, column, `${number.text} is too large.`, 'Write a smaller number.');
    return { kind: 'number', column, ...number };
  }
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { kind, text: match[0], column, value: 0 };
  }
  return refuse(
    text,
    column,
    `"${String.fromCodePoint(text.codePointAt(at) ?? 0)}" means nothing here.`,
    'Write policies in lower case, like irlbot * boost(.edu=4) or rank <= 1000 ? 5000 : 10.',
  );
}
