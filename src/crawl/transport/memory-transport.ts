/**
 * The transport between agents of one thread: for tests, and for one agent alone, who sends nothing.
 *
 * Ensures   a parcel arrives after the current turn of the event loop's microtasks, as a copy: nobody sees what another
 *           does to its bytes.
 */
import { LinkedTransport, type LinkMessage } from './linked-transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** What all of them share; `states` by agent. */
export interface MemoryTransportOptions
  extends Omit<TransportOptions, 'agent' | 'agents' | 'state'> {
  readonly states?: readonly (TransportOptions['state'] | undefined)[];
}

/** A transport for each of `agents` agents, each connected to all others. */
export function memoryTransports(
  agents: number,
  options: MemoryTransportOptions = {},
): Transport[] {
  const { states, ...shared } = options;
  const ends: Map<number, (message: LinkMessage) => void>[] = Array.from(
    { length: agents },
    () => new Map(),
  );
  return ends.map((own, agent) => {
    return new LinkedTransport(
      { ...shared, agent, agents, state: states?.[agent] },
      (peer, deliver) => {
        own.set(peer, deliver);
        return {
          // The peer is looked up at delivery: when the first of them greets, the last is not there yet.
          post: (message) => queueMicrotask(() => ends[peer].get(agent)?.(copied(message))),
          close: () => own.delete(peer),
        };
      },
    );
  });
}

/** The transport of an agent that is alone. */
export function soloTransport(options: Omit<TransportOptions, 'agent' | 'agents'> = {}): Transport {
  return new LinkedTransport({ ...options, agent: 0, agents: 1 }, (peer) => {
    throw new Error(`An agent that is alone has no way to agent ${peer}.`);
  });
}

function copied(message: LinkMessage): LinkMessage {
  return 'acknowledged' in message ? message : { ...message, bytes: message.bytes.slice() };
}
