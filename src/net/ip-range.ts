/**
 * IP addresses and CIDR ranges as numbers.
 *
 * Ensures   `parseIp` accepts exactly what connects: dotted quads without leading zeros, and IPv6
 *           without a zone. Everything else is undefined, so that an odd spelling never passes for
 *           a harmless address.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { DrumlinError } from '../base/errors.ts';

export interface Ip {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface IpRange {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly prefix: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

export function parseIp(text: string): Ip | undefined {
  if (isIPv4(text)) return { family: 4, bits: bitsOfV4(text) };
  if (isIPv6(text) && !text.includes('%')) return { family: 6, bits: bitsOfV6(text) };
  return undefined;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address; bits after the prefix must be zero. */
export function parseRange(text: string): IpRange {
  const [address, length, more] = text.trim().split('/');
  const ip = parseIp(address);
  const width = ip === undefined ? 0 : WIDTH[ip.family];
  const prefix = length === undefined ? width : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (ip === undefined || more !== undefined || prefix < 0 || prefix > width) {
    throw new DrumlinError(
      'IP_RANGE',
      `"${text}" is not an IP range.`,
      'Write it like 10.0.0.0/8 or fd00::/8.',
    );
  }
  const range = { family: ip.family, first: ip.bits, prefix };
  if (ip.bits & ((1n << BigInt(width - prefix)) - 1n)) {
    throw new DrumlinError(
      'IP_RANGE',
      `"${text}" has bits set after its first ${prefix}.`,
      'Write the first address of the range.',
    );
  }
  return range;
}

export function inRange(ip: Ip, range: IpRange): boolean {
  const host = BigInt(WIDTH[ip.family] - range.prefix);
  return ip.family === range.family && ip.bits >> host === range.first >> host;
}

function bitsOfV4(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOfV6(text: string): bigint {
  // A dotted tail stands for the last two groups.
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted !== null) {
    const tail = bitsOfV4(dotted[2]);
    return bitsOfV6(`${dotted[1]}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`);
  }
  const [left, right] = text.split('::');
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce(
    (bits, group) => (bits << 16n) | BigInt(`0x${group}`),
    0n,
  );
}
