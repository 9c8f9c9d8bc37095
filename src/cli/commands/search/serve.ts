/** `drumlin search serve`: an index in the browser. */
import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '../../../base/units.ts';
import { LOOPBACK } from '../../../net/loopback-server.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';

interface ServeFlags {
  readonly port: number;
  readonly host: string;
}

export function registerServe(search: Command): void {
  search
    .command('serve')
    .description('serve one or more indexes as web pages and JSON, until Ctrl-C')
    .argument('<indexes...>', 'folders of indexes')
    .option('--port <port>', 'the port; 0 takes a free one', portOf, 9430)
    .option(
      '--host <address>',
      'the address; another one opens the index to your network',
      LOOPBACK,
    )
    .addHelpText(
      'after',
      `
Pages: / (form and results), /versions?url=, /text?url=&version=, /diff?url=&a=&b=
JSON:  /search.json?q=&at=&from=&to=&site=&language=&any=&top=
${examples('search serve my-index', 'search serve my-index other-index --port 8000')}`,
    )
    .action(async (folders: string[], flags: ServeFlags) => {
      await serve(folders, flags);
    });
}

async function serve(folders: readonly string[], { port, host }: ServeFlags): Promise<void> {
  const { SearchIndex } = await import('../../../search/query/search-index.ts');
  const { serveIndex } = await import('../../../search/serve/server.ts');
  const index = await SearchIndex.open(folders);
  try {
    await interruptible(async (signal) => {
      const server = await serveIndex(index, port, host);
      const name = host.includes(':') ? `[${host}]` : host;
      const sentence = `${counted(index.pages.versions, 'version')} of pages. Press Ctrl-C to end.`;
      process.stdout.write(`http://${name}:${server.port}/\n${sentence}\n`);
      if (!signal.aborted)
        await new Promise((ended) => signal.addEventListener('abort', ended, { once: true }));
      await server.close();
    });
  } finally {
    await index.close();
  }
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('Write a number from 0 to 65535.');
}
