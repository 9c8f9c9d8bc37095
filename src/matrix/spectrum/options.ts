/** The options of `spectrum`, read and checked. */
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { checkedShare, MEMORY } from '../subspaces/subspaces.ts';
import type { PartOptions } from './solve-part.ts';

export interface SpectrumOptions {
  /** Of the matrix with all arcs reversed. */
  readonly reverse?: boolean;
  /** A node that reaches more than this share of all nodes is core. Default 0.1. */
  readonly share?: number;
  /** The probability to follow a link. Default 1: the spectrum of S. */
  readonly alpha?: number;
  /** Vectors in the basis of the core. Default 500. */
  readonly dimension?: number;
  /** Instead of `dimension`: how many eigenvalues of the core to find, with restarts. */
  readonly values?: number;
  /** How many eigenvectors of the core and of subspaces to return. Default 5. */
  readonly vectors?: number;
  /** Residual below which an eigenvalue is called converged. Default 1e-10. */
  readonly tolerance?: number;
  /** Draws the start vector. Default 1. */
  readonly seed?: number;
  readonly threads?: number;
  /** Limit for everything that grows with the graph. Default 2 GiB. */
  readonly memory?: Bytes;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface Checked extends PartOptions {
  readonly reverse: boolean;
  readonly share: number;
  readonly alpha: number;
  readonly signal: AbortSignal | undefined;
}

export function checkedOptions(given: SpectrumOptions): Checked {
  const { values, alpha = 1, tolerance = 1e-10 } = given;
  if (values !== undefined && given.dimension !== undefined)
    throw new DrumlinError(
      'VALUE',
      'dimension and values are both given.',
      'Give one: dimension for one basis, values for restarts until so many are found.',
    );
  if (!(alpha > 0 && alpha <= 1))
    throw new DrumlinError('VALUE', `alpha: ${alpha} is out of range.`, 'Take 0 < alpha <= 1.');
  if (!(tolerance > 0 && tolerance < 1))
    throw new DrumlinError(
      'VALUE',
      `tolerance: ${tolerance} is out of range.`,
      'Take a number between 0 and 1, such as 1e-10.',
    );
  return {
    reverse: given.reverse ?? false,
    share: checkedShare(given.share),
    alpha,
    tolerance,
    dimension: counted('dimension', given.dimension ?? 500, 1),
    values: values === undefined ? undefined : counted('values', values, 1),
    vectors: counted('vectors', given.vectors ?? 5, 0),
    seed: counted('seed', given.seed ?? 1, 0),
    threads: counted('threads', given.threads ?? 1, 1),
    memory: given.memory ?? MEMORY,
    onProgress: given.onProgress ?? (() => {}),
    signal: given.signal,
  };
}

function counted(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new DrumlinError(
    'VALUE',
    `${name}: ${value} is out of range.`,
    `Take a whole number of at least ${least}.`,
  );
}
