/**
 * What a learner learns from: sites with their features, and what each is known to be.
 *
 * Features are columns, because learners look at one feature of many sites. A missing value is NaN.
 * Weights let a learner count a site more than once, or not at all.
 */
export interface Examples {
  readonly names: readonly string[];
  /** One column for each name, one value for each site. */
  readonly columns: readonly Float64Array[];
  /** 1 for spam, 0 for ham. */
  readonly spam: Uint8Array;
  readonly weights: Float64Array;
}

export function examplesOf(
  names: readonly string[],
  columns: readonly Float64Array[],
  spam: Uint8Array,
): Examples {
  return { names, columns, spam, weights: new Float64Array(spam.length).fill(1) };
}

/** The sites at the given places, in that order; a place may occur twice. */
export function pick(examples: Examples, places: ArrayLike<number>): Examples {
  const { names, columns, spam, weights } = examples;
  const take = <T extends Float64Array | Uint8Array>(from: T, into: T): T => {
    for (let i = 0; i < places.length; i++) into[i] = from[places[i]];
    return into;
  };
  return {
    names,
    columns: columns.map((column) => take(column, new Float64Array(places.length))),
    spam: take(spam, new Uint8Array(places.length)),
    weights: take(weights, new Float64Array(places.length)),
  };
}

/** The features of one site, into `row`. */
export function rowOf({ columns }: Pick<Examples, 'columns'>, site: number, row: Float64Array) {
  for (let j = 0; j < columns.length; j++) row[j] = columns[j][site];
  return row;
}

/** The weight of all sites, and of the spam among them. */
export function totals({ spam, weights }: Examples): { all: number; spam: number } {
  let all = 0;
  let bad = 0;
  for (let i = 0; i < spam.length; i++) {
    all += weights[i];
    if (spam[i]) bad += weights[i];
  }
  return { all, spam: bad };
}
