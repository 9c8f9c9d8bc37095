/** The Google matrix of a graph as a program sees it. */

/** How to compute the plane of a graph. */
export interface PlaneRequest {
  /** The probability of following a link instead of jumping. Default: 0.85. */
  readonly alpha?: number;
  /** The largest error of all probabilities together. Default: 1e-9. */
  readonly tolerance?: number;
  /** The most iterations. Default: 1000. */
  readonly iterations?: number;
  /** The number of threads. Default: 1. */
  readonly threads?: number;
  /** The memory for everything that grows with the graph, in bytes. Default: 2 GiB. */
  readonly memory?: number;
  /** Called now and then with the share of the work that is done, 0 to 1. */
  readonly onProgress?: (done: number) => void;
  /** Stops the work. */
  readonly signal?: AbortSignal;
}

/** The plane of PageRank and CheiRank. */
export interface Plane {
  /** The number of nodes. */
  readonly nodes: number;
  /** The number of arcs. */
  readonly arcs: number;
  /** The probability of following a link. */
  readonly alpha: number;
  /** Whether both rankings reached the tolerance. */
  readonly converged: 'yes' | 'no';
  /** N times the sum of P(i) P*(i), less 1. */
  readonly correlator: number;
  /** PageRank by place. */
  readonly pagerank: PlaneCurve;
  /** CheiRank by place. */
  readonly cheirank: PlaneCurve;
  /** The names of the first ten by 2DRank. */
  readonly first2d: readonly string[];
  /** Where nodes are on the plane. */
  readonly density: Density;
  /** The line along which most more nodes lie than by chance; absent if there is none. */
  readonly ridge?: Ridge;
}

/** Probabilities by place. */
export interface PlaneCurve {
  /** Places at equal distances in their logarithms, and the probabilities there. */
  readonly points: readonly (readonly [place: number, probability: number])[];
  /** The fitted power law; absent in a graph of one node. */
  readonly exponent?: Exponent;
  /** The names of the first ten. */
  readonly first: readonly string[];
}

/** A power law fitted to probabilities by place: P ~ 1 / place^exponent. */
export interface Exponent {
  /** The exponent; positive if probabilities fall. */
  readonly exponent: number;
  /** The share of the variance of the logarithms that the law explains. */
  readonly fit: number;
  /** The logarithm of the law at place 1. */
  readonly intercept: number;
  /** The first place of the fit. */
  readonly from: number;
  /** The last place of the fit. */
  readonly to: number;
}

/** Nodes in 100 × 100 cells, at equal distances in the logarithms of both places. */
export interface Density {
  /** The nodes in each cell, row after row: columns by PageRank, rows by CheiRank. */
  readonly counts: Uint32Array;
  /** The places in each column and each row. */
  readonly widths: Uint32Array;
  /** The share of a cell's pairs of places that hold a node; 0 where there are none. */
  readonly density: Float64Array;
  /** The first place of each column and row, and one more than the last place at the end. */
  readonly bounds: Uint32Array;
}

/** The line ln K* = ln K + offset. */
export interface Ridge {
  /** The offset. */
  readonly offset: number;
  /** The share of nodes within half a unit of the line. */
  readonly share: number;
  /** The share that chance would give. */
  readonly chance: number;
}

/** How to reduce the matrix to some nodes. */
export interface ReduceRequest {
  /** The names of the nodes, each once; at most 1,000. */
  readonly nodes: readonly string[];
  /** The probability of following a link instead of jumping. Default: 0.85. */
  readonly alpha?: number;
  /** Whether to reverse all arcs. Default: false. */
  readonly reverse?: boolean;
  /** The number of threads. Default: 1. */
  readonly threads?: number;
  /** The memory for everything that grows with the graph, in bytes. Default: 2 GiB. */
  readonly memory?: number;
  /** Called now and then with the share of the work that is done, 0 to 1. */
  readonly onProgress?: (done: number) => void;
  /** Stops the work. */
  readonly signal?: AbortSignal;
}

/** The matrix between some nodes. The entry from node j to node i of n is at j · n + i. */
export interface Reduced {
  /** The nodes found, in the order given. */
  readonly names: readonly string[];
  /** How many names were given. */
  readonly given: number;
  /** The names that the graph lacks. */
  readonly missing: readonly string[];
  /** For the first missing names, the nearest name that the graph has. */
  readonly suggestions: ReadonlyMap<string, string>;
  /** The reduced matrix; the three parts sum to it. */
  readonly total: Float64Array;
  /** The part by direct links. */
  readonly direct: Float64Array;
  /** The part through the leading eigenvector of the other nodes. */
  readonly pagerank: Float64Array;
  /** The hidden rest. */
  readonly hidden: Float64Array;
  /** 1 where there is an arc. */
  readonly linked: Uint8Array;
  /** The share of each part. */
  readonly weights: {
    /** The share of direct links. */
    readonly direct: number;
    /** The share of PageRank's part. */
    readonly pagerank: number;
    /** The share of the hidden rest. */
    readonly hidden: number;
  };
  /** The PageRank of the reduced matrix. */
  readonly scores: Float64Array;
  /** The strongest hidden links between two nodes. */
  readonly strongest: readonly ReducedLink[];
  /** Facts about the run. */
  readonly facts: ReduceFacts;
}

/** A link of the reduced matrix. */
export interface ReducedLink {
  /** The node where it begins. */
  readonly from: string;
  /** The node where it ends. */
  readonly to: string;
  /** The entry of the matrix. */
  readonly total: number;
  /** Its direct part. */
  readonly direct: number;
  /** Its part through PageRank. */
  readonly pagerank: number;
  /** Its hidden part. */
  readonly hidden: number;
  /** Whether there is an arc. */
  readonly linked: boolean;
}

