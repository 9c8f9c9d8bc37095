/** Whatever a name server answers, a look-up ends with addresses or with a DnsError. */
import { isIP } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createResolver, DnsError, type NameResolver } from '../../src/net/dns.ts';
import {
  PLAIN,
  record,
  TYPE,
  type WireAnswer,
  type WireServer,
  wireAnswer,
  wireServer,
} from './answer-grammar.ts';

let server: WireServer;
let resolver: NameResolver;
let named = 0;

beforeAll(async () => {
  server = await wireServer();
  resolver = createResolver({ servers: [server.address], timeout: 100, tries: 1 });
});
afterAll(async () => {
  resolver.close();
  await server.close();
});

/** The addresses of a name with this answer, or the fault, or what must never be. */
async function resultOf(
  answer: WireAnswer | { readonly [type: number]: WireAnswer },
): Promise<readonly string[] | string> {
  const host = `n${named++}.test`;
  server.answers.set(host, answer);
  try {
    const addresses = await resolver.resolve(host);
    const sound =
      addresses.length > 0 &&
      addresses.length <= 8 &&
      addresses.every(({ ip, family }) => isIP(ip) === family);
    return sound ? addresses.map(({ ip }) => ip) : `unsound: ${JSON.stringify(addresses)}`;
  } catch (error) {
    return error instanceof DnsError ? error.fault : `unsound: ${error}`;
  } finally {
    server.answers.delete(host);
  }
}

const only = (...records: WireAnswer['records']): WireAnswer => ({ ...PLAIN, records });
const FOUR = [192, 0, 2, 1];
const SIX = [0x26, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

describe('a name that leads to no address does not exist:', () => {
  test.each<[string, WireAnswer | { readonly [type: number]: WireAnswer }]>([
    ['nothing at all', PLAIN],
    ['only a CNAME, for both types', only(record(undefined, TYPE.cname, 'gone.test'))],
    [
      'only a CNAME for AAAA, nothing for A',
      { [TYPE.aaaa]: only(record(undefined, TYPE.cname, 'gone.test')) },
    ],
    [
      'only a CNAME for A, nothing for AAAA',
      { [TYPE.a]: only(record(undefined, TYPE.cname, 'gone.test')) },
    ],
    [
      'a CNAME to itself',
      only({ ...record(undefined, TYPE.cname, ''), data: { kind: 'question' } }),
    ],
    [
      'two CNAMEs in a circle',
      only(
        record(undefined, TYPE.cname, 'b.test'),
        record('b.test', TYPE.cname, 'c.test'),
        record('c.test', TYPE.cname, 'b.test'),
      ),
    ],
    ['records of other types', only(record(undefined, TYPE.mx, [0, 1, 0]))],
    [
      'A for the question AAAA and AAAA for A',
      {
        [TYPE.a]: only(record(undefined, TYPE.aaaa, SIX)),
        [TYPE.aaaa]: only(record(undefined, TYPE.a, FOUR)),
      },
    ],
  ])('%s', async (_, answer) => {
    expect(await resultOf(answer)).toBe('dns-not-found');
  });
});

describe('a name has the addresses of', () => {
  test.each<[string, WireAnswer | { readonly [type: number]: WireAnswer }, string]>([
    ['its own A record', only(record(undefined, TYPE.a, FOUR)), '192.0.2.1'],
    [
      'the end of a chain of CNAMEs',
      only(
        record(undefined, TYPE.cname, 'b.test'),
        record('b.test', TYPE.cname, 'c.test'),
        record('c.test', TYPE.a, FOUR),
      ),
      '192.0.2.1',
    ],
    [
      'its AAAA record, when A answers with only a CNAME',
      {
        [TYPE.a]: only(record(undefined, TYPE.cname, 'b.test')),
        [TYPE.aaaa]: only(
          record(undefined, TYPE.cname, 'b.test'),
          record('b.test', TYPE.aaaa, SIX),
        ),
      },
      '2600::1',
    ],
  ])('%s', async (_, answer, ip) => {
    expect(await resultOf(answer)).toEqual([ip]);
  });
});

test('any answer ends in addresses or in a DnsError', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wireAnswer, { minLength: 100, maxLength: 100 }), async (answers) => {
      const results = await Promise.all(answers.map(resultOf));
      const unsound = results.flatMap((result, i) =>
        typeof result === 'string' && result.startsWith('unsound')
          ? [{ result, ...answers[i] }]
          : [],
      );
      expect(unsound).toEqual([]);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
