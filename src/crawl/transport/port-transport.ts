/**
 * The transport between threads: a message port for each pair of agents.
 *
 * Idea      The sender keeps the bytes and the port clones them. For a parcel of 64 KiB that costs
 *           about 70 µs of CPU time in both threads together, 0.08 µs per URL. Transferring a
 *           second copy costs as much. A SharedArrayBuffer per parcel, which needs no copy, costs
 *           hardly less, and memory grows beyond a gigabyte, because the garbage collector does
 *           not see its size. The figures are in docs/agents.md.
 * Requires  A channel for each pair of agents, each with one end: `portMesh` makes them.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { exactBytes } from './exact-bytes.ts';
import { LinkedTransport, type LinkMessage, type OpenLink } from './linked-transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** The ports of one agent, indexed by the other agent; undefined at its own index. */
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

/** An open transport keeps its thread alive until it is closed, unless the agent is single. */
export function portTransport(options: TransportOptions, ports: AgentPorts): Transport {
  const open: OpenLink = (peer, deliver) => {
    const port = ports[peer];
    if (!port) throw new Error(`Agent ${options.agent} was given no port to agent ${peer}.`);
    port.on('message', (message: LinkMessage) => deliver(message));
    return { post: (message) => port.postMessage(packed(message)), close: () => port.close() };
  };
  return new LinkedTransport(options, open);
}

/** The message with bytes that are cheap to clone. */
function packed(message: LinkMessage): LinkMessage {
  return 'acknowledged' in message ? message : { ...message, bytes: exactBytes(message.bytes) };
}
