import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { parseDelays } from '../../src/politeness/delays.ts';

const FILE = `
# ours, theirs
host www.example.org 100ms
host .example.org 10s
host .slow.example.org 1m
host example.net 0

  host   .ORG.  20s
host 192.0.2.9 7s
host [2001:DB8::9] 8s
host Bücher.example 9s
address 192.0.2.1 2s
address 2001:db8::1 3s
`;

describe('a file of delays', () => {
  const delays = parseDelays(FILE, 'delays.txt');

  test.each([
    ['www.example.org', 100],
    ['example.org', 10_000],
    ['a.b.example.org', 10_000],
    ['slow.example.org', 60_000],
    ['x.slow.example.org', 60_000],
    ['notexample.org', 20_000],
    ['example.net', 0],
    ['www.example.net', undefined],
    ['192.0.2.9', 7000],
    ['192.0.2.1', undefined],
    ['[2001:db8::9]', 8000],
    ['xn--bcher-kva.example', 9000],
    ['org', 20_000],
    ['example.com', undefined],
    ['localhost', undefined],
    ['', undefined],
  ])('gives the host %s the delay of its narrowest line: %s ms', (host, delay) => {
    expect(delays.hostDelay(host)).toBe(delay);
  });

  test.each([
    ['192.0.2.1', 2000],
    ['192.0.2.2', undefined],
    ['2001:db8::1', 3000],
    ['2001:0db8:0:0:0:0:0:1', 3000],
    ['2001:DB8::0.0.0.1', 3000],
    ['2001:db8::2', undefined],
    ['192.0.2.9', undefined],
    ['nonsense', undefined],
  ])('gives the address %s, in whatever spelling, the delay %s ms', (ip, delay) => {
    expect(delays.addressDelay(ip)).toBe(delay);
  });

  test('may be empty, begin with a byte order mark, and use the line ends of any system', () => {
    expect(parseDelays('', 'x').hostDelay('a.org')).toBeUndefined();
    expect(parseDelays('', 'x').addressDelay('192.0.2.1')).toBeUndefined();
    expect(parseDelays('\uFEFFhost a.org 1s\r\nhost b.org 2s', 'x').hostDelay('a.org')).toBe(1000);
  });

  test.each([
    ['hots a.org 1s', '"hots a.org 1s" is no delay. Write "host example.org 10s"'],
    ['host a.org', '"host a.org" is no delay.'],
    ['host a.org 1s please', '"host a.org 1s please" is no delay.'],
    ['host a.org 10x', '"10x" is not a time. Write it like 250ms, 10s, 5m or 2h.'],
    ['host a.org -1s', '"-1s" is not a time.'],
    ['host a.org:8080 1s', '"a.org:8080" is not a host. Write a name without port'],
    ['host http://a.org/ 1s', '"http://a.org/" is not a host.'],
    ['host a.org/x 1s', '"a.org/x" is not a host.'],
    ['host me@a.org 1s', '"me@a.org" is not a host.'],
    ['host * 1s', '"*" is not a host.'],
    ['host . 1s', '"." is not a host.'],
    ['host .2.1 1s', '".2.1" is not a host.'],
    ['host .192.0.2.1 1s', '".192.0.2.1" is not a host.'],
    ['host 2001:db8::1 1s', '"2001:db8::1" is not a host.'],
    ['address a.org 1s', '"a.org" is not an address. Write it like 192.0.2.1 or 2001:db8::1.'],
    ['address 192.0.2.0/24 1s', '"192.0.2.0/24" is not an address.'],
    ['address 192.0.2.01 1s', '"192.0.2.01" is not an address.'],
    [
      'host A.ORG 1s\nhost a.org 2s',
      'host a.org has a delay in line 2 already. Remove one of them.',
    ],
    ['address ::1 1s\naddress 0::1 1s', 'address 0::1 has a delay in line 2 already.'],
  ])('"%s" is refused with file and line', (lines, words) => {
    const line = 1 + lines.split('\n').length;
    expect(() => parseDelays(`# first\n${lines}\n`, 'd.txt')).toThrow(`d.txt:${line}: ${words}`);
  });

  test('is read, or refused in one sentence, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('host', 'address', ''),
        fc.string(),
        fc.string(),
        (kind, name, rest) => {
          try {
            parseDelays(`${kind} ${name} ${rest} 1s`, 'f').hostDelay(name);
          } catch (error) {
            expect(error).toBeInstanceOf(DrumlinError);
            expect((error as DrumlinError).message).toMatch(/^f:\d+: /);
          }
        },
      ),
    );
  });

  test('agrees with a scan of all lines, whatever they are', () => {
    const label = fc.constantFrom('a', 'b', 'c');
    const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const key = fc.tuple(fc.constantFrom('', '.'), host).map(([dot, name]) => dot + name);
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 8 }), host, (keys, asked) => {
        const table = parseDelays(keys.map((k, i) => `host ${k} ${i}ms`).join('\n'), 'f');
        const covers = (k: string) => (k.startsWith('.') ? `.${asked}`.endsWith(k) : k === asked);
        const narrowness = (k: string) => (k.startsWith('.') ? k.length : Infinity);
        const best = keys.filter(covers).sort((a, b) => narrowness(b) - narrowness(a))[0];
        expect(table.hostDelay(asked)).toBe(best === undefined ? undefined : keys.indexOf(best));
      }),
      { numRuns: 500 },
    );
  });
});
