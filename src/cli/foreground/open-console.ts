/** Opens the console with the page that `npm run build` has made. */
import { readFileSync } from 'node:fs';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { ClusterSource } from '../../console/cluster/server.ts';
import type { Console } from '../../console/serve.ts';

export const CONSOLE_PORT = 9420;

/** Where a console listens. */
export interface ConsoleAt {
  readonly port: number;
  readonly host?: string | undefined;
  readonly token?: string | undefined;
}

export async function openConsole(
  places: readonly string[],
  { port, host, token }: ConsoleAt,
  stays: boolean,
): Promise<Console> {
  const { serveConsole } = await import('../../console/server.ts');
  return serveConsole({ places, page: pageText(), port, token, stays, ...(host && { host }) });
}

/** The console of a cluster: it needs no folder and no worker on this machine. */
export async function openClusterConsole(
  cluster: ClusterSource,
  { port, host, token }: ConsoleAt,
): Promise<Console> {
  const { serveClusterConsole } = await import('../../console/cluster/server.ts');
  return serveClusterConsole(cluster, { page: pageText(), port, token, host });
}

/** Beside this code in a build; a loader that runs the sources takes the last build. */
function pageText(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  const place = isBuilt ? './console.html' : '../../../dist/lib/console.html';
  try {
    return readFileSync(new URL(place, import.meta.url), 'utf8');
  } catch (cause) {
    throw new DrumlinError(
      'CONSOLE_PAGE',
      'The page of the console is missing.',
      'Run "npm run build".',
      {
        exitCode: EXIT.internal,
        cause,
      },
    );
  }
}
