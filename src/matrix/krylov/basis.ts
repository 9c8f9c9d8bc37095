/**
 * An orthonormal basis in the memory of a kernel, made column by column.
 *
 * Idea      Classical Gram-Schmidt, twice: as orthogonal as modified Gram-Schmidt twice, to the
 *           rounding of doubles (Giraud, Langou, Rozložník and van den Eshof 2005), but each pass
 *           is one sweep over the basis instead of one for each column. The subtraction of the
 *           first pass and the products of the second share a sweep. The second is left out for a
 *           vector that is nearly orthogonal as it is.
 * Ensures   the same bits for any number of threads.
 * Costs     8 bytes an entry; two or three sweeps over the columns before for a new one.
 */
import type { Bytes } from '../../base/units.ts';
import { type BasisColumns, basisScratch, type Kernel } from '../../rank/engine/kernel.ts';
import { drawn } from './draw.ts';

/** What is left of a vector is rounding if it is below this share of it. */
const NOTHING = 1e-14;

/**
 * A vector that keeps this share of its square in the first pass needs no second: what rounding
 * left along the basis is not magnified (the criterion of Kahan and Parlett).
 */
const ENOUGH = 0.5;

/** The room for a basis of so many columns and one vector more. */
export function basisRoom(length: number, columns: number): Bytes {
  const factors = 8 * columns * columns;
  return strideOf(length) * (columns + 1) + factors + basisScratch(length + 1, columns) + 64;
}

const strideOf = (length: number): number => 16 * Math.ceil(length / 2);

export class Basis {
  readonly length: number;
  readonly #kernel: Kernel;
  readonly #columns: Omit<BasisColumns, 'columns'>;

  constructor(kernel: Kernel, length: number, columns: number) {
    this.length = length;
    this.#kernel = kernel;
    const even = 2 * Math.ceil(length / 2);
    const stride = strideOf(length);
    this.#columns = {
      length: even,
      stride,
      address: Math.ceil(kernel.allocate(stride * (columns + 1) + 16) / 16) * 16,
      factors: kernel.allocate(8 * columns * columns),
      scratch: kernel.allocate(basisScratch(even, columns)),
    };
  }

  column(j: number): Float64Array {
    const { address, stride } = this.#columns;
    return this.#kernel.f64(address + j * stride, this.length);
  }

  /**
   * Makes column j orthogonal to those before it and of length 1. Returns the products that were
   * taken off, and the length of what was left: 0 if nothing but rounding was. Then the column is
   * not changed further.
   */
  async orthogonalise(j: number): Promise<{ along: Float64Array; left: number }> {
    const columns = { ...this.#columns, columns: j };
    const vector = this.column(j);
    const first = await this.#kernel.project(columns, vector);
    const second = await this.#kernel.subtract(columns, vector, negated(first, j), true);
    const along = first.slice(0, j);
    let square = second[j];
    if (!(square > ENOUGH * first[j])) {
      const third = await this.#kernel.subtract(columns, vector, negated(second, j), false);
      for (let i = 0; i < j; i++) along[i] += second[i];
      square = third[j];
    }
    const left = Math.sqrt(square);
    if (!(left > NOTHING * Math.sqrt(first[j]))) return { along, left: 0 };
    for (let i = 0; i < vector.length; i++) vector[i] /= left;
    return { along, left };
  }

  /** Column j becomes a random vector orthogonal to those before; false if they span everything. */
  async drawColumn(j: number, seed: number): Promise<boolean> {
    if (j >= this.length) return false;
    const vector = this.column(j);
    for (let attempt = 0; attempt < 3; attempt++) {
      for (let i = 0; i < vector.length; i++)
        vector[i] = drawn(i, seed + 7919 * (j + 1) + 104_729 * attempt);
      if ((await this.orthogonalise(j)).left > 0) return true;
    }
    return false;
  }

  /** The first `kept` of `columns` columns become the columns times a matrix, given row by row. */
  async combine(columns: number, kept: number, matrix: Float64Array): Promise<void> {
    const factors = new Float64Array(kept * columns);
    for (let k = 0; k < kept; k++)
      for (let j = 0; j < columns; j++) factors[k * columns + j] = matrix[j * columns + k];
    await this.#kernel.combine({ ...this.#columns, columns }, kept, factors);
  }

  /** Σ factor · column. */
  sum(factors: Float64Array): Float64Array {
    const result = new Float64Array(this.length);
    for (let j = 0; j < factors.length; j++) addTimes(result, this.column(j), factors[j]);
    return result;
  }
}

function negated(products: Float64Array, count: number): Float64Array {
  return products.subarray(0, count).map((product) => -product);
}

function addTimes(to: Float64Array, column: Float64Array, factor: number): void {
  if (factor === 0) return;
  for (let i = 0; i < to.length; i++) to[i] += factor * column[i];
}
