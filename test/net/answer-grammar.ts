/**
 * A grammar of DNS answers, from valid to broken in every field, and a server that sends them.
 *
 * Idea      An answer is a description (`WireAnswer`), and `bytesOf` makes bytes of it. The server
 *           speaks UDP and TCP, because a truncated answer makes the client ask again over TCP.
 */
import dgram from 'node:dgram';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import fc from 'fast-check';

export const TYPE = { a: 1, ns: 2, cname: 5, soa: 6, mx: 15, txt: 16, aaaa: 28, opt: 41 } as const;

/** How a name is written in an answer. */
export type WireName =
  | { readonly kind: 'question' }
  | { readonly kind: 'plain'; readonly name: string }
  /** A pointer to any place of the message: forwards, beyond its end, into a record. */
  | { readonly kind: 'pointer'; readonly to: number }
  | { readonly kind: 'loop' }
  | { readonly kind: 'long'; readonly labels: number }
  | { readonly kind: 'endless' };

export interface WireRecord {
  readonly owner: WireName;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly data: Uint8Array | WireName;
  /** Added to the stated length of the data. */
  readonly lengthError: number;
}

export interface WireAnswer {
  readonly sends: 'once' | 'twice' | 'nothing';
  readonly id: 'right' | 'wrong';
  readonly isResponse: boolean;
  readonly truncated: boolean;
  readonly code: number;
  readonly question: 'same' | 'none' | 'other' | 'other case';
  readonly records: readonly WireRecord[];
  readonly authority: readonly WireRecord[];
  /** Added to the stated number of records. */
  readonly countError: number;
  /** How many bytes of the message are sent; undefined: all. */
  readonly cutAt: number | undefined;
  /** Bytes after the message. */
  readonly tail: Uint8Array;
  /** Milliseconds before it is sent. */
  readonly delay?: number;
}

export const PLAIN: WireAnswer = {
  sends: 'once',
  id: 'right',
  isResponse: true,
  truncated: false,
  code: 0,
  question: 'same',
  records: [],
  authority: [],
  countError: 0,
  cutAt: undefined,
  tail: new Uint8Array(),
};

export const record = (
  owner: string | undefined,
  type: number,
  data: readonly number[] | string,
): WireRecord => ({
  owner: owner === undefined ? { kind: 'question' } : { kind: 'plain', name: owner },
  type,
  class: 1,
  ttl: 300,
  data: typeof data === 'string' ? { kind: 'plain', name: data } : Uint8Array.from(data),
  lengthError: 0,
});

const usually = <T>(value: T, rarely: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: rarely });

const name: fc.Arbitrary<WireName> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<WireName>({ kind: 'question' }) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('a.test', 'b.test', 'c.test')
      .map((text): WireName => ({ kind: 'plain', name: text })),
  },
  fc.constant<WireName>({ kind: 'loop' }),
  fc.constant<WireName>({ kind: 'endless' }),
  fc.integer({ min: 0, max: 0x3fff }).map((to): WireName => ({ kind: 'pointer', to })),
  fc.integer({ min: 4, max: 200 }).map((labels): WireName => ({ kind: 'long', labels })),
);

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });

const data: fc.Arbitrary<readonly [type: number, data: Uint8Array | WireName]> = fc.oneof(
  bytes(4).map((ip) => [TYPE.a, ip] as const),
  bytes(16).map((ip) => [TYPE.aaaa, ip] as const),
  name.map((target) => [TYPE.cname, target] as const),
  fc.tuple(
    fc.oneof(fc.constantFrom(...Object.values(TYPE)), fc.nat({ max: 0xffff })),
    fc.oneof(fc.uint8Array({ maxLength: 40 }), name),
  ),
);

const wireRecord: fc.Arbitrary<WireRecord> = fc
  .record({
    pair: data,
    owner: name,
    class: usually(1, fc.constantFrom(0, 3, 254, 255, 0xffff)),
    ttl: usually(300, fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff)),
    lengthError: usually(0, fc.integer({ min: -8, max: 300 })),
  })
  .map(({ pair: [type, content], ...rest }) => ({ ...rest, type, data: content }));

