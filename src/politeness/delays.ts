/**
 * Delays of single hosts and addresses, from a file with one entry per line.
 *
 *   # one host; a domain with every host below it; an address, whatever its hosts are called
 *   host www.example.org 100ms
 *   host .example.net 10s
 *   address 192.0.2.1 2s
 *
 * Ensures   the narrowest line decides: the host itself, then the nearest domain above it. A line
 *           that cannot be read, or that repeats another, is refused with its number.
 * Cost      one look-up per label of the name.
 */
import { DrumlinError } from '../base/errors.ts';
import { type Millis, parseDuration } from '../base/units.ts';
import { hostName } from '../net/host-name.ts';
import { parseIp } from '../net/ip-range.ts';

export interface DelayTable {
  /** Requires the name as a canonical URL has it. */
  hostDelay(host: string): Millis | undefined;
  addressDelay(ip: string): Millis | undefined;
}

interface Entry {
  readonly delay: Millis;
  readonly line: number;
}

/** Hosts by name, domains with their dot in front, addresses in one spelling. */
type Entries = { readonly [kind in 'host' | 'address']: Map<string, Entry> };

/** Reads a file of delays; errors name it as `file`. */
export function parseDelays(text: string, file: string): DelayTable {
  const entries: Entries = { host: new Map(), address: new Map() };
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0].startsWith('#')) continue;
    addLine(entries, words, i + 1, (fact, remedy) => {
      throw new DrumlinError('DELAYS', `${file}:${i + 1}: ${fact}`, remedy);
    });
  }
  return {
    hostDelay: (host) => (entries.host.size === 0 ? undefined : nearest(entries.host, host)?.delay),
    addressDelay: (ip) =>
      entries.address.size === 0 ? undefined : entries.address.get(addressKey(ip) ?? '')?.delay,
  };
}

type Refuse = (fact: string, remedy: string) => never;

function addLine(entries: Entries, words: readonly string[], line: number, refuse: Refuse): void {
  const [kind, name, time, ...more] = words;
  if ((kind !== 'host' && kind !== 'address') || time === undefined || more.length > 0) {
    refuse(
      `"${words.join(' ')}" is no delay.`,
      'Write "host example.org 10s", "host .example.org 10s" or "address 192.0.2.1 2s".',
    );
  }
  const key = kind === 'host' ? hostName(name) : addressKey(name);
  if (key === undefined) {
    refuse(
      `"${name}" is not ${kind === 'host' ? 'a host' : 'an address'}.`,
      kind === 'host'
        ? 'Write a name without port, like example.org or .example.org.'
        : 'Write it like 192.0.2.1 or 2001:db8::1.',
    );
  }
  const earlier = entries[kind].get(key);
  if (earlier !== undefined)
    refuse(`${kind} ${name} has a delay in line ${earlier.line} already.`, 'Remove one of them.');
  entries[kind].set(key, { delay: delayOf(time, refuse), line });
}

function delayOf(time: string, refuse: Refuse): Millis {
  try {
    return parseDuration(time);
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    return refuse(error.fact, error.remedy);
  }
}

/** One spelling for each address: IPv6 has many. */
function addressKey(ip: string): string | undefined {
  const parsed = parseIp(ip);
  return parsed && (parsed.family === 4 ? ip : parsed.bits.toString(16));
}

/** Looks for the host, then the domain of its name, then each domain above it. */
function nearest(hosts: ReadonlyMap<string, Entry>, host: string): Entry | undefined {
  const own = hosts.get(host) ?? hosts.get(`.${host}`);
  if (own !== undefined) return own;
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
    const entry = hosts.get(host.slice(dot));
    if (entry !== undefined) return entry;
  }
  return undefined;
}
