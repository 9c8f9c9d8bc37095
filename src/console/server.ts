/**
 * The console of crawls in folders.
 *
 * Ensures   Everything is read from and written to the folders of the crawls: no crawl waits for
 *           the console.
 */
import { systemClock } from '../base/clock.ts';
import { Disk } from '../disk/disk.ts';
import { Crawls } from './crawls.ts';
import { linesAfter, readLog } from './look/log.ts';
import { overviews } from './look/overview.ts';
import { ROUTES } from './routes.ts';
import { type Console, type ServeOptions, serve } from './serve.ts';

interface ConsoleOptions extends ServeOptions {
  /** Folders of crawls, or folders that hold some. */
  readonly places: readonly string[];
  readonly disk?: Disk;
}

export function serveConsole(options: ConsoleOptions): Promise<Console> {
  const { clock = systemClock, disk = new Disk() } = options;
  const crawls = new Crawls(disk, clock, options.places);
  return serve(options, (frame) => ({
    routes: ROUTES,
    parts: { disk, clock, crawls, frame },
    crawl: (id) => crawls.get(id),
    watched: ({ dir }) => {
      const overview = overviews(disk, dir);
      return {
        key: dir,
        status: () => overview(clock.now()),
        logEnd: async () => (await readLog(disk, dir, { count: 0 })).end,
        logAfter: (from) => linesAfter(disk, dir, from),
      };
    },
    close: () => crawls.close(),
  }));
}
