/**
 * The first look at a WARC file: what must be known of all pages before one can be read.
 *
 * Idea      Blocks that repeat on a site, revisits and what a robots.txt says about the use of its
 *           site lie anywhere in the archive. A survey collects them from one file: the keys of
 *           blocks (src/text/repeats.ts), the records that revisits refer to, the refusals of
 *           sites. The first 64 pages of a host in the file are enough for its blocks. On the way
 *           it finds where the file can be divided and where it is damaged.
 * Format    .keys: for each page the number of its keys (u32), then the keys. .revisits: a line for
 *           each revisit, with the key of the record it refers to (revisits.ts).
 */
import { payloadOf } from '../archive/warc/http-block.ts';
import { readWarc, type WarcRecord } from '../archive/warc/warc-reader.ts';
import { decodeContent } from '../fetch/decode.ts';
import { readBlocks } from '../text/read-blocks.ts';
import { repeatKeys } from '../text/repeats.ts';
import { canonicalise } from '../url/canonical.ts';
import { hostOf, originOf, pathOf } from '../url/parts.ts';
import { type UsageRule, usageRules } from './opt-out.ts';
import { addTo, type CorpusPlan, type Counts } from './plan.ts';
import { revisitKey } from './revisits.ts';
import { headOf, pageOf } from './stored-page.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Survey {
  readonly crawl: string;
  readonly records: number;
  readonly pages: number;
  /** Records that are no pages, by reason. */
  readonly others: Counts;
  readonly revisits: number;
  /** Where segments begin. */
  readonly starts: readonly number[];
  /** Up to where the file is sound. */
  readonly end: number;
  readonly damage?: string;
  /** Refusals by origin. */
  readonly usages: readonly (readonly [origin: string, rules: readonly UsageRule[]])[];
}

const ROBOTS_BYTES = 500 * 1024;
/** Pages of a host in one file whose blocks are counted: so many show what repeats. */
const SAMPLE = 64;
const BATCH_BYTES = 2 ** 20;

export async function survey(work: WorkFolder, plan: CorpusPlan, index: number): Promise<Survey> {
  const input = plan.inputs[index];
  const { maxPage, sizes, extract } = plan.settings;
  const others: Counts = {};
  const starts: number[] = [0];
  const usages: [string, UsageRule[]][] = [];
  const sampled = new Map<string, number>();
  let [records, pages, revisits, crawl] = [0, 0, 0, input.crawl];
  const paths = [work.file('survey', index, 'keys'), work.file('survey', index, 'revisits')];
  const reader = readWarc(input.path, { disk: work.disk });
  await work.write(paths, async ([keysFile, revisitsFile]) => {
    const keys = new Batches(keysFile);
    const lines = new Batches(revisitsFile);
    for await (const record of reader) {
      records++;
      const last = starts[starts.length - 1];
      if (record.offset >= last + sizes.segment) starts.push(record.offset);
      if (record.type === 'warcinfo' && !input.inCrawl) crawl = partOf(record) ?? crawl;
      if (record.type === 'revisit') {
        revisits++;
        await lines.add(Buffer.from(`${revisitKey(record)}\n`));
      }
      const page = await pageOf(record, maxPage);
      if (typeof page === 'string') {
        addTo(others, page);
        if (page === 'robots.txt') usages.push(...(await usagesOf(record)));
        continue;
      }
      pages++;
      const host = hostOf(page.canonical);
      const before = sampled.get(host) ?? 0;
      if (extract !== 'main' || before >= SAMPLE) continue;
      sampled.set(host, before + 1);
      const { blocks } = readBlocks(page.body, {
        contentType: page.contentType,
        maxBytes: maxPage,
      });
      const found = repeatKeys(host, blocks);
      await keys.add(new Uint8Array(Uint32Array.of(found.length).buffer));
      await keys.add(new Uint8Array(found.buffer, found.byteOffset, found.byteLength));
    }
    await keys.flush();
    await lines.flush();
  });
  const { fault } = reader;
  const damage = fault && `${fault.kind} at byte ${fault.offset}: ${fault.fact}`;
  return {
    ...{ crawl, records, pages, others, revisits, starts, usages },
    end: reader.wholeLength,
    ...(damage !== undefined && { damage }),
  };
}

/** `isPartOf` of a warcinfo record. */
function partOf({ block }: WarcRecord): string | undefined {
  const text = Buffer.from(block.subarray(0, 2 ** 16)).toString('utf8');
  return /^isPartOf:[ \t]*(\S.*?)\s*$/im.exec(text)?.[1];
}

async function usagesOf(record: WarcRecord): Promise<[string, UsageRule[]][]> {
  const head = headOf(record);
  const url = canonicalise(record.headers.targetUri ?? '');
  if (head?.status !== 200 || url === undefined || pathOf(url) !== '/robots.txt') return [];
  const { body } = await decodeContent({
    payload: payloadOf(record.block),
    headers: head.headers,
  });
  const rules = usageRules(body.subarray(0, ROBOTS_BYTES));
  return rules.length === 0 ? [] : [[originOf(url), rules]];
}

/** Pieces that are written together. */
class Batches {
  readonly #file: { writeAll(bytes: Uint8Array, position: number): Promise<void> };
  #pieces: Uint8Array[] = [];
  #held = 0;
  #position = 0;

  constructor(file: { writeAll(bytes: Uint8Array, position: number): Promise<void> }) {
    this.#file = file;
  }

  async add(piece: Uint8Array): Promise<void> {
    this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#held >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    await this.#file.writeAll(Buffer.concat(this.#pieces), this.#position);
    this.#position += this.#held;
    this.#pieces = [];
    this.#held = 0;
  }
}
