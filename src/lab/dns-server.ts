/**
 * The name server of the synthetic web: UDP on loopback, addresses computed like everything else.
 *
 * Ensures   what is no query is dropped, and no packet can stop the server.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type Query, RCODE, readQuery, TYPE, writeResponse } from './dns-message.ts';

export interface Resolution {
  readonly rcode: number;
  readonly address?: string;
  readonly seconds?: number;
}

export type Resolve = (name: string) => Resolution;

export async function startDns(
  port: number,
  resolve: Resolve,
): Promise<{ port: number; close(): Promise<void> }> {
  const socket = createSocket('udp4');
  socket.on('message', (packet, from) => {
    const query = readQuery(packet);
    if (!query) return;
    reply(socket, responseTo(query, resolve(query.name)), from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('error', () => {});
  return {
    port: socket.address().port,
    close: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function responseTo(query: Query, { rcode, address, seconds }: Resolution): Uint8Array {
  const wantsAddress = query.type === TYPE.A || query.type === TYPE.ANY;
  if (rcode !== RCODE.noError || !wantsAddress || address === undefined) return writeResponse(query, rcode);
  return writeResponse(query, rcode, { address, seconds: seconds ?? 300 });
}

function reply(socket: Socket, packet: Uint8Array, port: number, address: string): void {
  // A resolver that is gone cannot be answered; nobody waits for the error.
  socket.send(packet, port, address, () => {});
}
