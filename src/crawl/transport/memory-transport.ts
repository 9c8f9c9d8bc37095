/**
 * The transport between agents of one thread: for tests, and for a single agent, which sends
 * nothing.
 *
 * Ensures   A parcel arrives as a copy, in a later microtask: agents share no bytes.
 */
import { LinkedTransport, type LinkMessage } from './linked-transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** The options of all agents together; `states` is indexed by agent. */
interface MemoryTransportOptions extends Omit<TransportOptions, 'agent' | 'agents' | 'state'> {
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
          // Look up the peer at delivery: when the first agent greets, the last does not exist yet.
          post: (message) => queueMicrotask(() => ends[peer].get(agent)?.(copied(message))),
          close: () => own.delete(peer),
        };
      },
    );
  });
}

/** The transport of a single agent. */
export function soloTransport(options: Omit<TransportOptions, 'agent' | 'agents'> = {}): Transport {
  return new LinkedTransport({ ...options, agent: 0, agents: 1 }, (peer) => {
    throw new Error(`A single agent has no link to agent ${peer}.`);
  });
}

function copied(message: LinkMessage): LinkMessage {
  return 'acknowledged' in message ? message : { ...message, bytes: message.bytes.slice() };
}
