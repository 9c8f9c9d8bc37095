/**
 * HITS: good hubs link to good authorities, good authorities are linked from good hubs.
 *
 * Definition (Göbölös-Szabó and Benczúr, "Temporal Wikipedia search by edits and linkage", Eqs. 7
 * and 8; Kleinberg's HITS where c = 0): in each iteration
 *
 *   a(v) = sum of h(u) over u -> v, plus c · p(v), divided by the greatest;
 *   h(v) = sum of a(u) over v -> u, plus c · p(v), divided by the greatest.
 *
 * The personalised form adds a "supersource" that links to every node by the weights p, of sum 1,
 * and gives out the fixed amount c in each iteration; the paper recommends c from 100 to 200. Plain
 * HITS drifts to the densest part of the graph.
 *
 * It ends when no hub or authority changed by more than the tolerance. Plain HITS may converge
 * slowly if two dense parts are almost alike; `converged` in the facts tells whether it did. On a
 * graph without arcs all scores are 0.
 */
import type { Graph } from '../../graph/graph.ts';
import { Convergence, hasConverged } from '../engine/convergence.ts';
import { type HeldArcs, holdArcs } from '../engine/held-arcs.ts';
import { weightsById } from '../engine/nodes.ts';
import { defineRanker, type RankOptions, type RankResult, type Values } from '../engine/ranker.ts';

const PARAMETERS = {
  vector: {
    kind: 'choice',
    of: ['authority', 'hub'],
    default: 'authority',
    doc: 'rank nodes as authorities or as hubs',
  },
  personal: { kind: 'nodes', doc: 'prefer nodes near these, by their weights' },
  c: {
    kind: 'number',
    default: 200,
    least: 0,
    most: 1e12,
    doc: 'amount that the supersource gives out; needs --personal',
  },
  tolerance: {
    kind: 'number',
    default: 1e-9,
    least: 1e-14,
    most: 1,
    doc: 'stop when no score changes by more than this (the best score is 1)',
  },
  iterations: {
    kind: 'count',
    default: 1000,
    least: 1,
    most: 1e9,
    doc: 'stop after this many iterations',
  },
} as const;

/** The factor by which changes usually fall in a step. */
const USUAL_FACTOR = 0.7;

export const ranker = defineRanker({
  name: 'hits',
  title: 'HITS',
  parameters: PARAMETERS,
  run: hits,
});

async function hits(
  graph: Graph,
  values: Values<typeof PARAMETERS>,
  options: RankOptions,
): Promise<RankResult> {
  const personal = values.personal && (await weightsById(graph, values.personal, 'personal'));
  const { nodes, arcs } = graph;
  const lists = [graph.in, graph.out];
  const degrees = await graph.out.degrees();
  const vectors = personal ? { vectors: 4, others: 1 } : { vectors: 3, others: 0 };
  const held = await holdArcs({ nodes, arcs, lists, degrees, ...vectors }, options);
  try {
    const run = new Run(held, personal?.weights, values.c);
    const convergence = new Convergence(values.tolerance, values.iterations, USUAL_FACTOR);
    let iterations = 0;
    let change: number;
    let done: number;
    do {
      change = await run.iterate();
      iterations++;
      done = convergence.update(change);
      options.onProgress?.(done);
    } while (done < 1);
    return {
      scores: held.byNode(values.vector === 'hub' ? run.hubs : run.authorities),
      facts: {
        iterations,
        residual: change,
        converged: hasConverged(change, values.tolerance),
        held: held.held,
        bytesRead: held.bytesRead,
        ...personal?.facts,
      },
    };
  } finally {
    await held.close();
  }
}

const IN = 0;
const OUT = 1;

/** The vectors of a run, all in the kernel's memory. */
class Run {
  authorities: Float64Array;
  hubs: Float64Array;
  #spare: Float64Array;
  readonly #arcs: HeldArcs;
  /** What the supersource gives to each node. */
  readonly #source: Float64Array | undefined;

  constructor(arcs: HeldArcs, weights: Float64Array | undefined, c: number) {
    this.#arcs = arcs;
    this.authorities = arcs.vector().fill(1);
    this.hubs = arcs.vector().fill(1);
    this.#spare = arcs.vector();
    this.#source = weights && arcs.vector();
    weights?.forEach((weight, node) => {
      if (this.#source) this.#source[arcs.number(node)] = c * weight;
    });
  }

  /** Returns the greatest change of a score. */
  async iterate(): Promise<number> {
    const first = await this.#sum(IN, this.hubs, this.authorities);
    [this.authorities, this.#spare] = [this.#spare, this.authorities];
    const second = await this.#sum(OUT, this.authorities, this.hubs);
    [this.hubs, this.#spare] = [this.#spare, this.hubs];
    return Math.max(first, second);
  }

  /** Writes the new scores to `#spare`. Returns how much they differ from those before. */
  async #sum(direction: number, given: Float64Array, before: Float64Array): Promise<number> {
    for await (const { rows, first } of this.#arcs.portions(direction)) {
      await this.#arcs.kernel.sums(rows, first, given, this.#spare);
    }
    return normalise(this.#spare, this.#source, before);
  }
}

/** Adds what the supersource gives, scales the greatest to 1, and returns the greatest change. */
function normalise(
  vector: Float64Array,
  source: Float64Array | undefined,
  before: Float64Array,
): number {
  let greatest = 0;
  for (let i = 0; i < vector.length; i++) {
    if (source) vector[i] += source[i];
    if (vector[i] > greatest) greatest = vector[i];
  }
  let change = 0;
  for (let i = 0; i < vector.length; i++) {
    if (greatest > 0) vector[i] /= greatest;
    change = Math.max(change, Math.abs(vector[i] - before[i]));
  }
  return change;
}
