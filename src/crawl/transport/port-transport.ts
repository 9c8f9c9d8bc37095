/**
 * The transport between threads: a message port for each pair of agents.
 *
 * Idea      The sender keeps the bytes and the port clones them. For a parcel of 64 KiB that is about 70 µs of processor time, both
 *           threads counted, 0.08 µs a URL. A second copy that is transferred costs as much; a SharedArrayBuffer a parcel,
 *           which needs no copy, hardly less, and memory grows past a gigabyte, because the collector does not see how
 *           much hangs on one. The figures are in docs/agents.md.
 * Requires  a channel for each pair, of which each agent has one end: `portMesh` makes them.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { exactBytes } from './exact-bytes.ts';
import { LinkedTransport, type LinkMessage, type OpenLink } from './linked-transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** One agent's ends, by the number of the agent at the other; none at its own number. */
export type AgentPorts = readonly (MessagePort | undefined)[];

/** Channels between all agents: element `a` is for agent `a`, to be transferred to its thread. */
export function portMesh(agents: number): AgentPorts[] {
  const mesh = Array.from({ length: agents }, () =>
    new Array<MessagePort | undefined>(agents).fill(undefined),
  );
  for (let a = 0; a < agents; a++) {
    for (let b = 0; b < a; b++) {
      const { port1, port2 } = new MessageChannel();
      mesh[a][b] = port1;
      mesh[b][a] = port2;
    }
  }
  return mesh;
}

/** An open transport keeps its thread alive until it is closed, unless it is alone. */
export function portTransport(options: TransportOptions, ports: AgentPorts): Transport {
  const open: OpenLink = (peer, deliver) => {
    const port = ports[peer];
    if (!port) throw new Error(`Agent ${options.agent} was given no port to agent ${peer}.`);
    port.on('message', (message: LinkMessage) => deliver(message));
    return { post: (message) => port.postMessage(packed(message)), close: () => port.close() };
  };
  return new LinkedTransport(options, open);
}

/** Ready to be cloned. */
function packed(message: LinkMessage): LinkMessage {
  return 'acknowledged' in message ? message : { ...message, bytes: exactBytes(message.bytes) };
}
