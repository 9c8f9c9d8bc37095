/** The documents of the scenario `papers`, read as a crawler reads them. */
import { describe, expect, test } from 'vitest';
import { documentTruths } from '../../src/lab/judge/document-truth.ts';
import { scenarioOf } from '../../src/lab/scenario.ts';
import { Web } from '../../src/lab/web.ts';
import { DOCUMENT_LIMITS } from '../../src/text/documents/document-text.ts';
import { readDocument } from '../../src/text/documents/read-document.ts';
import { isUseful } from '../focus/judge-text.ts';

const webAt = (step: number, name = 'papers') =>
  new Web({
    ...{ seed: 3, scenario: scenarioOf(name), step, domains: 400, pages: 60 },
    ...{ httpPort: 8080, httpsPort: 0, realSuffixes: false },
  });
const web = webAt(0);
const truths = [...documentTruths(web)];
const bytesOf = (url: string) => {
  const { hostname, pathname, search } = new URL(url);
  return Buffer.from(web.answer(hostname, pathname + search)?.body ?? '', 'latin1');
};
describe('documents of the lab', () => {
  test('are of all kinds and formats', () => {
    expect(new Set(truths.map(({ kind }) => kind)).size).toBe(4);
    const endings = new Set(truths.map(({ url }) => /(\.pdf|\.ps)(\.gz)?$/.exec(url)?.[0]));
    expect(endings).toEqual(new Set(['.pdf', '.pdf.gz', '.ps', '.ps.gz']));
  });

  test('are cited unequally: a tenth of the papers has two fifths of the citations', () => {
    const counts = truths.filter(({ useful }) => useful).map(({ citations }) => citations);
    counts.sort((a, b) => b - a);
    const sum = (of: readonly number[]) => of.reduce((a, b) => a + b, 0);
    expect(sum(counts.slice(0, counts.length / 10)) / sum(counts)).toBeGreaterThan(0.4);
  });

  test('one citation in twenty leads to no paper', () => {
    const junk = truths.filter(({ useful, citations }) => !useful && citations > 0).length;
    expect(junk).toBeGreaterThan(0);
  });

  test('appear at every step', () => {
    const born = new Set([...documentTruths(webAt(3))].map(({ born }) => born));
    expect([...born].sort()).toEqual([0, 1, 2, 3]);
  });

  test('are useful by default as the truth says, with precision and recall of 0.95', async () => {
    const every = (n: number, of: typeof truths) =>
      of.filter((_, i) => i % Math.ceil(of.length / n) === 0);
    const isAccepted = async ({ url }: { readonly url: string }) => {
      const { status, text } = await readDocument(bytesOf(url), DOCUMENT_LIMITS);
      expect(status).toBe('ok');
      return isUseful(text);
    };
    const papers = every(
      80,
      truths.filter(({ kind }) => kind === 'paper'),
    );
    const others = every(
      120,
      truths.filter(({ kind }) => kind === 'notes'),
    );
    let [hits, alarms] = [0, 0];
    for (const paper of papers) if (await isAccepted(paper)) hits++;
    for (const other of others) if (await isAccepted(other)) alarms++;
    const of = (kind: string) => truths.filter((truth) => truth.kind === kind).length;
    const [accepted, wrong] = [
      (hits / papers.length) * of('paper'),
      (alarms / others.length) * of('notes'),
    ];
    expect(hits / papers.length).toBeGreaterThanOrEqual(0.95);
    expect(accepted / (accepted + wrong)).toBeGreaterThanOrEqual(0.95);
    // Slides and brochures are never long enough.
    for (const kind of ['slides', 'brochure'])
      for (const truth of every(
        15,
        truths.filter((each) => each.kind === kind),
      ))
        expect(await isAccepted(truth)).toBe(false);
  });

  test('name the documents they cite, in every format', async () => {
    const cited = new Set(truths.filter(({ citations }) => citations > 0).map(({ url }) => url));
    for (const ending of ['.pdf', '.pdf.gz', '.ps', '.ps.gz']) {
      const found = truths
        .filter(({ url, useful }) => useful && url.endsWith(ending) && !url.endsWith(`x${ending}`))
        .slice(0, 6);
      const addresses = await Promise.all(
        found.map(async ({ url }) => (await readDocument(bytesOf(url), DOCUMENT_LIMITS)).addresses),
      );
      expect(addresses.flat().length).toBeGreaterThan(0);
      expect(addresses.flat().filter((url) => !cited.has(url))).toEqual([]);
    }
  });

  test('exist only in this scenario', () => {
    expect(() => [...documentTruths(webAt(0, 'clean'))]).toThrow('Choose --scenario papers');
  });
});
