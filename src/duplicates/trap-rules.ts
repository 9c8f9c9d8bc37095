/**
 * What was learned about hosts: parts of their URLs that do not choose the page.
 *
 * Idea      For every rule of a host, pairs of pages that differ only in that part are counted:
 *           those with the same text, and those with different texts. A rule with enough of the
 *           former and almost none of the latter holds. From then on the part is replaced by its
 *           value in a known page, or dropped if a page without it is known: all those URLs become
 *           one, and the sieve does the rest. So a session id that a server requires still works.
 *           Numbers are different: calendars have entries in some years, lists have pages up to the
 *           last. So for numbers the range in which texts differed is kept. Within it nothing is
 *           rewritten, and only pairs that leave it are evidence. And several texts must have been
 *           repeated: a single one may be the text of empty pages (`number-ends.ts`). One URL in
 *           128 passes unchanged, so that a rule is tested all the time; a wrong rule is withdrawn.
 * Ensures   Memory is bounded: a limited number of hosts, the least recently used evicted first; a
 *           limited number of rules per host, the least tested evicted first, rules that hold last.
 *           `rewrite` is idempotent and keeps the origin.
 * Cost      Nothing for a host without rules; about 2 µs per link for one with some.
 */

import { onesIn } from '../base/bits.ts';
import { FieldReader, FieldWriter } from '../base/fields.ts';
import { ownCopy } from '../base/own-copy.ts';
import { xxh64 } from '../base/xxh64.ts';
import { originOf } from '../url/parts.ts';
import { numberIn, replaceParts } from './url-variants.ts';

const MOST_HOSTS = 4096;
const MOST_RULES = 24;
/** Pairs with the same text before a rule holds. */
const ENOUGH = 8;
/** The same for numbers in a path, which mostly do choose the page. */
const ENOUGH_NUMBERS = 32;
/** For a number, this many different texts must have been repeated. */
const ENOUGH_TEXTS = 4;
/** With more pairs than this, half are dropped: old evidence expires. */
const MOST_PAIRS = 128;
/** For a rule to start to hold, at most one pair in this many may have different texts. */
const STRICT = 20;
/** For a rule to keep holding, at most one pair in this many may have different texts. */
const LENIENT = 8;
/** A URL whose hash has none of these bits passes unchanged. */
export const TESTED = 127n;

interface Evidence {
  same: number;
  other: number;
  /** The value that replaces the part; undefined to drop it. */
  value: string | undefined;
  holds: boolean;
  /** Whether it was ever a number in both pages of a pair. */
  isNumber: boolean;
  /** The texts that were repeated, a bit each. */
  texts: number;
  /** Numbers from `low` to `high` choose the page; none do while `low` is above `high`. */
  low: number;
  high: number;
}

interface HostRules {
  readonly rules: Map<string, Evidence>;
  holding: number;
}

export type RuleChange = 'learned' | 'withdrawn';

/** The counts of a rule, and whether the last pair made it hold or stop holding. */
interface Observed {
  readonly change: RuleChange | undefined;
  readonly same: number;
  readonly other: number;
}

export class TrapRules {
  /** By origin, the last used at the end. */
  readonly #hosts = new Map<string, HostRules>();
  readonly #mostHosts: number;

  constructor(mostHosts = MOST_HOSTS) {
    this.#mostHosts = mostHosts;
  }

  /** Whether nothing was learned about any host. */
  get isEmpty(): boolean {
    return this.#hosts.size === 0;
  }

  /**
   * Observes two pages of a host that differ only in this part: whether their texts are the same,
   * and the value in the earlier and in the later page. `text` is a number from 0 to 31, mostly
   * equal for equal texts.
   */
  observe(
    origin: string,
    rule: string,
    isSame: boolean,
    earlier: string | undefined,
    later: string,
    text: number,
  ): Observed {
    const host = this.#hostOf(origin);
    const evidence = evidenceOf(host, rule);
    const held = evidence.holds;
    if (isSame) noteSame(evidence, earlier, later, text);
    else noteOther(evidence, [earlier, later]);
    const lenience = held ? LENIENT : STRICT;
    const enough = held ? 1 : enoughFor(rule);
    const { same, other } = evidence;
    const isVaried = held || !evidence.isNumber || onesIn(evidence.texts) >= ENOUGH_TEXTS;
    evidence.holds = same >= enough && other * lenience <= same && isVaried;
    if (same + other > MOST_PAIRS) {
      evidence.same >>= 1;
      evidence.other >>= 1;
    }
    if (evidence.holds === held) return { change: undefined, same, other };
    host.holding += evidence.holds ? 1 : -1;
    return { change: evidence.holds ? 'learned' : 'withdrawn', same, other };
  }

