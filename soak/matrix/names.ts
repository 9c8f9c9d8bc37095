/**
 * Every shape of a DNS answer, from a grammar: the crawl ends, the names with such answers fail by
 * name or are refused, and the good site is archived whole.
 */
import fc from 'fast-check';
import { wireAnswer, wireServer } from '../../test/net/answer-grammar.ts';
import { harmless, onLoopback } from '../hostile/names.ts';
import { countUp, type Findings, lostIn, MatrixCrawl, matrixSite } from './case.ts';

/** Names of one crawl. */
const AT_ONCE = 100;

export async function answerAnything(answers: number, seed: number): Promise<Findings> {
  const all = fc.sample(wireAnswer, { numRuns: answers, seed }).map(onLoopback);
  const tried = await harmless(all);
  const outcomes: Record<string, number> = {};
  const failures: string[] = [];
  for (let from = 0; from < tried.length; from += AT_ONCE) {
    const some = tried.slice(from, from + AT_ONCE);
    const server = await wireServer((name) => some[Number(/\d+/.exec(name)?.[0]) % some.length]);
    const site = await matrixSite();
    const crawl = new MatrixCrawl(site);
    const port = new URL(site.origin).port;
    const seeds = some.map((_, i) => `http://n${i}.test:${port}/`);
    try {
      const options = { dns: [server.address], allowPrivate: ['127.0.0.1/32'] };
      const summary = await crawl.run(options, seeds);
      for (const [fault, count] of Object.entries(summary.errors))
        for (let i = 0; i < count; i++) countUp(outcomes, fault);
      const lost = lostIn(summary);
      const where = `seed ${seed}, answers from ${from}`;
      if (lost !== 0) failures.push(`${where}: ${lost} URLs are not accounted for`);
      if (summary.errors['internal-error']) failures.push(`${where}: internal errors`);
      failures.push(...(await crawl.faults(summary)).map((fault) => `${where}: ${fault}`));
    } catch (error) {
      failures.push(`seed ${seed}, answers from ${from}: ${(error as Error).stack}`);
    } finally {
      crawl.remove();
      await site.close();
      await server.close();
    }
  }
  return { cases: tried.length, outcomes, failures };
}
