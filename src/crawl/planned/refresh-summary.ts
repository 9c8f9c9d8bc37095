/** What a refresh has found: `refresh/summary.json` in its folder, which the report shows. */
export const REFRESH_SUMMARY = 'summary.json';

export interface RefreshSummary {
  /** The collection that was refreshed. */
  readonly old: string;
  /** How its pages were ordered, and tested. */
  readonly by: string;
  readonly test: string;
  readonly alpha: number;
  readonly pages: number;
  /** Pages tested first. */
  readonly sample: number;
  readonly tested: number;
  readonly alive: number;
  readonly dead: number;
  readonly unknown: number;
  /** Estimated from the sample, with its 95 % interval; absent before the sample is tested. */
  readonly living?: { readonly living: number; readonly low: number; readonly high: number };
  /** The living pages to find. */
  readonly wanted?: number;
  /** Requests for pages, targets of redirects and made-up URLs. */
  readonly requests: number;
  readonly verdicts: Readonly<Record<string, number>>;
  /** Pages by status, as in Table 1 of the paper: `404`, `no answer`, `301`, `200`, … */
  readonly statuses: Readonly<Record<string, number>>;
  /** Living pages found after so many tests. */
  readonly curve: readonly { readonly tested: number; readonly alive: number }[];
}
