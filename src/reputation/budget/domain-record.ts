/**
 * What is known of a domain, as the bytes of a DRUM value.
 *
 * Format    see `FieldWriter`: the kind of the value, flags, the ledger, and one field with
 *           everything that placing a URL never touches. The kind is `RECORD`, or the change that
 *           made the domain known, with fields of its own (domain-delta.ts). The last field holds
 *           pages, in-degree, first seen; cash, supporters, the operator's budget and the verdict
 *           on spam where the flags say so; the name. One flag says that it exchanges links.
 * Idea      Most changes place a URL. They rewrite a dozen bytes and copy the rest unread.
 */
import { type FieldReader, FieldWriter } from '../../base/fields.ts';
import type { Allowance } from './place.ts';

/**
 * The operator's decision in place of the policy: a budget, blocked, or trusted (the budget of the
 * best domain).
 */
export type Override = number | 'blocked' | 'trusted';

/** The part of a record that changes with every URL. */
export interface Ledger extends Allowance {
  nextRound: number;
  used: number;
  most: number;
  held: number;
  heldUntil: number;
  /** URLs a round, as computed last. */
  budget: number;
  /** Version of the budgets it was computed by; 0 if never. */
  version: number;
  /** URLs that passed the sieve: all that were placed, put off, or refused. */
  urls: number;
  /** URLs put off at present. */
  later: number;
  /** URLs refused because the domain was blocked. */
  refused: number;
  blocked: boolean;
}

export interface DomainRecord extends Ledger {
  /** The name; empty while only the key is known. */
  name: string;
  /** Pages fetched from it. */
  pages: number;
  /** Domains that link to it. */
  inDegree: number;
  cash: number;
  /** The last estimate; undefined before the first. */
  supporters: number | undefined;
  /** By the same estimate it exchanges links (rank/supporters/link-exchanges.ts). */
  exchangesLinks: boolean;
  /** Seconds since 1970. */
  firstSeen: number;
  override: Override | undefined;
  /** The probability that it is spam, by the last verdict; undefined before the first. */
  spam: number | undefined;
}

export const RECORD = 0;

const HAS_CASH = 1;
const HAS_SUPPORTERS = 2;
const HAS_BUDGET = 4;
const BLOCKED = 8;
const TRUSTED = 16;
const NAMELESS = 32;
const HAS_SPAM = 64;
const EXCHANGES_LINKS = 128;
/** Verdicts are stored in steps of one in so many. */
const SPAM_STEPS = 10_000;

/**
 * One literal for all ledgers, as for records below, because a million of them are made a second.
 */
export function newLedger(): Ledger {
  return {
    nextRound: 0,
    used: 0,
    most: 0,
    held: 0,
    heldUntil: 0,
    budget: 0,
    version: 0,
    urls: 0,
    later: 0,
    refused: 0,
    blocked: false,
  };
}

export function newRecord(name: string, firstSeen: number): DomainRecord {
  return {
    nextRound: 0,
    used: 0,
    most: 0,
    held: 0,
    heldUntil: 0,
    budget: 0,
    version: 0,
    urls: 0,
    later: 0,
    refused: 0,
    blocked: false,
    name,
    pages: 0,
    inDegree: 0,
    cash: 0,
    supporters: undefined,
    exchangesLinks: false,
    firstSeen,
    override: undefined,
    spam: undefined,
  };
}

export function writeRecord(out: FieldWriter, record: DomainRecord): void {
  const { cash, supporters, override, spam } = record;
  out.number(flagsOf(record));
  writeLedger(out, record);
  const rest = new FieldWriter();
  rest.number(record.pages);
  rest.number(record.inDegree);
  rest.number(record.firstSeen);
  if (cash !== 0) rest.time(cash);
  if (supporters !== undefined) rest.time(supporters);
  if (typeof override === 'number') rest.number(override);
  if (spam !== undefined) rest.number(Math.round(spam * SPAM_STEPS));
  rest.text(record.name);
  out.bytes(rest.finish());
}

export function readRecord(fields: FieldReader): DomainRecord {
  const record = newRecord('', 0);
  const flags = fields.number();
  readLedger(fields, flags, record);
  // The length of the last field: a reader of its own for it would cost more than the rest.
  fields.number();
  record.pages = fields.number();
  record.inDegree = fields.number();
  record.firstSeen = fields.number();
  if (flags & HAS_CASH) record.cash = fields.time();
  if (flags & HAS_SUPPORTERS) record.supporters = fields.time();
  record.exchangesLinks = (flags & EXCHANGES_LINKS) !== 0;
  if (flags & HAS_BUDGET) record.override = fields.number();
  else if (flags & (BLOCKED | TRUSTED)) record.override = flags & BLOCKED ? 'blocked' : 'trusted';
  if (flags & HAS_SPAM) record.spam = fields.number() / SPAM_STEPS;
  record.name = fields.text();
  return record;
}

/** The ledger of a record, and all that is needed to write the record again with another ledger. */
export interface OpenRecord {
  readonly ledger: Ledger;
  readonly flags: number;
  readonly rest: Uint8Array;
}

export function openRecord(fields: FieldReader): OpenRecord {
  const flags = fields.number();
  const ledger = newLedger();
  readLedger(fields, flags, ledger);
  return { ledger, flags, rest: fields.bytes() };
}

export function writeOpened(out: FieldWriter, { ledger, flags, rest }: OpenRecord): void {
  out.number(flags);
  writeLedger(out, ledger);
  out.bytes(rest);
}

export const isNameless = ({ flags }: OpenRecord): boolean => (flags & NAMELESS) !== 0;

/** The ledger at the reader's position, for callers that need nothing else. */
export function ledgerAt(fields: FieldReader): Ledger {
  const ledger = newLedger();
  readLedger(fields, fields.number(), ledger);
  return ledger;
}

function flagsOf(record: DomainRecord): number {
  const { name, cash, supporters, exchangesLinks, override, spam } = record;
  return (
    (cash !== 0 ? HAS_CASH : 0) |
    (supporters !== undefined ? HAS_SUPPORTERS : 0) |
    (typeof override === 'number' ? HAS_BUDGET : 0) |
    (override === 'blocked' ? BLOCKED : 0) |
    (override === 'trusted' ? TRUSTED : 0) |
    (name === '' ? NAMELESS : 0) |
    (spam !== undefined ? HAS_SPAM : 0) |
    (exchangesLinks ? EXCHANGES_LINKS : 0)
  );
}

function writeLedger(out: FieldWriter, ledger: Ledger): void {
  out.number(ledger.nextRound);
  out.number(ledger.used);
  out.number(ledger.most);
  out.number(ledger.held);
  out.number(ledger.heldUntil);
  out.number(ledger.budget);
  out.number(ledger.version);
  out.number(ledger.urls);
  out.number(ledger.later);
  out.number(ledger.refused);
}

function readLedger(fields: FieldReader, flags: number, into: Ledger): void {
  into.nextRound = fields.number();
  into.used = fields.number();
  into.most = fields.number();
  into.held = fields.number();
  into.heldUntil = fields.number();
  into.budget = fields.number();
  into.version = fields.number();
  into.urls = fields.number();
  into.later = fields.number();
  into.refused = fields.number();
  into.blocked = (flags & BLOCKED) !== 0;
}
