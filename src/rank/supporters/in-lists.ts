/**
 * The in-lists of a graph, for kernels that read all of them again and again.
 *
 * Idea      Lists that fit the room beside the data are read once and kept in the kernel's memory.
 *           Otherwise each sweep reads them again, a block at a time. The caller does not see the
 *           difference.
 * Requires  all other memory of the kernel to be allocated before the first sweep.
 */
import { BLOCK_ARCS, type Graph } from '../../graph/graph.ts';
import { MOST_BYTES } from '../engine/memory.ts';
import {
  blockBytes,
  cutLists,
  feedBlocks,
  loadInLists,
  type PlacedLists,
  shareOut,
} from './blocks.ts';
import type { Call, SupportersKernel } from './supporters-kernel.ts';

/** Arcs per call: some milliseconds. */
const ARCS_A_CALL = 2 ** 20;

const blockArcsOf = ({ nodes, arcs }: Graph): number => Math.min(BLOCK_ARCS, Math.max(nodes, arcs));

/** Bytes that a sweep over lists on disk needs. */
export function streamBytes(graph: Graph, hands: number): number {
  return blockBytes(hands, blockArcsOf(graph), graph.nodes);
}

/** Bytes of all lists in a kernel's memory. */
export function listBytes({ nodes, arcs }: Graph): number {
  return 4 * (nodes + 1 + arcs);
}

export class InLists {
  readonly held: 'memory' | 'stream';
  bytesRead: number;
  readonly #kernel: SupportersKernel;
  readonly #graph: Graph;
  readonly #lists: PlacedLists | undefined;

  /** Keeps the lists if they take no more than `room`. */
  static async open(kernel: SupportersKernel, graph: Graph, room: number): Promise<InLists> {
    const fits = listBytes(graph) <= Math.min(room, MOST_BYTES);
    return new InLists(kernel, graph, fits ? await loadInLists(kernel, graph) : undefined);
  }

  private constructor(kernel: SupportersKernel, graph: Graph, lists: PlacedLists | undefined) {
    this.#kernel = kernel;
    this.#graph = graph;
    this.#lists = lists;
    this.held = lists ? 'memory' : 'stream';
    this.bytesRead = lists ? graph.in.bytes : 0;
  }

  /** Runs a call for all lists, part by part, on all hands. */
  async sweep(callFor: (lists: PlacedLists) => Call): Promise<void> {
    const kernel = this.#kernel;
    if (this.#lists) {
      const parts = cutLists(kernel, this.#lists, ARCS_A_CALL);
      const take = async (part: PlacedLists, hand: number) => () =>
        kernel.call(hand, callFor(part));
      return shareOut(kernel.hands, parts, take);
    }
    // The memory of the blocks is released after each sweep.
    const empty = kernel.bytes;
    const blockArcs = blockArcsOf(this.#graph);
    await feedBlocks(kernel, this.#graph.in.scan({ blockArcs }), blockArcs, callFor, () => {});
    kernel.release(empty);
    this.bytesRead += this.#graph.in.bytes;
  }
}
