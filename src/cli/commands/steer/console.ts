/** `drumlin console`: crawls in a browser. */
import type { Command } from 'commander';
import { parseCount } from '../../../base/units.ts';

const EXAMPLES = `
Examples:
  drumlin console my-crawl                 one crawl, running or stopped
  drumlin console crawls                   all crawls in a folder
  drumlin crawl --dir my-crawl --console   start it together with a crawl

It prints a URL with a token: whoever has it can look at the crawls and change them. To reach it from other
machines, choose a token of your own and put TLS in front: --host 0.0.0.0 --token LONG-RANDOM-TEXT.
`;

interface ConsoleFlags {
  readonly port: string;
  readonly host?: string;
  readonly token?: string;
}

export function register(program: Command): void {
  program
    .command('console')
    .description('show crawls in a browser: figures, domains, URLs, archive, log; and steer them')
    .argument('[folders...]', 'folders of crawls, or folders that hold crawls (default: crawls)')
    .option('--port <port>', 'port to listen on; 0 takes a free one', '9420')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine only)')
    .option('--token <text>', 'token instead of a random one; required with another --host')
    .addHelpText('after', EXAMPLES)
    .action(async (folders: string[], { port, host, token }: ConsoleFlags) => {
      const [{ openConsole }, { interruptible }] = await Promise.all([
        import('../../foreground/open-console.ts'),
        import('../../input/interrupt.ts'),
      ]);
      const places = folders.length > 0 ? folders : ['crawls'];
      const served = await openConsole(places, { port: parseCount(port), host, token }, true);
      process.stdout.write(`The console: ${served.url}\n(Ctrl-C ends it)\n`);
      await interruptible(
        (signal) => new Promise<void>((ended) => signal.addEventListener('abort', () => ended())),
      );
      await served.close();
    });
}