/** Any answer. Most fields are valid in most answers, so that each fault is met alone too. */
export const wireAnswer: fc.Arbitrary<WireAnswer> = fc.record({
  sends: usually<WireAnswer['sends']>('once', fc.constantFrom('twice', 'nothing')),
  id: usually<WireAnswer['id']>('right', fc.constant('wrong')),
  isResponse: usually(true, fc.constant(false)),
  truncated: usually(false, fc.constant(true)),
  code: usually(0, fc.nat({ max: 15 })),
  question: usually<WireAnswer['question']>('same', fc.constantFrom('none', 'other', 'other case')),
  records: fc.oneof(
    { weight: 9, arbitrary: fc.array(wireRecord, { maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array(wireRecord, { minLength: 200, maxLength: 1500 }) },
  ),
  authority: fc.array(wireRecord, { maxLength: 2 }),
  countError: usually(0, fc.integer({ min: -3, max: 3000 })),
  cutAt: usually<number | undefined>(undefined, fc.nat({ max: 120 })),
  tail: usually(new Uint8Array(), fc.uint8Array({ maxLength: 300 })),
});

/** The message that answers a query. */
function bytesOf(query: Buffer, answer: WireAnswer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(query.readUInt16BE(0) ^ (answer.id === 'right' ? 0 : 0x5555), 0);
  head.writeUInt16BE(
    (answer.isResponse ? 0x8180 : 0x0180) | (answer.truncated ? 0x0200 : 0) | answer.code,
    2,
  );
  head.writeUInt16BE(answer.question === 'none' ? 0 : 1, 4);
  head.writeUInt16BE(Math.max(0, answer.records.length + answer.countError), 6);
  head.writeUInt16BE(answer.authority.length, 8);
  const parts = [head, questionBytes(query, answer.question)];
  let at = parts[0].length + parts[1].length;
  for (const each of [...answer.records, ...answer.authority]) {
    const written = recordBytes(each, at);
    parts.push(written);
    at += written.length;
  }
  return Buffer.concat([...parts, answer.tail]).subarray(0, answer.cutAt);
}

function questionBytes(query: Buffer, question: WireAnswer['question']): Buffer {
  const same = Buffer.from(query.subarray(12, questionOf(query).end));
  if (question === 'none') return Buffer.alloc(0);
  if (question === 'other') return Buffer.concat([nameBytes('other.test'), same.subarray(-4)]);
  // 0x20 is the difference between the cases of a letter.
  if (question === 'other case' && same[0] > 0) same[1] ^= 0x20;
  return same;
}

function recordBytes(each: WireRecord, at: number): Buffer {
  const owner = wireNameBytes(each.owner, at);
  const content =
    each.data instanceof Uint8Array ? each.data : wireNameBytes(each.data, at + owner.length + 10);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(each.type, 0);
  fixed.writeUInt16BE(each.class, 2);
  fixed.writeUInt32BE(each.ttl, 4);
  fixed.writeUInt16BE(Math.max(0, content.length + each.lengthError), 8);
  return Buffer.concat([owner, fixed, content]);
}

function wireNameBytes(written: WireName, at: number): Buffer {
  switch (written.kind) {
    case 'question':
      return pointer(12);
    case 'plain':
      return nameBytes(written.name);
    case 'pointer':
      return pointer(written.to);
    case 'loop':
      return pointer(at);
    case 'long':
      return nameBytes(Array.from({ length: written.labels }, () => 'x'.repeat(63)).join('.'));
    case 'endless':
      return Buffer.from([63, 120, 120]);
  }
}

const pointer = (to: number): Buffer => Buffer.from([0xc0 | ((to >> 8) & 0x3f), to & 0xff]);

function nameBytes(text: string): Buffer {
  const labels = text.split('.').map((label) => {
    const content = Buffer.from(label, 'latin1');
    return Buffer.concat([Buffer.from([content.length]), content]);
  });
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
    at += 1 + query[at];
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

export interface WireServer {
  readonly address: string;
  /** Answers by name; the same for every type of question. */
  readonly answers: Map<string, WireAnswer | { readonly [type: number]: WireAnswer }>;
  readonly close: () => Promise<void>;
}

/** Answers from the table, or as `answerOf` says. */
export async function wireServer(
  answerOf?: (name: string, type: number) => WireAnswer,
): Promise<WireServer> {
  const answers: WireServer['answers'] = new Map();
  const fromTable = (name: string, type: number): WireAnswer => {
    const found = answers.get(name) ?? PLAIN;
    return 'records' in found ? (found as WireAnswer) : (found[type] ?? PLAIN);
  };
  const late = new Set<NodeJS.Timeout>();
  const answer = (query: Buffer, send: (reply: Buffer) => void): void => {
    const { name: asked, type } = questionOf(query);
    const found = (answerOf ?? fromTable)(asked, type);
    const message = bytesOf(query, found);
    const times = { once: 1, twice: 2, nothing: 0 }[found.sends];
    const sendAll = () => {
      for (let i = 0; i < times; i++) send(message);
    };
    if (found.delay === undefined || found.delay === 0) {
      sendAll();
      return;
    }
    const timer = setTimeout(() => {
      late.delete(timer);
      sendAll();
    }, found.delay);
    late.add(timer);
  };
  const [udp, tcp] = await listenOnBoth();
  udp.on('message', (query, peer) => {
    // A datagram has at most 65,507 bytes.
    answer(query, (reply) => udp.send(reply.subarray(0, 65_507), peer.port, peer.address));
  });
  tcp.on('connection', (socket) => {
    socket.on('error', () => {});
    let held = Buffer.alloc(0);
    socket.on('data', (part) => {
      held = Buffer.concat([held, part]);
      while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
        const query = held.subarray(2, 2 + held.readUInt16BE(0));
        held = held.subarray(2 + query.length);
        answer(query, (reply) => {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(Math.min(0xffff, reply.length));
          socket.write(Buffer.concat([length, reply.subarray(0, 0xffff)]));
        });
      }
    });
  });
  const { port } = udp.address();
  const close = async () => {
    for (const timer of late) clearTimeout(timer);
    udp.close();
    tcp.close();
    await once(udp, 'close');
  };
  return { address: `127.0.0.1:${port}`, answers, close };
}

/** A port that is free for both protocols. */
async function listenOnBoth(): Promise<[dgram.Socket, net.Server]> {
  for (;;) {
    const tcp = net.createServer().listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const udp = dgram.createSocket('udp4');
    try {
      udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1');
      await once(udp, 'listening');
      return [udp, tcp];
    } catch {
      tcp.close();
    }
  }
}
