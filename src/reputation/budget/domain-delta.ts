/**
 * The changes of a domain's record, as values that a DRUM combines: edges were discovered, a score
 * was estimated, the operator decided, a verdict on spam was given, budgets changed, a URL asks for
 * a place.
 *
 * Idea      A DRUM stores the first value of a key unchanged. So a change that may be a domain's
 *           first carries the whole record that it makes of an unknown domain. That value is read
 *           as the record until the next change.
 *
 *           The budget is *in* the record. Placing a URL uses the stored budget, and checks
 *           afterwards whether it is of the present version; every other change computes it anew.
 *           So an answer depends on the record alone, not on the time of the merge, and the caller
 *           finds the place by repeating `placeUrl`.
 *
 *           URLs of a domain that come together ask together: one change for all of them, each
 *           placed after the one before.
 * Ensures   a change of the budgets reaches a domain at the latest after the next URLs that ask
 *           together.
 */
import { FieldReader, FieldWriter } from '../../base/fields.ts';
import type { Combine } from '../../drum/combine.ts';
import {
  type DomainRecord,
  isNameless,
  type Ledger,
  ledgerAt,
  type OpenRecord,
  openRecord,
  RECORD,
  readRecord,
  writeOpened,
  writeRecord,
} from './domain-record.ts';
import { type Allowance, place, type Rounds, repriced } from './place.ts';

/** The budget of a domain: whole, not negative. */
export type BudgetOf = (record: Readonly<DomainRecord>) => number;

export interface Prices {
  /** From 1; every change of `budgetOf` has its own. */
  readonly version: number;
  readonly budgetOf: BudgetOf;
}

/** The number of a round, later, or never. */
export type Place = number | 'later' | 'blocked';

/** The rounds that URLs can go in. */
export interface Request extends Rounds {
  /** They were put off before, and are counted as put off. */
  readonly again: boolean;
}

export const EDGES = 1;
export const SUPPORTERS = 2;
export const OVERRIDE = 3;
export const PRICE = 4;
export const POSTPONE = 5;
export const FETCHED = 8;
export const SPAM = 9;
export const IN_DEGREE = 10;
/**
 * A request for places, with the record of an unknown domain. Then follow: twice the number of URLs
 * after the first, plus one for `again`; `round`; `last`.
 */
const PLACE_NEW = 6;
const PLACE = 7;

/** Finds the place for a URL and enters it into the ledger. */
export function placeUrl(ledger: Ledger, request: Request): Place {
  if (request.again && ledger.later > 0) ledger.later--;
  else ledger.urls++;
  if (ledger.blocked) {
    ledger.refused++;
    return 'blocked';
  }
  const next = place(ledger, ledger.budget, request);
  if (!next) {
    ledger.later++;
    return 'later';
  }
  enter(ledger, next);
  return next.nextRound;
}

/**
 * A change with the record that it makes of an unknown domain. A view, valid until `out` is used
 * again.
 */
export function changeTo(kind: number, record: DomainRecord, out: FieldWriter): Uint8Array {
  out.clear();
  out.number(kind);
  writeRecord(out, record);
  return out.finish();
}

/**
 * A request for the places of `urls` URLs. `newcomer`, the record with these places, is required
 * unless the domain is known.
 */
export function requestFor(
  request: Request,
  urls: number,
  newcomer: DomainRecord | undefined,
  out: FieldWriter,
): Uint8Array {
  out.clear();
  out.number(newcomer ? PLACE_NEW : PLACE);
  out.number(2 * (urls - 1) + (request.again ? 1 : 0));
  out.number(request.round);
  out.number(request.last);
  if (newcomer) writeRecord(out, newcomer);
  return out.finish();
}

export const storedRecord = (value: Uint8Array): DomainRecord => readRecord(recordIn(value));

export const storedLedger = (value: Uint8Array): Ledger => ledgerAt(recordIn(value));

/** How a DRUM combines a change with a stored record, at the current `prices`. */
export function changing(prices: Prices): Combine {
  // Used in turn: the result of the last call is read while this one writes.
  const buffers = [new FieldWriter(), new FieldWriter()];
  let turn = 0;
  return (old, next) => {
    turn = 1 - turn;
    const out = buffers[turn];
    const fields = new FieldReader(next);
    const kind = fields.number();
    if (kind === RECORD) return next;
    if (kind !== PLACE && kind !== PLACE_NEW) {
      return priced(changed(storedRecord(old), kind, readRecord(fields)), prices, out);
    }
    const asked = fields.number();
    const request = { again: asked % 2 === 1, round: fields.number(), last: fields.number() };
    const opened = openRecord(recordIn(old));
    for (let more = Math.floor(asked / 2); more >= 0; more--) placeUrl(opened.ledger, request);
    const isFirstWithName = kind === PLACE_NEW && isNameless(opened);
    if (!isFirstWithName && opened.ledger.version === prices.version) return reopened(opened, out);
    const record = Object.assign(storedRecord(old), opened.ledger);
    return priced(isFirstWithName ? named(record, readRecord(fields)) : record, prices, out);
  };
}

function reopened(opened: OpenRecord, out: FieldWriter): Uint8Array {
  out.clear();
  out.number(RECORD);
  writeOpened(out, opened);
  return out.finish();
}

function priced(record: DomainRecord, { version, budgetOf }: Prices, out: FieldWriter): Uint8Array {
  const budget = budgetOf(record);
  enter(record, repriced(record, record.budget, budget));
  record.budget = budget;
  record.version = version;
  return changeTo(RECORD, record, out);
}

function enter(ledger: Ledger, { nextRound, used, most, held, heldUntil }: Allowance): void {
  ledger.nextRound = nextRound;
  ledger.used = used;
  ledger.most = most;
  ledger.held = held;
  ledger.heldUntil = heldUntil;
}

function changed(record: DomainRecord, kind: number, change: DomainRecord): DomainRecord {
  if (kind === FETCHED) {
    record.pages += change.pages;
  } else if (kind === EDGES) {
    record.inDegree += change.inDegree;
    record.cash += change.cash;
  } else if (kind === IN_DEGREE) {
    record.inDegree = change.inDegree;
  } else if (kind === SUPPORTERS) {
    record.supporters = change.supporters;
    record.exchangesLinks = change.exchangesLinks;
  } else if (kind === POSTPONE) {
    record.later += change.later;
  } else if (kind === OVERRIDE) {
    record.override = change.override;
    record.blocked = change.blocked;
  } else if (kind === SPAM) {
    record.spam = change.spam;
  }
  // The verdict by the name alone, which comes with the name, is only the first one.
  record.spam ??= change.spam;
  return record.name === '' && change.name !== '' ? named(record, change) : record;
}

function named(record: DomainRecord, { name, firstSeen, spam }: DomainRecord): DomainRecord {
  record.name = name;
  record.spam ??= spam;
  if (record.firstSeen === 0) record.firstSeen = firstSeen;
  return record;
}

/** The fields of the record in a value, whichever change it came with. */
function recordIn(value: Uint8Array): FieldReader {
  const fields = new FieldReader(value);
  if (fields.number() === PLACE_NEW) for (let i = 0; i < 3; i++) fields.number();
  return fields;
}
