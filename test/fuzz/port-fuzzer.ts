/**
 * Sends conversations to a port on loopback, many at a time, and asks in between whether the server
 * still answers.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { mutate, type Random } from './mutation.ts';
import {
  type Conversation,
  conversation,
  dnsPacket,
  dnsQuery,
  type Known,
  split,
} from './requests.ts';

/** Milliseconds of silence after which a client half-closes: many requests are not complete. */
const PATIENCE = 60;
/** The same after the last byte of an answer: there may be a second one. */
const PAUSE = 5;
/** Milliseconds in which a server must then close, on a busy machine. */
const END_PATIENCE = 5000;
/** Milliseconds within which a good request must be answered, on a busy machine. */
const PROBE_PATIENCE = 20_000;
const ENOUGH = 64 * 1024;
const PROBE_EVERY = 500;

export interface PortFuzz {
  readonly port: number;
  readonly known: Known;
  readonly random: Random;
  readonly requests: number;
  /** Conversations at a time. */
  readonly atOnce: number;
  /** A request that must be answered with `HTTP/1.1 200`. */
  readonly probe: string;
  /** `performance.now()` at which to stop, whatever is left. */
  readonly until?: number;
}

export interface Tally {
  requests: number;
  connections: number;
  /** Answers by status; the first of each connection. */
  readonly statuses: Record<string, number>;
  /** First bytes that are no status line. */
  readonly odd: string[];
  /** Answers that report an internal error, with what was sent. */
  readonly internal: string[];
}

export async function fuzzHttp(options: PortFuzz): Promise<Tally> {
  const { port, known, random } = options;
  return fuzz(options, () => talk(connect(port, '127.0.0.1'), conversation(known, random)));
}

/** Nine of ten conversations never become TLS; the others are HTTP in TLS. */
export async function fuzzTls(options: PortFuzz): Promise<Tally> {
  const { port, known, random } = options;
  const hello = await clientHello(known.hosts[0]);
  const probe = () => tlsSocket(port, known.hosts[0]);
  return fuzz(
    options,
    () => {
      if (random(10) > 0) {
        const bytes = mutate([hello], [Buffer.from([22, 3, 1]), Buffer.alloc(2)], random);
        const pieces = split(bytes, random);
        return talk(connect(port, '127.0.0.1'), { pieces, requests: 1, leave: 'wait' });
      }
      const host = known.hosts[random(known.hosts.length)];
      const name = random(3) > 0 ? host : `${host}${random(1000)}.${'x'.repeat(random(60))}.test`;
      return talk(tlsSocket(port, name), conversation(known, random));
    },
    probe,
  );
}

async function fuzz(
  { requests, atOnce, probe, port, until = Infinity }: PortFuzz,
  next: () => Promise<Heard>,
  open: () => Socket = () => connect(port, '127.0.0.1'),
): Promise<Tally> {
  const tally: Tally = { requests: 0, connections: 0, statuses: {}, odd: [], internal: [] };
  const worker = async () => {
    while (tally.requests < requests && performance.now() < until) {
      const heard = await next();
      tally.requests += heard.requests;
      count(tally, heard);
      if (++tally.connections % PROBE_EVERY === 0) await requireAnswer(open(), probe);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await requireAnswer(open(), probe);
  return tally;
}

function count(tally: Tally, { bytes, sent }: Heard): void {
  const text = bytes.toString('latin1');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
  if (status !== undefined) tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
  else if (bytes.length > 0 && !isTlsRecord(bytes)) tally.odd.push(text.slice(0, 80));
  if (/Internal error:|cannot be made/.test(text))
    tally.internal.push(JSON.stringify(sent.slice(0, 300)));
}

/** An alert (21) repeats the version that it rejects, whatever it was. */
const isTlsRecord = ([type, version]: Buffer): boolean =>
  type === 21 || (type >= 20 && type <= 23 && version === 3);

interface Heard {
  readonly requests: number;
  readonly sent: string;
  /** The first bytes of the answers. */
  readonly bytes: Buffer;
}

/** Sends the pieces, reads until the server is silent or ends it, and leaves. */
async function talk(socket: Socket, { pieces, requests, leave }: Conversation): Promise<Heard> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Node emits no 'close' if a reset fails (libuv refuses one while it shuts down).
  const gone = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('error', () => resolve());
  });
  socket.setNoDelay(true);
  socket.setTimeout(PATIENCE);
  socket.on('timeout', () => {
    if (socket.writableEnded) socket.destroy();
    else socket.end();
    socket.setTimeout(END_PATIENCE);
  });
  socket.on('data', (chunk: Buffer) => {
    if (size < 1024) chunks.push(chunk);
    size += chunk.length;
    if (size > ENOUGH) socket.destroy();
    else if (!socket.writableEnded) socket.setTimeout(PAUSE);
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise((written) => socket.write(piece, written));
  }
  if (leave === 'half-close') socket.end();
  if (leave === 'reset') reset(socket);
  await gone;
  return {
    requests,
    sent: Buffer.concat(pieces).toString('latin1'),
    bytes: Buffer.concat(chunks),
  };
}

function reset(socket: Socket): void {
  if (socket.connecting || socket instanceof TLSSocket) socket.destroy();
  else socket.setTimeout(0).resetAndDestroy();
}

/** Throws if a good request is not answered: the server is gone, or does not respond any more. */
export async function requireAnswer(socket: Socket, request: string): Promise<void> {
  socket.setTimeout(PROBE_PATIENCE, () => socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (text.includes('\r\n')) socket.destroy();
  });
  socket.on('error', (error) => {
    text += `(${error.message})`;
  });
  socket.write(request);
  await new Promise((resolve) => socket.once('close', resolve));
  if (!text.startsWith('HTTP/1.1 200 '))
    throw new Error(`a good request was answered ${JSON.stringify(text.slice(0, 200))}`);
}

const tlsSocket = (port: number, servername: string): Socket =>
  connectTls({ port, host: '127.0.0.1', servername, rejectUnauthorized: false });

/** The first bytes of a TLS client. */
async function clientHello(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = tlsSocket((server.address() as { port: number }).port, servername);
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}

export interface DnsFuzz {
  readonly port: number;
  readonly names: readonly string[];
  readonly random: Random;
  readonly packets: number;
  readonly until?: number;
}

/** Returns how many packets were sent and answered. */
export async function fuzzDns(options: DnsFuzz): Promise<{ requests: number; answers: number }> {
  const { port, names, random, packets, until = Infinity } = options;
  const socket = createSocket('udp4');
  let answers = 0;
  let heard: (id: number) => void = () => {};
  socket.on('message', (packet) => {
    answers++;
    heard(packet.readUInt16BE(0));
  });
  const send = (packet: Buffer) =>
    new Promise((sent) => socket.send(packet, port, '127.0.0.1', sent));
  let sent = 0;
  try {
    while (sent < packets && performance.now() < until) {
      for (let i = 0; i < 100 && sent < packets; i++, sent++) await send(dnsPacket(names, random));
      const id = random(65536);
      const answered = new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), PROBE_PATIENCE);
        heard = (of) => {
          if (of !== id) return;
          clearTimeout(timer);
          resolve(true);
        };
      });
      await send(dnsQuery(id, names[0], 1));
      if (!(await answered)) throw new Error('a good query was not answered');
    }
    return { requests: sent, answers };
  } finally {
    socket.close();
  }
}
