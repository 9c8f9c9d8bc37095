/**
 * The search for the best threshold of one feature, shared by all trees.
 *
 * Idea      Each column is coded once: equal values share a code, codes grow with values. A node
 *           then sums the weights of its sites by code, in a table if the node is large, by
 *           sorting its sites if it is small, and walks through the codes in order.
 * Ensures   the codes of a column are exact if it has at most `most` distinct values. Otherwise
 *           they are quantiles: about as many sites share each code.
 * Cost      a node of n sites costs O(n + codes) or O(n log n) for each feature, whichever is less.
 */

/** The code of a missing value. */
const MISSING = 0xffff;
/** The most codes of a column. */
const MOST_CODES = 0xfffe;

export interface CodedColumn {
  /** The code of each site. */
  readonly codes: Uint16Array;
  /** The greatest value of each code. */
  readonly tops: Float64Array;
  /** The least value of each code. */
  readonly bottoms: Float64Array;
}

export function codeColumn(column: Float64Array, most = MOST_CODES): CodedColumn {
  const known = column.filter((value) => !Number.isNaN(value)).sort();
  let distinct = 0;
  for (let i = 0; i < known.length; i++) if (i === 0 || known[i] !== known[i - 1]) distinct++;
  const perCode = distinct <= most ? 0 : known.length / most;
  const tops: number[] = [];
  const bottoms: number[] = [];
  for (let i = 0; i < known.length; ) {
    const least = known[i];
    let end = i + 1;
    const wanted = perCode === 0 ? end : Math.ceil((tops.length + 1) * perCode);
    while (end < known.length && (end < wanted || known[end] === known[end - 1])) end++;
    bottoms.push(least);
    tops.push(known[end - 1]);
    i = end;
  }
  const result = { tops: Float64Array.from(tops), bottoms: Float64Array.from(bottoms) };
  return { ...result, codes: Uint16Array.from(column, (value) => codeOf(result.tops, value)) };
}

/** The first code whose greatest value is not below the value. */
function codeOf(tops: Float64Array, value: number): number {
  if (Number.isNaN(value)) return MISSING;
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tops[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The value between two neighbouring codes at which a node is divided: `value <= threshold`. */
export function thresholdAfter({ tops, bottoms }: CodedColumn, code: number, next: number): number {
  const middle = tops[code] + (bottoms[next] - tops[code]) / 2;
  return middle < bottoms[next] ? middle : tops[code];
}

/** What a node holds: sites, and the part of each that came here. */
export interface NodeSites {
  readonly sites: Uint32Array;
  readonly weights: Float64Array;
}

/**
 * The sums of a node by code, in order of the codes: `count` entries of `code`, `weight` (of all
 * sites) and `sum` (of the targets). Sites without a value are summed apart.
 */
export class CodeSums {
  count = 0;
  readonly code = new Uint16Array(MISSING + 1);
  readonly weight = new Float64Array(MISSING + 1);
  readonly sum = new Float64Array(MISSING + 1);
  missingWeight = 0;
  missingSum = 0;
  #order = new Uint32Array(0);

  /** `targets` has a value for each site of the table, not of the node. */
  add(column: CodedColumn, node: NodeSites, targets: ArrayLike<number>): void {
    this.missingWeight = 0;
    this.missingSum = 0;
    const n = node.sites.length;
    if (n * Math.log2(n + 1) < column.tops.length) this.#addSorted(column, node, targets);
    else this.#addByTable(column, node, targets);
  }

  #addByTable({ codes, tops }: CodedColumn, node: NodeSites, targets: ArrayLike<number>): void {
    const { weight, sum, code } = this;
    weight.fill(0, 0, tops.length);
    sum.fill(0, 0, tops.length);
    for (let i = 0; i < node.sites.length; i++) {
      const site = node.sites[i];
      const c = codes[site];
      const w = node.weights[i];
      if (c === MISSING) {
        this.missingWeight += w;
        this.missingSum += w * targets[site];
      } else {
        weight[c] += w;
        sum[c] += w * targets[site];
      }
    }
    let count = 0;
    for (let c = 0; c < tops.length; c++) {
      if (weight[c] === 0) continue;
      code[count] = c;
      weight[count] = weight[c];
      sum[count++] = sum[c];
    }
    this.count = count;
  }

  #addSorted({ codes }: CodedColumn, node: NodeSites, targets: ArrayLike<number>): void {
    const { weight, sum, code } = this;
    const n = node.sites.length;
    if (this.#order.length < n) this.#order = new Uint32Array(2 * n);
    const order = this.#order.subarray(0, n);
    // Code and place in one number, so that the sort needs no comparison function.
    const places = new Float64Array(n);
    for (let i = 0; i < n; i++) places[i] = codes[node.sites[i]] * 2 ** 32 + i;
    places.sort();
    for (let i = 0; i < n; i++) order[i] = places[i] % 2 ** 32;
    let count = 0;
    for (let k = 0; k < n; k++) {
      const site = node.sites[order[k]];
      const w = node.weights[order[k]];
      const c = codes[site];
      if (c === MISSING) {
        this.missingWeight += w;
        this.missingSum += w * targets[site];
      } else if (count > 0 && code[count - 1] === c) {
        weight[count - 1] += w;
        sum[count - 1] += w * targets[site];
      } else {
        code[count] = c;
        weight[count] = w;
        sum[count++] = w * targets[site];
      }
    }
    this.count = count;
  }
}

/** Divides a node: sites without a value go to both sides, in parts. */
export function divide(
  node: NodeSites,
  column: CodedColumn,
  lastLeft: number,
  shareLeft: number,
): [left: NodeSites, right: NodeSites] {
  const { codes } = column;
  const side = (keeps: (code: number) => boolean, share: number): NodeSites => {
    const sites: number[] = [];
    const weights: number[] = [];
    for (let i = 0; i < node.sites.length; i++) {
      const code = codes[node.sites[i]];
      const weight = code === MISSING ? share * node.weights[i] : node.weights[i];
      if ((code !== MISSING && !keeps(code)) || weight < LEAST_WEIGHT) continue;
      sites.push(node.sites[i]);
      weights.push(weight);
    }
    return { sites: Uint32Array.from(sites), weights: Float64Array.from(weights) };
  };
  return [
    side((code) => code <= lastLeft, shareLeft),
    side((code) => code > lastLeft, 1 - shareLeft),
  ];
}

/** Smaller parts of a site are dropped: they cost time and change nothing. */
const LEAST_WEIGHT = 1e-3;
