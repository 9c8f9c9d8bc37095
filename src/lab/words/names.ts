/**
 * Domain names that can be computed both ways: index → name and name → index, without a table of
 * domains.
 *
 * Idea      An index below 2^24 is shuffled by a small Feistel network keyed by the seed and
 *           written as four syllables. Undoing both gives the index back, so a name that does not
 *           exist is recognised.
 * Requires  index in [0, 2^24).
 * Ensures   `parse(nameOf(i)).index === i`. A name with another suffix is parsed, too: the caller
 *           compares it with the name of that index. The syllables reveal nothing about the
 *           domain's rank or kind; a nickname around them may.
 * Cost      about 0.2 µs either way.
 *
 * The suffix is `.test`, which RFC 6761 keeps out of the real DNS: a crawler that does not use the
 * lab's name server finds nothing, instead of a stranger's machine. `real` suffixes (com, co.uk, …)
 * are for experiments about public suffixes, and only for closed networks.
 */
import { hash, TAG } from './random.ts';

export const MAX_DOMAINS = 1 << 24;

const CONSONANTS = 'bdfghklmnprstvwz';
const VOWELS = 'aeio';
const SYLLABLES = [...CONSONANTS].flatMap((c) => [...VOWELS].map((v) => c + v));
const SYLLABLE_NUMBER = new Map(SYLLABLES.map((s, i) => [s, i]));

/** What a name has around its syllables. */
interface Nickname {
  readonly before: string;
  readonly after: string;
}

const PLAIN_NAME: Nickname = { before: '', after: '' };
const SPAM_WORDS = ['best', 'cheap', 'buy', 'online', 'free', 'top', 'my', 'the', 'shop', 'all'];
const ANY_WORDS = ['my', 'the', 'best', 'all', 'new', 'online', 'shop', 'club', 'info', 'web'];

/**
 * Words and digits in the names of a web that deceives: of one honest domain in ten, and of one
 * spam domain in four.
 */
export function nicknameOf(seed: number, index: number, spam: boolean): Nickname {
  const draw = hash(seed, TAG.nickname, index);
  if (draw % 100 >= (spam ? 26 : 10)) return PLAIN_NAME;
  const words = spam ? SPAM_WORDS : ANY_WORDS;
  return (draw >>> 8) % 3 === 0
    ? { before: '', after: `${1 + ((draw >>> 10) % 365)}` }
    : { before: `${words[(draw >>> 12) % words.length]}-`, after: '' };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Where the letters that end before `end` begin. */
function wordStart(host: string, end: number): number {
  let at = end;
  while (at > 0 && host.charCodeAt(at - 1) >= 97 && host.charCodeAt(at - 1) <= 122) at--;
  return at;
}

const REAL_SUFFIXES: readonly (readonly [suffix: string, share: number])[] = [
  ['com', 46],
  ['org', 14],
  ['net', 10],
  ['de', 8],
  ['co.uk', 6],
  ['info', 5],
  ['fr', 4],
  ['it', 3],
  ['com.br', 2],
  ['co.jp', 2],
];

export class Names {
  readonly #seed: number;
  readonly #real: boolean;

  constructor(seed: number, real: boolean) {
    this.#seed = seed;
    this.#real = real;
  }

  nameOf(index: number, academic = false, nickname = PLAIN_NAME): string {
    const code = this.#shuffle(index);
    return (
      nickname.before +
      SYLLABLES[code >>> 18] +
      SYLLABLES[(code >>> 12) & 63] +
      SYLLABLES[(code >>> 6) & 63] +
      SYLLABLES[code & 63] +
      nickname.after +
      this.#suffix(index, academic)
    );
  }

  /**
   * The registered name in a host name, its index, and the labels left of it (`www`, `a.b`, or '').
   */
  parse(host: string): { label: string; name: string; index: number } | undefined {
    const suffixStart = this.#real
      ? realSuffixStart(host)
      : host.endsWith('.test')
        ? host.length - 5
        : -1;
    if (suffixStart < 8) return undefined;
    let end = suffixStart;
    while (isDigit(host.charCodeAt(end - 1))) end--;
    const start = end - 8;
    const nameStart = start > 0 && host[start - 1] === '-' ? wordStart(host, start - 1) : start;
    if (start < 0 || (nameStart > 0 && host.charCodeAt(nameStart - 1) !== 46)) return undefined;
    let code = 0;
    for (let at = start; at < end; at += 2) {
      const syllable = SYLLABLE_NUMBER.get(host.slice(at, at + 2));
      if (syllable === undefined) return undefined;
      code = (code << 6) | syllable;
    }
    return {
      label: nameStart > 0 ? host.slice(0, nameStart - 1) : '',
      name: host.slice(nameStart),
      index: this.#unshuffle(code),
    };
  }

  #suffix(index: number, academic: boolean): string {
    if (!this.#real) return '.test';
    const draw = hash(this.#seed, TAG.suffix, index) % 100;
    if (academic && draw < 80) return draw < 50 ? '.edu' : '.ac.uk';
    let sum = 0;
    for (const [suffix, share] of REAL_SUFFIXES) {
      sum += share;
      if (draw < sum) return `.${suffix}`;
    }
    return '.com';
  }

  #shuffle(index: number): number {
    let left = index >>> 12;
    let right = index & 4095;
    for (let round = 0; round < 4; round++) {
      const next = left ^ (hash(this.#seed, TAG.name, right, round) & 4095);
      left = right;
      right = next;
    }
    return (left << 12) | right;
  }

  #unshuffle(code: number): number {
    let left = code >>> 12;
    let right = code & 4095;
    for (let round = 3; round >= 0; round--) {
      const before = right ^ (hash(this.#seed, TAG.name, left, round) & 4095);
      right = left;
      left = before;
    }
    return (left << 12) | right;
  }
}

function realSuffixStart(host: string): number {
  const match = /\.(?:com\.br|co\.jp|co\.uk|ac\.uk|edu|[a-z]+)$/.exec(host);
  return match ? match.index : -1;
}
