/** `drumlin search export`: an index for OpenSearch or Quickwit. */
import { type Command, Option } from 'commander';
import { counted } from '../../../base/units.ts';
import type { ExportFormat } from '../../../search/export/export-index.ts';
import { examples } from '../../input/example.ts';
import { type Screen, watched } from '../graph.ts';

interface ExportFlags {
  readonly out: string;
  readonly format: ExportFormat;
}

export function registerExport(search: Command): void {
  search
    .command('export')
    .description('write the versions of pages as documents for OpenSearch or Quickwit')
    .argument('<indexes...>', 'folders of indexes')
    .requiredOption('--out <folder>', 'an empty or new folder')
    .addOption(
      new Option('--format <format>', 'bulk: for _bulk of both; jsonl: an object a line')
        .choices(['bulk', 'jsonl'])
        .default('bulk'),
    )
    .addHelpText(
      'after',
      `
The folder has files of at most 50 MB, and what creates the index: opensearch.json, quickwit.json.
  curl -X PUT localhost:9200/pages -H 'Content-Type: application/json' -d @opensearch.json
  curl localhost:9200/pages/_bulk -H 'Content-Type: application/x-ndjson' \\
    --data-binary @documents-00000.ndjson
${examples('search export my-index --out documents', 'search export my-index --out documents --format jsonl')}`,
    )
    .action(async (folders: string[], flags: ExportFlags) => {
      await exportPlaces(folders, flags, process.stderr);
    });
}

async function exportPlaces(
  folders: readonly string[],
  { out, format }: ExportFlags,
  screen: Screen,
): Promise<void> {
  const { Disk } = await import('../../../disk/disk.ts');
  const { SearchIndex } = await import('../../../search/query/search-index.ts');
  const { exportIndex } = await import('../../../search/export/export-index.ts');
  const index = await SearchIndex.open(folders);
  try {
    await watched(screen, async (meter, signal) => {
      const { documents, files, withoutText } = await exportIndex(index, out, {
        ...{ format, signal, disk: new Disk() },
        onProgress: (share) => meter.show('write', share),
      });
      meter.note(`${out}: ${counted(documents, 'document')} in ${counted(files, 'file')}.`);
      if (withoutText > 0)
        meter.note(`${counted(withoutText, 'document')} without text: the archive is gone.`);
    });
  } finally {
    await index.close();
  }
}
