/**
 * Randomness without state: every draw of the synthetic web is a hash of its subject, so that all
 * processes and machines agree on it at any time.
 *
 * Requires  nothing; all arguments are used as 32-bit integers.
 * Ensures   the same arguments give the same value on every platform: only 32-bit integer
 *           operations and the IEEE operations + - * / and sqrt are used, never Math.log, Math.exp
 *           or Math.pow, whose last digit an engine may choose.
 * Cost      a hash is about 5 ns, a number of a `Random` about 3 ns.
 */

/** The subject of a draw; draws about different subjects must not share a tag. */
export const TAG = {
  name: 1,
  suffix: 2,
  language: 3,
  size: 4,
  hosts: 5,
  degree: 6,
  target: 7,
  deep: 8,
  slug: 9,
  page: 10,
  address: 11,
  machine: 12,
  www: 13,
  style: 14,
  robots: 15,
  vocabulary: 16,
  clauses: 17,
  domainDeath: 20,
  community: 21,
  domainFrailty: 22,
  pageDeath: 24,
  change: 25,
  changeRate: 26,
  burst: 27,
  grave: 28,
  behaviour: 29,
  member: 30,
  comment: 31,
  frailty: 32,
  wildcard: 33,
  edit: 34,
  session: 35,
  drift: 36,
  menu: 38,
  latency: 39,
  seed: 40,
  rebuild: 41,
  sectionFrailty: 42,
  document: 43,
  reference: 44,
  format: 45,
  manner: 46,
  trick: 47,
  layout: 48,
  ring: 49,
  nickname: 50,
  stray: 51,
  obscure: 52,
  company: 53,
  cover: 54,
  takeover: 55,
  story: 60,
} as const;

/** A 32-bit hash of a few integers (the finalizer of MurmurHash3 between absorptions). */
export function hash(seed: number, tag: number, a: number, b = 0, c = 0): number {
  let h = Math.imul(seed ^ Math.imul(tag, 0x9e3779b1), 0x85ebca6b);
  h = absorb(h, a);
  h = absorb(h, b);
  h = absorb(h, c);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function absorb(h: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const mixed = h ^ Math.imul(k, 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** A number made of any text, as part of another hash. */
export function textHash(text: string): number {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return h;
}

/** A hash as a number in [0, 1). */
export function unit(h: number): number {
  return h / 4294967296;
}

/** A whole number in [0, n), from a hash. */
export function below(h: number, n: number): number {
  return Math.floor((h / 4294967296) * n);
}

/**
 * A sequence of 32-bit numbers (sfc32), seeded with four integers so that no two pages share one by
 * chance.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(a: number, b: number, c: number, d: number) {
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    this.#d = d | 0;
    for (let i = 0; i < 12; i++) this.next();
  }

  /** A signed 32-bit integer. */
  next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t;
  }

  /** A number in [0, 1). */
  unit(): number {
    return (this.next() >>> 0) / 4294967296;
  }

  /** A whole number in [0, n). */
  below(n: number): number {
    return Math.floor(((this.next() >>> 0) / 4294967296) * n);
  }

  /**
   * Nearly normal, mean 0 and variance 1: the sum of twelve uniform numbers has tails that end at
   * ±6.
   */
  normal(): number {
    let sum = -6;
    for (let i = 0; i < 6; i++) {
      const word = this.next();
      sum += ((word & 0xffff) + (word >>> 16)) / 65536;
    }
    return sum;
  }
}

/** The normal number that belongs to one hash (see `Random.normal`). */
export function normalOf(h: number): number {
  return new Random(h, 0x2545f491, 0x6a09e667, 1).normal();
}

const { LN2 } = Math;

/** e^x by halving the argument and squaring the series back: the same bits everywhere. */
export function exp(x: number): number {
  if (x > 700) return exp(700);
  if (x < -700) return 0;
  const reduced = x / 1024;
  let term = 1;
  let sum = 1;
  for (let n = 1; n < 12; n++) {
    term = (term * reduced) / n;
    sum += term;
  }
  for (let i = 0; i < 10; i++) sum *= sum;
  return sum;
}

/** The natural logarithm of x > 0: the power of two, and a series in (m - 1) / (m + 1). */
export function ln(x: number): number {
  let exponent = 0;
  let m = x;
  while (m > 1.5) {
    m /= 2;
    exponent++;
  }
  while (m < 0.75) {
    m *= 2;
    exponent--;
  }
  const z = (m - 1) / (m + 1);
  let power = z;
  let sum = 0;
  for (let n = 1; n < 40; n += 2) {
    sum += power / n;
    power *= z * z;
  }
  return 2 * sum + exponent * LN2;
}

/** x^y for x > 0. */
export function power(x: number, y: number): number {
  return exp(y * ln(x));
}
