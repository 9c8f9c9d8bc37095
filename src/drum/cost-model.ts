/**
 * What checking URLs for uniqueness costs: the models of section 4 of the IRLbot paper (Lee,
 * Leonard, Wang, Loguinov: "IRLbot: scaling to 6 billion pages and beyond", WWW 2008), as
 * functions.
 *
 * The overhead α is how many times the bytes of all parsed links move between memory and disk. The
 * letters are the paper's; its tables are computed with decimal units (1 GB is 10^9 bytes, 256 KB
 * is 256,000).
 */
export interface CostParameters {
  /** N: pages to be downloaded. */
  readonly pages: number;
  /** l: links on a page. */
  readonly linksPerPage: number;
  /** R: bytes of memory for the check. */
  readonly memory: number;
  /** D: bytes of disk for the buckets of DRUM. */
  readonly disk: number;
  /** b: bytes of a URL. */
  readonly urlBytes: number;
  /** p: share of the links that are new. */
  readonly uniqueShare: number;
  /** U: URLs known at the start. */
  readonly seen: number;
  /** H and P: bytes of a hash and of a pointer. */
  readonly hashBytes: number;
  readonly pointerBytes: number;
  /** q: what compression leaves of a URL (Polybot). */
  readonly compression: number;
  /** M: bytes of the buffer of an open file. */
  readonly bufferBytes: number;
}

/** The paper's example; only pages, memory and disk vary in its tables. */
export const PAPER: CostParameters = {
  pages: 800e6,
  linksPerPage: 59,
  memory: 1e9,
  disk: 4.39e12,
  urlBytes: 110,
  uniqueShare: 1 / 9,
  seen: 100e6,
  hashBytes: 8,
  pointerBytes: 4,
  compression: 0.05,
  bufferBytes: 256e3,
};

/** n: links that are checked. */
function linksChecked(c: CostParameters): number {
  return c.linksPerPage * c.pages;
}

/** Theorem 1, equation (1). */
export function mercatorOverhead(c: CostParameters): number {
  const merges = (2 * repositoryTerm(c) * (c.hashBytes + c.pointerBytes)) / (c.urlBytes * c.memory);
  return merges + 2 + c.uniqueShare;
}

/** Theorem 1, equation (2). */
export function polybotOverhead(c: CostParameters): number {
  const stored = c.urlBytes * c.compression;
  const texts = 2 * c.seen * stored + c.uniqueShare * stored * linksChecked(c);
  return (2 * texts * (c.urlBytes + 4 * c.pointerBytes)) / (c.urlBytes * c.memory) + c.uniqueShare;
}

/**
 * Theorem 2, equation (5): limited by memory while memory cannot fill the disk, else by the disk.
 */
export function drumOverhead(c: CostParameters): number {
  const merges =
    c.memory ** 2 < memoryForDisk(c)
      ? (8 * c.bufferBytes * (c.hashBytes + c.pointerBytes) * repositoryTerm(c)) /
        (c.urlBytes * c.memory ** 2)
      : ((c.hashBytes + c.urlBytes) * repositoryTerm(c)) / (c.urlBytes * c.disk);
  return merges + leastOverhead(c);
}

/** The least overhead of any method that stores both hashes and URLs on disk: 2 + p + 2H/b. */
export function leastOverhead(c: CostParameters): number {
  return 2 + c.uniqueShare + (2 * c.hashBytes) / c.urlBytes;
}

/** Equation (6): the largest disk that this memory can use. */
export function optimalDisk(c: CostParameters): number {
  return (
    (c.memory ** 2 * (c.hashBytes + c.urlBytes)) /
    (8 * c.bufferBytes * (c.hashBytes + c.pointerBytes))
  );
}

/** The number of buckets at the optimal disk. */
export function optimalBuckets(c: CostParameters): number {
  return c.memory / (4 * c.bufferBytes);
}

export function optimalBucketBuffer(c: CostParameters): number {
  return (c.memory * c.hashBytes) / (2 * (c.hashBytes + c.pointerBytes));
}

/**
 * Theorem 3, equation (7): pages a second that a disk of this bandwidth (bytes a second) allows.
 */
export function pagesPerSecond(c: CostParameters, overhead: number, bandwidth: number): number {
  return bandwidth / (overhead * c.urlBytes * c.linksPerPage);
}

/** The disk of Table 3: as large as the hashes that the crawl adds, at least 1 TB. */
export function growingDisk(c: CostParameters): number {
  return Math.max(c.uniqueShare * c.hashBytes * linksChecked(c), 1e12);
}

/** 2UH + pHn: twice what the repository holds, summed over the merges, per merge. */
function repositoryTerm(c: CostParameters): number {
  return 2 * c.seen * c.hashBytes + c.uniqueShare * c.hashBytes * linksChecked(c);
}

/** Λ: the square of the memory that can fill the disk. */
function memoryForDisk(c: CostParameters): number {
  return (8 * c.bufferBytes * c.disk * (c.hashBytes + c.pointerBytes)) / (c.hashBytes + c.urlBytes);
}
