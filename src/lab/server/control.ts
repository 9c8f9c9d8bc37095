/**
 * The lab's page about itself, for people (`/`) and for programs (`/status.json`).
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { formatCount } from '../../base/units.ts';
import type { KindName } from '../kind.ts';
import { KINDS } from '../kinds.ts';
import type { Web } from '../web.ts';
import { listening } from './listening.ts';

export interface Status {
  readonly scenario: string;
  readonly seed: number;
  readonly step: number;
  readonly domains: number;
  /** Domains of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly ports: { readonly http: number; readonly https: number; readonly dns: number };
  readonly seeds: readonly string[];
}

export function statusOf(web: Web, requests: number, ports: Status['ports']): Status {
  const { scenario, seed, step, domains, layout } = web.world;
  const kinds = Object.keys(KINDS).map((kind) => [kind, layout.countOf(kind as KindName, domains)]);
  return {
    scenario: scenario.name,
    seed,
    step,
    domains,
    kinds: Object.fromEntries(kinds),
    requests,
    ports,
    seeds: web.seeds(),
  };
}

export async function startControl(
  port: number,
  status: () => Status,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const now = status();
    if (request.url === '/status.json') {
      response.setHeader('Content-Type', 'application/json');
      response.end(`${JSON.stringify(now)}\n`);
    } else if (request.url === '/') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(pageOf(now));
    } else {
      response.statusCode = 404;
      response.end();
    }
  });
  server.listen(port, '127.0.0.1');
  await listening(server, port);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function pageOf(status: Status): string {
  const rows = Object.entries(status.kinds)
    .filter(([, count]) => count > 0)
    .map(
      ([kind, count]) =>
        `<tr><td>${kind}<td align="right">${formatCount(count)}<td>${KINDS[kind as KindName].about}`,
    );
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>drumlin web</title>
<style>body { font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto } td { padding: 0 1em 0 0 }</style></head><body>
<h1>A synthetic web</h1>
<p>Scenario <b>${status.scenario}</b>, seed ${status.seed}, step ${status.step}:
${formatCount(status.domains)} domains, <b>${formatCount(status.requests)}</b> requests so far.</p>
<p>HTTP on port ${status.ports.http}${status.ports.https ? `, TLS on port ${status.ports.https}` : ''}, DNS on UDP port ${status.ports.dns}.
A crawl may start at <code>${status.seeds[0]}</code>.</p>
<table>${rows.join('\n')}</table>
</body></html>
`;
}
