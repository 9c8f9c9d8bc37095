import type { Web } from '../../src/lab/web.ts';
import type { SiteSums } from '../../src/spam/features/content/site-sums.ts';
import { LiveModel } from '../../src/spam/live/live-model.ts';
import type { SpamModel } from '../../src/spam/model.ts';

/** Verdicts by the truth, once a page was read. */
export class TruthModel extends LiveModel {
  readonly #web: Web;

  constructor(model: SpamModel, path: string, web: Web) {
    super(model, path);
    this.#web = web;
  }

  override verdict(name: string, sums: SiteSums): number {
    return sums.pages > 0 && this.#web.placeOf(name)?.domain.kind.spam ? 1 : 0;
  }
}
