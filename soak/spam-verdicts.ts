/**
 * The verdicts that a crawl must have given, computed from nothing but its archive: sums of all its
 * pages, domain by domain. They do not depend on the order of the pages, nor on how often the crawl
 * was killed. Whose text a page has follows from the order of the pages of an agent.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { headEnd, payloadOf } from '../src/archive/warc/http-block.ts';
import { isWarcName } from '../src/archive/warc/warc-names.ts';
import { readWarc, type WarcRecord } from '../src/archive/warc/warc-reader.ts';
import { agentOfFile } from '../src/archive/write/recovery.ts';
import { fingerprintAndWords } from '../src/duplicates/fingerprint.ts';
import { FirstTexts } from '../src/duplicates/first-texts.ts';
import { decodeContent } from '../src/fetch/decode.ts';
import { readHead } from '../src/fetch/response-head.ts';
import { isHtml } from '../src/parse/is-html.ts';
import { PageMeter } from '../src/spam/features/content/page-meter.ts';
import { isHome, siteOf } from '../src/spam/features/sites.ts';
import { DomainSums } from '../src/spam/live/domain-sums.ts';
import type { LiveModel } from '../src/spam/live/live-model.ts';

/** The verdict on each domain with pages, of which there must be fewer than 400 each. */
export async function verdictsByArchive(
  dir: string,
  model: LiveModel,
): Promise<Map<string, number>> {
  const meter = new PageMeter(model.words);
  const sums = new Map<string, DomainSums>();
  /** Any number for each domain. */
  const numbers = new Map<string, number>();
  const textsOf = new Map<string | undefined, FirstTexts>();
  const archive = join(dir, 'archive');
  for (const file of readdirSync(archive).filter(isWarcName).sort()) {
    const agent = agentOfFile(file);
    const texts = textsOf.get(agent) ?? new FirstTexts();
    textsOf.set(agent, texts);
    for await (const record of readWarc(join(archive, file))) {
      const body = await pageIn(record);
      if (!body) continue;
      const url = record.headers.targetUri as string;
      const domain = siteOf(url, 'domain');
      const own = sums.get(domain) ?? DomainSums.begin(domain, model);
      const { words } = fingerprintAndWords(body);
      if (!numbers.has(domain)) numbers.set(domain, numbers.size);
      const isCopied = model.copies && texts.enter(words, numbers.get(domain) as number);
      own.add(meter.measure(words), isHome(url, 'domain'), isCopied);
      sums.set(domain, own);
    }
  }
  return new Map(
    [...sums].map(([domain, own]) => {
      own.judge(domain, model);
      return [domain, own.spam];
    }),
  );
}

/** The decoded body of an HTML page of status 200. */
async function pageIn({ type, block, headers }: WarcRecord): Promise<Uint8Array | undefined> {
  if (type !== 'response' || headers.targetUri?.endsWith('/robots.txt')) return undefined;
  const head = readHead(Buffer.from(block.subarray(0, headEnd(block))));
  const payload = payloadOf(block);
  if (head?.status !== 200 || !isHtml(head.headers.get('content-type'), payload)) return undefined;
  return (await decodeContent({ payload, headers: head.headers })).body;
}
