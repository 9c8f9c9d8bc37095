import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RCODE, readQuery, writeResponse } from '../../src/lab/server/dns-message.ts';
import { startDns } from '../../src/lab/server/dns-server.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { resolve, withBehaviour } from './client.ts';

/** A query for a name, by default of type A. */
function queryFor(name: string, type = 1, id = 7): Buffer {
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([
    id >> 8,
    id & 255,
    1,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    ...labels,
    0,
    type >> 8,
    type & 255,
    0,
    1,
  ]);
}

async function ask(lab: Pick<Lab, 'dns'>, ...packets: Buffer[]): Promise<Buffer> {
  const socket = createSocket('udp4');
  const [host, port] = lab.dns.split(':');
  for (const packet of packets) socket.send(packet, Number(port), host);
  const [answer] = (await once(socket, 'message')) as [Buffer];
  socket.close();
  return answer;
}

let lab: Lab;
beforeAll(async () => {
  lab = await startLab({ domains: 2000, pages: 20 });
});
afterAll(() => lab.close());

describe('the name server', () => {
  test('gives one address in 127.0.0.0/8, with a time to live', async () => {
    const answer = await ask(lab, queryFor(new URL(lab.seeds[0]).hostname));
    expect(answer.readUInt16BE(0)).toBe(7);
    expect(answer.readUInt16BE(6)).toBe(1);
    expect(answer.readUInt32BE(answer.length - 10)).toBe(300);
    expect(answer[answer.length - 4]).toBe(127);
  });

  test('answers AAAA with no record and no error, and unknown names with NXDOMAIN', async () => {
    const six = await ask(lab, queryFor(new URL(lab.seeds[0]).hostname, 28));
    expect([six[3] & 15, six.readUInt16BE(6)]).toEqual([RCODE.noError, 0]);
    const unknown = await ask(lab, queryFor('no.such.name.test'));
    expect(unknown[3] & 15).toBe(RCODE.nameError);
  });

  test('reads names in any case', async () => {
    const name = new URL(lab.seeds[0]).hostname;
    expect(await resolve(lab, name.toUpperCase())).toBe(await resolve(lab, name));
  });

  test('survives packets that are no queries', async () => {
    const good = queryFor(new URL(lab.seeds[0]).hostname);
    const bad = [
      Buffer.alloc(0),
      Buffer.alloc(3),
      Buffer.alloc(600, 255),
      good.subarray(0, 20),
      Buffer.alloc(17, 64),
    ];
    expect((await ask(lab, ...bad, good)).readUInt16BE(0)).toBe(7);
  });

  test('puts about eight domains on an address, and hundreds on the largest machine', () => {
    const hosts = new Map<string, number>();
    const count = 2000;
    for (let index = 0; index < count; index++) {
      const address = lab.web.addressOf(lab.web.domains.at(index).hostName(0)) as string;
      hosts.set(address, (hosts.get(address) ?? 0) + 1);
    }
    expect(count / hosts.size).toBeGreaterThan(4);
    expect(count / hosts.size).toBeLessThan(12);
    expect(Math.max(...hosts.values())).toBeGreaterThan(count / 8);
  });
});

test('readQuery never throws, and what it reads can be answered', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.uint8Array({ maxLength: 12 }),
      (tail, noise) => {
        const header = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for (const packet of [noise, tail, Uint8Array.from([...header, ...tail])]) {
          const query = readQuery(packet);
          if (!query) continue;
          const answer = writeResponse(query, RCODE.noError, { address: '127.0.0.1', seconds: 1 });
          expect(answer.length).toBe(12 + query.question.length + 16);
        }
      },
    ),
  );
});

describe('names that fail', () => {
  test.each([
    ['dns-nxdomain', 'ENOTFOUND'],
    ['dns-servfail', 'ESERVFAIL'],
    ['dns-silent', 'ETIMEOUT'],
  ] as const)("'%s' ends in %s", async (behaviour, code) => {
    await withBehaviour(behaviour, async (lab, url) => {
      await expect(resolve(lab, new URL(url).hostname, 200)).rejects.toMatchObject({ code });
    });
  });

  test("'dns-late' answers, but late", async () => {
    await withBehaviour('dns-late', async (lab, url) => {
      const start = performance.now();
      expect(await resolve(lab, new URL(url).hostname)).toMatch(/^127\./);
      expect(performance.now() - start).toBeGreaterThanOrEqual(75);
    });
  });

  test("'dns-private' leads into a private network", async () => {
    await withBehaviour('dns-private', async (lab, url) => {
      expect(await resolve(lab, new URL(url).hostname)).toMatch(
        /^(?:192\.168|10\.0|172\.16|169\.254)\./,
      );
    });
  });
});

test('a name that the web cannot look up is answered SERVFAIL, and the next as usual', async () => {
  const server = await startDns(0, (name) => {
    if (name === 'bad.test') throw new Error('no such thing');
    return { rcode: RCODE.noError, address: '127.0.0.9' };
  });
  const dns = `127.0.0.1:${server.port}`;
  const codes = [];
  for (const name of ['bad.test', 'good.test'])
    codes.push((await ask({ dns }, queryFor(name)))[3] & 15);
  expect(codes).toEqual([RCODE.serverFailure, RCODE.noError]);
  await server.close();
});
