/** A DNS server on loopback that answers from a table and counts the questions. */
import dgram from 'node:dgram';
import { once } from 'node:events';

export interface Answer {
  readonly a?: readonly string[];
  /** Eight groups, written out. */
  readonly aaaa?: readonly string[];
  readonly ttl?: number;
  /** RFC 1035 response code: 2 server failure, 3 no such name, 5 refused. */
  readonly code?: number;
  readonly silent?: boolean;
}

export interface NameServer {
  readonly address: string;
  readonly questions: string[];
  readonly table: Map<string, Answer>;
  readonly close: () => Promise<void>;
}

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };

export async function nameServer(entries: Readonly<Record<string, Answer>>): Promise<NameServer> {
  const table = new Map(Object.entries(entries));
  const questions: string[] = [];
  const socket = dgram.createSocket('udp4');
  socket.on('message', (query, peer) => {
    const { name, type, end } = questionOf(query);
    questions.push(`${name} ${TYPES[type] ?? type}`);
    const answer = table.get(name) ?? { code: 3 };
    if (!answer.silent)
      socket.send(reply(query.subarray(0, end), type, answer), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    table,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
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

function reply(
  question: Buffer,
  type: number,
  { a = [], aaaa = [], ttl = 300, code = 0 }: Answer,
): Buffer {
  const records =
    type === 1
      ? a.map((ip) => Buffer.from(ip.split('.').map(Number)))
      : aaaa.map((ip) =>
          Buffer.from(
            ip
              .split(':')
              .map((group) => group.padStart(4, '0'))
              .join(''),
            'hex',
          ),
        );
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records.map((data) => record(type, ttl, data))]);
}

function record(type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(0xc00c, 0); // the name of the question
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt32BE(ttl, 6);
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
}
