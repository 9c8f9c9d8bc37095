/** The result of a check: the fact, and a remedy if the verdict is not `ok`. */
export interface Finding {
  readonly check: string;
  /** `fair`: a crawl works, but less well than it could. */
  readonly verdict: 'ok' | 'fair' | 'bad';
  readonly fact: string;
  readonly remedy?: string;
}

export const ok = (check: string, fact: string): Finding => ({ check, verdict: 'ok', fact });
export const fair = (check: string, fact: string, remedy: string): Finding => ({
  check,
  verdict: 'fair',
  fact,
  remedy,
});
export const bad = (check: string, fact: string, remedy: string): Finding => ({
  check,
  verdict: 'bad',
  fact,
  remedy,
});
