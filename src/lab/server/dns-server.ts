/**
 * The name server of the synthetic web: UDP on loopback, with computed addresses.
 *
 * Ensures   packets that are no query are dropped, and no packet can stop the server.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type Query, RCODE, readQuery, TYPE, writeResponse } from './dns-message.ts';
import { listening } from './listening.ts';

export interface Resolution {
  /** The code of the answer; 'silent' if the packet is lost. */
  readonly rcode: number | 'silent';
  readonly address?: string;
  readonly seconds?: number;
  /** Milliseconds before the answer is sent. */
  readonly delay?: number;
}

/** The most answers delayed at a time; more are lost, as in a real overload. */
const MAX_LATE = 10_000;

type Resolve = (name: string) => Resolution;

export async function startDns(
  port: number,
  resolve: Resolve,
): Promise<{ port: number; close(): Promise<void> }> {
  const socket = createSocket('udp4');
  const late = new Set<NodeJS.Timeout>();
  socket.on('message', (packet, from) => {
    const query = readQuery(packet);
    const resolution = query && resolved(resolve, query.name);
    if (!resolution || resolution.rcode === 'silent') return;
    const response = responseTo(query, resolution.rcode, resolution);
    if (resolution.delay === undefined) {
      reply(socket, response, from.port, from.address);
      return;
    }
    if (late.size >= MAX_LATE) return;
    const timer = setTimeout(() => {
      late.delete(timer);
      reply(socket, response, from.port, from.address);
    }, resolution.delay);
    late.add(timer);
  });
  socket.bind(port, '127.0.0.1');
  await listening(socket, port);
  return {
    port: socket.address().port,
    close: async () => {
      for (const timer of late) clearTimeout(timer);
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** A name that cannot be answered is a failure of the server, not the end of it. */
function resolved(resolve: Resolve, name: string): Resolution {
  try {
    return resolve(name);
  } catch {
    return { rcode: RCODE.serverFailure };
  }
}

function responseTo(query: Query, rcode: number, { address, seconds }: Resolution): Uint8Array {
  const wantsAddress = query.type === TYPE.A || query.type === TYPE.ANY;
  if (rcode !== RCODE.noError || !wantsAddress || address === undefined)
    return writeResponse(query, rcode);
  return writeResponse(query, rcode, { address, seconds: seconds ?? 300 });
}

function reply(socket: Socket, packet: Uint8Array, port: number, address: string): void {
  // A resolver that is gone cannot be answered; the error does not matter.
  socket.send(packet, port, address, () => {});
}
