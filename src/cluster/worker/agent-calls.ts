/**
 * The messages between the main thread of a worker, which holds the connection to the brokers, and
 * the threads of its agents; beside those of crawl/threads.
 *
 *   worker                                      agent, in its own thread
 *          ── frame, peer, look?, held, revoked ─►  AgentClusterCalls
 *          ◄─ post, stage?, commit?, want, unused ── WorkerClusterCalls
 */
import type { Millis } from '../../base/units.ts';
import type { SavedCheckpoint } from '../../crawl/agent/checkpointer.ts';
import type { HostLeave } from '../addresses/host-table.ts';
import type { AgentLook } from '../members/ending.ts';

/** The calls from the worker to an agent. */
export interface AgentClusterCalls {
  /** A message of another agent. */
  frame(frame: { readonly from: number; readonly bytes: Uint8Array }): void;
  /** What the key of another agent says. */
  peer(peer: { readonly agent: number; readonly epoch: number; readonly received: number }): void;
  /** The worker holds an address until then. */
  held(hold: { readonly ip: string; readonly until: Millis }): void;
  /** The worker has to give an address back. */
  revoked(ip: string): void;
  /** Report now. */
  look(): Omit<AgentLook, 'agent' | 'epoch'>;
}

/** The calls from an agent to the worker. */
export interface WorkerClusterCalls {
  /** Carry a message to another agent. */
  post(message: { readonly to: number; readonly bytes: Uint8Array }): void;
  /** The agent wants to ask an address that its worker may not hold. */
  want(address: { readonly ip: string; readonly delay: Millis }): void;
  /** The agent does not use an address any more that is to be given back. */
  unused(address: { readonly ip: string; readonly readyAt: Millis }): void;
  /** May the agent ask a host of another agent? */
  leave(host: string): HostLeave;
  /** The agent has asked a host with the leave of another worker. */
  asked(host: { readonly host: string; readonly delay: Millis }): void;
  /** Copy the checkpoint that is on disk now; answered when another may be made. */
  stage(saved: SavedCheckpoint): void;
  /** Upload what was staged; true when it is committed, false when the store failed. */
  commit(saved: SavedCheckpoint): boolean;
}
