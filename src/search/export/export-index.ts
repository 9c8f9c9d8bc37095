/**
 * `drumlin search export`: an index as files that OpenSearch and Quickwit take.
 *
 *   documents-00000.ndjson   the documents, an object a line; for `bulk` after a line with the
 *                            action
 *   opensearch.json          the body that creates the index in OpenSearch
 *   quickwit.json            the configuration of the index in Quickwit
 *
 * Ensures   A file is whole or absent, and holds at most about 50 MB: servers limit a request (to
 *           100 MB in OpenSearch). A folder with other files is refused.
 * Cost      Memory of one file; one pass over the archives.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { writeText } from '../../disk/text-file.ts';
import type { SearchIndex } from '../query/search-index.ts';
import { documentsOf, type VersionDocument } from './documents.ts';
import { OPENSEARCH, QUICKWIT } from './mappings.ts';

export type ExportFormat = 'bulk' | 'jsonl';

interface ExportCounts {
  readonly documents: number;
  readonly files: number;
  /** Documents without a text, because their archive is gone. */
  readonly withoutText: number;
}

const FILE_BYTES: Bytes = 50e6;

export async function exportIndex(
  index: SearchIndex,
  out: string,
  {
    format,
    disk,
    fileBytes = FILE_BYTES,
    onProgress,
    signal,
  }: {
    readonly format: ExportFormat;
    readonly disk: Disk;
    readonly fileBytes?: Bytes;
    readonly onProgress?: (share: number) => void;
    readonly signal?: AbortSignal;
  },
): Promise<ExportCounts> {
  await disk.makeFolder(out);
  if ((await disk.list(out)).length > 0)
    throw new DrumlinError('FOLDER_NOT_EMPTY', `${out} is not empty.`, 'Name another folder.', {
      exitCode: EXIT.folder,
    });
  let [documents, files, withoutText] = [0, 0, 0];
  let lines: Buffer[] = [];
  let bytes: Bytes = 0;
  const flush = async () => {
    if (lines.length === 0) return;
    const name = `documents-${String(files++).padStart(5, '0')}.ndjson`;
    await writeLines(disk, join(out, name), [Buffer.concat(lines)]);
    [lines, bytes] = [[], 0];
  };
  for await (const { document, hasText } of documentsOf(index, disk)) {
    signal?.throwIfAborted();
    const line = Buffer.from(linesOf(document, format));
    if (bytes + line.length > fileBytes) await flush();
    lines.push(line);
    bytes += line.length;
    documents++;
    if (!hasText) withoutText++;
    onProgress?.(documents / index.pages.versions);
  }
  await flush();
  for (const [name, mapping] of [
    ['opensearch.json', OPENSEARCH],
    ['quickwit.json', QUICKWIT],
  ] as const)
    await writeLines(disk, join(out, name), [Buffer.from(`${JSON.stringify(mapping, null, 2)}\n`)]);
  return { documents, files, withoutText };
}

/** `create` is the action that both engines have. */
function linesOf(document: VersionDocument, format: ExportFormat): string {
  const source = `${JSON.stringify(document)}\n`;
  if (format === 'jsonl') return source;
  return `${JSON.stringify({ create: { _id: document.id } })}\n${source}`;
}

const writeLines = (disk: Disk, path: string, pieces: readonly Uint8Array[]): Promise<void> =>
  writeText(disk, path, async (file) => {
    for (const piece of pieces) await file.write(piece);
  });
