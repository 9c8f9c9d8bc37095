/**
 * Copies in a crawl with verdicts, by the truth: how many of their texts were fetched before, and
 * how many of them the crawl's table of first texts finds.
 *
 * Idea      A copy can be told only by a text that was fetched elsewhere before. The truth knows
 *           whose text a page has, so it shows how much any comparison of texts could find.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../src/config/settings.ts';
import { FirstTexts, type PageText } from '../../src/duplicates/first-texts.ts';
import { textAt } from '../../src/lab/judge/truth.ts';
import type { Web } from '../../src/lab/web.ts';
import { VirtualCrawl } from '../../src/simulator/crawl.ts';
import { POLICIES, type Policy } from '../../src/simulator/policies.ts';
import { isHonest } from '../../src/simulator/tally.ts';
import type { LiveModel } from '../../src/spam/live/live-model.ts';
import { hostOf, pathOf } from '../../src/url/parts.ts';
import { STAGES } from './lab-model.ts';
import { SETTINGS } from './settings.ts';

type Group = 'honest' | 'copy' | 'other';

/** A domain, by its measured pages. */
interface Seen {
  readonly group: Group;
  pages: number;
  /** Pages whose text another domain had before, by the truth and by the table. */
  truly: number;
  found: number;
  /** Pages after another page of the original's domain. */
  late: number;
  /** The share found at each stage that was reached. */
  readonly shares: Map<number, number>;
}

class CopyLook {
  readonly #web: Web;
  readonly #texts = new FirstTexts();
  readonly #seen = new Map<number, Seen>();
  /** The domain that had a text first. */
  readonly #first = new Map<string, number>();

  constructor(web: Web) {
    this.#web = web;
  }

  page(url: string, text: PageText): void {
    const host = hostOf(url);
    const domain = this.#web.placeOf(host)?.domain;
    const whose = textAt(this.#web, host, pathOf(url));
    if (!domain || whose === undefined) return;
    const { index, kind } = domain;
    const group = kind.name === 'copy' ? 'copy' : isHonest(kind) ? 'honest' : 'other';
    const none = { group, pages: 0, truly: 0, found: 0, late: 0, shares: new Map() } as const;
    const own: Seen = this.#seen.get(index) ?? { ...none };
    const original = /^page (\d+) /.exec(whose)?.[1];
    if (original !== undefined && Number(original) !== index && this.#seen.has(Number(original)))
      own.late++;
    this.#seen.set(index, own);
    own.pages++;
    if (original !== undefined && (this.#first.get(whose) ?? index) !== index) own.truly++;
    if (!this.#first.has(whose)) this.#first.set(whose, index);
    if (this.#texts.enter(text, index)) own.found++;
    if (STAGES.includes(own.pages)) own.shares.set(own.pages, own.found / own.pages);
  }

  toString(): string {
    const lines = (['copy', 'honest', 'other'] as const).map((group) => {
      const own = [...this.#seen.values()].filter((seen) => seen.group === group);
      const sum = (of: (seen: Seen) => number) => own.reduce((all, seen) => all + of(seen), 0);
      const all = `${own.length} domains, ${sum(({ pages }) => pages)} measured pages`;
      const late = `the original's domain was fetched before ${sum((seen) => seen.late)}`;
      const truly = `the text before ${sum((seen) => seen.truly)}, found ${sum((seen) => seen.found)}`;
      const stages = STAGES.map((stage) => {
        const reached = own.flatMap(({ shares }) => shares.get(stage) ?? []);
        const above = (least: number) => reached.filter((share) => share > least).length;
        return `${stage}: ${above(0)}, ${above(0.1)}, ${above(0.5)} of ${reached.length}`;
      });
      return `  ${group}: ${all}; ${late}, ${truly}\n    above 0, 0.1, 0.5 after ${stages.join('; ')}`;
    });
    return lines.join('\n');
  }
}

export async function lookAtCopies(web: Web, model: LiveModel, pages: number): Promise<string> {
  const look = new CopyLook(web);
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-copies-'));
  const policy: Policy = async (parts) => {
    const order = await POLICIES['tse+spam'](parts);
    const { spam } = order;
    if (!spam) throw new Error('a policy without verdicts');
    return {
      ...order,
      spam: {
        wants: (domain) => spam.wants(domain),
        measure: (words) => spam.measure(words),
        shuts: (domain) => spam.shuts(domain),
        committed: (domain, url, page) => {
          if (page) look.page(url, page);
          spam.committed(domain, url, page);
        },
      },
    };
  };
  const config = resolveConfig({ ...SETTINGS, spam: 'model.json' });
  const crawl = await VirtualCrawl.open({ web, policy, config, spamModel: model, folder });
  try {
    await crawl.run(pages);
  } finally {
    await crawl.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return look.toString();
}