/** Facts about a reduction. */
export interface ReduceFacts {
  /** The probability of following a link. */
  readonly alpha: number;
  /** The leading eigenvalue of the matrix of the other nodes. */
  readonly eigenvalue: number;
  /** Whether its eigenvectors converged; if not, the split is inexact, the total is not. */
  readonly converged: 'yes' | 'no';
  /** The greatest difference of a column's sum from 1. */
  readonly columnError: number;
  /** The greatest difference between the PageRank of the reduced matrix and that of the graph. */
  readonly pagerankError: number;
  /** The number of products with the matrix. */
  readonly products: number;
  /** Whether the arcs were kept in memory or read again for each product. */
  readonly held: 'memory' | 'stream';
}

/** How to find invariant subspaces. */
export interface SubspaceRequest {
  /** Whether to reverse all arcs. Default: false. */
  readonly reverse?: boolean;
  /** A node that reaches more than this share of all nodes is core. Default: 0.1. */
  readonly share?: number;
  /** The memory for everything that grows with the graph, in bytes. Default: 2 GiB. */
  readonly memory?: number;
  /** Called now and then with the share of the work that is done, 0 to 1. */
  readonly onProgress?: (done: number) => void;
  /** Stops the work. */
  readonly signal?: AbortSignal;
}

/** The invariant subspaces of a graph's matrix. */
export interface Subspaces {
  /** The number of nodes. */
  readonly nodes: number;
  /** The number of arcs. */
  readonly arcs: number;
  /** The number of nodes without links. */
  readonly dangling: number;
  /** The number of nodes in subspaces. */
  readonly subspaceNodes: number;
  /** The number of subspaces. */
  readonly subspaces: number;
  /** The number of nodes of the largest subspace. */
  readonly largest: number;
  /** The number of eigenvalues 1. */
  readonly ones: number;
  /** The number of eigenvalues on the unit circle. */
  readonly circle: number;
  /** How many of the eigenvalues 1 belong to the core. */
  readonly coreOnes: number;
  /** How many of the eigenvalues on the circle belong to the core. */
  readonly coreCircle: number;
  /** How many subspaces have each size, the greatest first. */
  readonly sizes: readonly {
    /** The number of nodes. */
    readonly size: number;
    /** How many subspaces have it. */
    readonly count: number;
  }[];
  /** The subspace of each node, from 1, the largest first; 0 is the core. */
  readonly subspaceOf: Uint32Array;
}

/** How to compute a spectrum. */
export interface SpectrumRequest extends SubspaceRequest {
  /** The probability of following a link. Default: 1. */
  readonly alpha?: number;
  /** The vectors in the basis of the core. Default: 500. */
  readonly dimension?: number;
  /** Instead of `dimension`: how many eigenvalues of the core to find, with restarts. */
  readonly values?: number;
  /** How many eigenvectors of the core and of subspaces to return. Default: 5. */
  readonly vectors?: number;
  /** The residual below which an eigenvalue has converged. Default: 1e-10. */
  readonly tolerance?: number;
  /** Draws the start vector. Default: 1. */
  readonly seed?: number;
  /** The number of threads. Default: 1. */
  readonly threads?: number;
}

/** An eigenvalue of a graph's matrix. */
export interface Eigenvalue {
  /** The real part. */
  readonly re: number;
  /** The imaginary part. */
  readonly im: number;
  /** The modulus. */
  readonly modulus: number;
  /** The length of Sψ − λψ over that of ψ, in its diagonal block. */
  readonly residual: number;
  /** How far the eigenvalue moves when the matrix moves by 1. */
  readonly condition: number;
  /** Whether the residual is below the tolerance. */
  readonly converged: boolean;
  /** The number of its subspace; 0 is the core. */
  readonly subspace: number;
}

/** An eigenvector of a graph's matrix. */
export interface Eigenvector {
  /** Its place among the eigenvalues. */
  readonly index: number;
  /** The nodes where it may differ from 0. */
  readonly nodes: Uint32Array;
  /** The real parts of its values there. */
  readonly re: Float64Array;
  /** The imaginary parts. */
  readonly im: Float64Array;
  /** The participation ratio: on how many nodes it is, about. */
  readonly participation: number;
}

/** How the core was solved. */
export interface CoreFacts {
  /** The number of nodes. */
  readonly nodes: number;
  /** The number of nodes with different rows: the length of a vector of the basis. */
  readonly classes: number;
  /** The method. */
  readonly method: 'dense' | 'arnoldi' | 'krylov-schur';
  /** The `dimension` or `values` asked for. */
  readonly asked: number;
  /** The vectors of the basis. */
  readonly dimension: number;
  /** The restarts of `krylov-schur`. */
  readonly restarts?: number;
  /** Whether `krylov-schur` found all values asked for. */
  readonly settled?: boolean;
  /** Whether arcs were in memory or read for each product. */
  readonly held?: 'memory' | 'stream';
}

/** Eigenvalues and eigenvectors of a graph's matrix. */
export interface Spectrum {
  /** The invariant subspaces. */
  readonly subspaces: Subspaces;
  /** The probability of following a link. */
  readonly alpha: number;
  /** The residual below which an eigenvalue has converged. */
  readonly tolerance: number;
  /** The eigenvalues by modulus, the greatest first. */
  readonly eigenvalues: readonly Eigenvalue[];
  /** How many eigenvalues are 0 by the pattern of links; they are not in the list. */
  readonly zeros: number;
  /** How the core was solved; absent if there is none. */
  readonly core?: CoreFacts;
  /** The first eigenvectors of the core, then of subspaces. */
  readonly vectors: readonly Eigenvector[];
}
