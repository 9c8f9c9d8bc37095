/** Reads a page from an earlier collection, after its server has confirmed it with status 304. */
import { type EarlierPage, earlierRecord } from '../../archive/payloads/earlier-pages.ts';
import { headEnd, payloadOf } from '../../archive/warc/http-block.ts';
import type { Disk } from '../../disk/disk.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { readHead } from '../../fetch/response-head.ts';
import type { ConfirmedPage } from './page-intake.ts';

/** Undefined if the collection no longer has it: then no links are known. */
export async function confirmedPage(
  disk: Disk,
  page: EarlierPage,
): Promise<ConfirmedPage | undefined> {
  const block = (await earlierRecord(disk, page))?.block;
  const end = block ? headEnd(block) : -1;
  const head =
    block && end >= 0 ? readHead(Buffer.from(block.buffer, block.byteOffset, end)) : undefined;
  if (!block || !head) return undefined;
  const { body } = await decodeContent({ payload: payloadOf(block), headers: head.headers });
  return { headers: head.headers, body };
}
