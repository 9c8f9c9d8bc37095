/**
 * Encodes a host or a domain as the value of a DRUM.
 *
 * Format    see `FieldWriter`, the fields in the order below. Of robots.txt only complete answers
 *           are stored; a request under way starts again. Rules that are too long or too many are
 *           left out, and requested again.
 */
import { isIPv4 } from 'node:net';
import { FieldReader, FieldWriter } from '../base/fields.ts';
import type { Bytes } from '../base/units.ts';
import { rulesFromBytes } from '../robots/parse-robots.ts';
import { Domain, type Host } from './host.ts';

/** Bytes of rules of all origins of a host together: each port may have one. */
const MOST_RULES: Bytes = 64 * 1024;

export function encodeHost(host: Host): Uint8Array {
  const out = new FieldWriter();
  out.text(host.name);
  out.time(host.readyAt);
  out.text(host.givenUp?.fault ?? '');
  out.time(host.givenUp?.until ?? 0);
  out.number(host.failures);
  out.number(host.pages);
  out.number(host.responseTime === undefined ? 0 : 1 + Math.round(host.responseTime));
  out.time(host.addressesExpireAt);
  out.number(host.addresses.length);
  for (const { ip } of host.addresses) out.text(ip);
  let room = MOST_RULES;
  for (const [origin, { rules, expiresAt, crawlDelay }] of host.robots) {
    const bytes = rules?.toBytes();
    if (!bytes || bytes.length + origin.length > room) continue;
    room -= bytes.length + origin.length;
    out.text(origin);
    out.time(expiresAt);
    out.number(crawlDelay);
    out.bytes(bytes);
  }
  return out.finish();
}

/** Fills in a new host; false when the record belongs to another host with the same key. */
export function decodeHost(record: Uint8Array, host: Host): boolean {
  const fields = new FieldReader(record);
  if (fields.text() !== host.name) return false;
  host.readyAt = fields.time();
  const fault = fields.text();
  const until = fields.time();
  if (fault !== '') host.givenUp = { fault, until };
  host.failures = fields.number();
  host.pages = fields.number();
  const responseTime = fields.number();
  if (responseTime > 0) host.responseTime = responseTime - 1;
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
  const { notes } = domain;
  if (notes) out.bytes(notes instanceof Uint8Array ? notes : notes.toBytes());
  return out.finish();
}

export function decodeDomain(record: Uint8Array, domain: Domain): boolean {
  const fields = new FieldReader(record);
  if (fields.text() !== domain.name) return false;
  domain.pages = fields.number();
  // The record is a view that the next one overwrites.
  if (!fields.atEnd) domain.notes = fields.bytes().slice();
  return true;
}

/** The domain of a record. */
export function storedDomain(record: Uint8Array): Domain {
  const domain = new Domain(new FieldReader(record).text());
  decodeDomain(record, domain);
  return domain;
}
