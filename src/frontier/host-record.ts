/**
 * A host or a domain as the bytes of a DRUM value.
 *
 * Format    one byte of version, then the fields in order: numbers as varints, times as f64 (milliseconds), texts in latin1
 *           with their length before them. Of robots.txt only what was answered is kept; an inquiry that is under way
 *           begins anew. Rules too long to be stored are left out, and asked for again.
 */
import { isIPv4 } from 'node:net';
import { VarintReader, varintSize, writeVarint } from '../disk/varint.ts';
import { rulesFromBytes } from '../fetch/robots.ts';
import type { Domain, Host } from './host.ts';

const VERSION = 1;

export function encodeHost(host: Host): Uint8Array {
  const out = new FieldWriter();
  out.text(host.name);
  out.time(host.readyAt);
  out.text(host.givenUp?.fault ?? '');
  out.time(host.givenUp?.until ?? 0);
  out.number(host.failures);
  out.number(host.pages);
  out.number(Math.round(host.responseTime));
  out.time(host.addressesExpireAt);
  out.number(host.addresses.length);
  for (const { ip } of host.addresses) out.text(ip);
  for (const [origin, { rules, expiresAt, crawlDelay }] of host.robots) {
    const bytes = rules?.toBytes();
    if (!bytes) continue;
    out.text(origin);
    out.time(expiresAt);
    out.number(crawlDelay);
    out.bytes(bytes);
  }
  return out.finish();
}

/** Fills in a new host; false when the record is another host's, of the same key. */
export function decodeHost(record: Uint8Array, host: Host): boolean {
  const fields = new FieldReader(record);
  if (fields.text() !== host.name) return false;
  host.readyAt = fields.time();
  const fault = fields.text();
  const until = fields.time();
  if (fault !== '') host.givenUp = { fault, until };
  host.failures = fields.number();
  host.pages = fields.number();
  host.responseTime = fields.number();
  host.addressesExpireAt = fields.time();
  host.addresses = Array.from({ length: fields.number() }, () => {
    const ip = fields.text();
    return { ip, family: isIPv4(ip) ? 4 : 6 };
  });
  while (!fields.atEnd) {
    const origin = fields.text();
    const expiresAt = fields.time();
    const crawlDelay = fields.number();
    const rules = rulesFromBytes(fields.bytes());
    const inquiry = { url: `${origin}/robots.txt`, hops: 0, failures: 0 };
    host.robots.set(origin, { rules, expiresAt, crawlDelay, inquiry });
  }
  return true;
}

export function encodeDomain(domain: Domain): Uint8Array {
  const out = new FieldWriter();
  out.text(domain.name);
  out.number(domain.pages);
  return out.finish();
}

export function decodeDomain(record: Uint8Array, domain: Domain): boolean {
  const fields = new FieldReader(record);
  if (fields.text() !== domain.name) return false;
  domain.pages = fields.number();
  return true;
}

class FieldWriter {
  #buffer = Buffer.allocUnsafe(256);
  #length = 0;

  constructor() {
    this.number(VERSION);
  }

  number(value: number): void {
    this.#reserve(varintSize(value));
    this.#length = writeVarint(this.#buffer, this.#length, value);
  }

  time(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  text(value: string): void {
    this.bytes(Buffer.from(value, 'latin1'));
  }

  bytes(value: Uint8Array): void {
    this.number(value.length);
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#length + more));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}

class FieldReader {
  readonly #reader: VarintReader;

  constructor(record: Uint8Array) {
    this.#reader = new VarintReader(record);
    if (this.number() !== VERSION) throw new Error('a host record of another version');
  }

  get atEnd(): boolean {
    return this.#reader.at >= this.#reader.bytes.length;
  }

  number(): number {
    return this.#reader.next();
  }

  time(): number {
    const { buffer, byteOffset } = this.#reader.take(8);
    return new DataView(buffer, byteOffset, 8).getFloat64(0, true);
  }

  text(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  bytes(): Uint8Array {
    return this.#reader.take(this.#reader.next());
  }
}
