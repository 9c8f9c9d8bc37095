/**
 * How much a page changed: "Temporal Wikipedia search by edits and linkage" (Göbölös-Szabó and
 * Benczúr 2013), section 2.1.
 *
 *   change(u) = |ln in₂/in₁| + |ln out₂/out₁| + |ln words₂/words₁|
 *
 * A count of 0, or of a page that is not there, is taken as 1. This reproduces the paper's Table 1.
 */

/** What a page has at one time; all 0 if it is not there. */
export interface Counts {
  readonly in: number;
  readonly out: number;
  readonly words: number;
}

const FIELDS = ['in', 'out', 'words'] as const;

/** The three parts of the change. */
export function changeParts(before: Counts, after: Counts): Counts {
  const [into, out, words] = FIELDS.map((field) =>
    Math.abs(Math.log(Math.max(1, after[field]) / Math.max(1, before[field]))),
  );
  return { in: into, out, words };
}

export const changeOf = (before: Counts, after: Counts): number => {
  const parts = changeParts(before, after);
  return parts.in + parts.out + parts.words;
};