  /** The URL that represents all URLs with the same page; most URLs represent themselves. */
  rewrite(url: string): string {
    if (this.#hosts.size === 0) return url;
    const host = this.#hosts.get(originOf(url));
    if (host === undefined || host.holding === 0) return url;
    const rewritten = replaceParts(url, (rules, value) => {
      for (const rule of rules) {
        const evidence = host.rules.get(rule);
        if (evidence?.holds && !isInside(evidence, value)) return evidence;
      }
      return undefined;
    });
    return rewritten === url || (xxh64(url) & TESTED) === 0n ? url : rewritten;
  }

  encode(): Uint8Array {
    const out = new FieldWriter();
    for (const [origin, { rules }] of this.#hosts) {
      out.text(origin);
      out.number(rules.size);
      for (const [rule, { same, other, value, holds, isNumber, texts, low, high }] of rules) {
        out.text(rule);
        out.number(same);
        out.number(other);
        out.time(low);
        out.time(high);
        out.number(texts);
        out.number((isNumber ? 4 : 0) + (holds ? 2 : 0) + (value === undefined ? 0 : 1));
        if (value !== undefined) out.text(value);
      }
    }
    return out.finish();
  }

  /** Restores what `encode` returned, into an empty instance. */
  restore(bytes: Uint8Array): void {
    const fields = new FieldReader(bytes);
    while (!fields.atEnd) {
      const host = this.#hostOf(fields.text());
      for (let left = fields.number(); left > 0; left--) {
        const rule = fields.text();
        const [same, other] = [fields.number(), fields.number()];
        const [low, high] = [fields.time(), fields.time()];
        const texts = fields.number();
        const flags = fields.number();
        const value = (flags & 1) === 0 ? undefined : fields.text();
        const [holds, isNumber] = [(flags & 2) !== 0, (flags & 4) !== 0];
        host.rules.set(rule, { same, other, value, holds, isNumber, texts, low, high });
        if (holds) host.holding++;
      }
    }
  }

  #hostOf(origin: string): HostRules {
    const known = this.#hosts.get(origin);
    if (known) {
      this.#hosts.delete(origin);
      this.#hosts.set(origin, known);
      return known;
    }
    if (this.#hosts.size >= this.#mostHosts) this.#forgetOne();
    const made: HostRules = { rules: new Map(), holding: 0 };
    this.#hosts.set(ownCopy(origin), made);
    return made;
  }

  /** Evicts one of the least recently used hosts, if possible one without rules that hold. */
  #forgetOne(): void {
    let oldest: string | undefined;
    let looked = 0;
    for (const [origin, { holding }] of this.#hosts) {
      oldest ??= origin;
      if (holding === 0) {
        this.#hosts.delete(origin);
        return;
      }
      if (++looked === 64) break;
    }
    if (oldest !== undefined) this.#hosts.delete(oldest);
  }
}

const enoughFor = (rule: string): number => (/[#@]$/.test(rule) ? ENOUGH_NUMBERS : ENOUGH);

/** Whether a value is a number in the range that chooses the page. */
function isInside({ low, high }: Evidence, value: string | undefined): boolean {
  const number = numberIn(value);
  return number !== undefined && number >= low && number <= high;
}

/** A pair within the range that chooses the page says nothing about numbers beyond it. */
function noteSame(
  evidence: Evidence,
  earlier: string | undefined,
  later: string,
  text: number,
): void {
  if (isInside(evidence, earlier) && isInside(evidence, later)) return;
  evidence.same++;
  evidence.texts = (evidence.texts | (1 << text)) >>> 0;
  evidence.isNumber ||= numberIn(earlier) !== undefined && numberIn(later) !== undefined;
  // The first value is kept, but a missing one is better: such URLs are shorter and better known.
  const isFirst = evidence.same === 1 || isInside(evidence, evidence.value);
  if (isFirst || (earlier === undefined && !evidence.holds)) {
    const kept = isInside(evidence, earlier) ? later : earlier;
    evidence.value = kept === undefined ? undefined : ownCopy(kept);
  }
}

/** Numbers widen the range; other values count against the rule. */
function noteOther(evidence: Evidence, values: readonly (string | undefined)[]): void {
  const numbers = values.flatMap((value) => numberIn(value) ?? []);
  if (numbers.length === 0) {
    evidence.other++;
    return;
  }
  const [low, high] = [Math.min(evidence.low, ...numbers), Math.max(evidence.high, ...numbers)];
  if (low === evidence.low && high === evidence.high) return;
  evidence.low = low;
  evidence.high = high;
  evidence.same >>= 1;
}

function evidenceOf(host: HostRules, rule: string): Evidence {
  const known = host.rules.get(rule);
  if (known) return known;
  if (host.rules.size >= MOST_RULES) forgetRule(host);
  const made: Evidence = {
    same: 0,
    other: 0,
    value: undefined,
    holds: false,
    isNumber: false,
    texts: 0,
    low: Infinity,
    high: -Infinity,
  };
  host.rules.set(ownCopy(rule), made);
  return made;
}

/** Evicts the least tested rule, rules that hold last. */
function forgetRule(host: HostRules): void {
  let least: string | undefined;
  let fewest = Infinity;
  for (const [name, { same, other, holds }] of host.rules) {
    const tried = same + other + (holds ? 1e9 : 0);
    if (tried < fewest) [least, fewest] = [name, tried];
  }
  if (least === undefined) return;
  if (host.rules.get(least)?.holds) host.holding--;
  host.rules.delete(least);
}
