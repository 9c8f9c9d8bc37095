/**
 * The lab's page about itself, for people (`/`) and for programs (`/status.json`).
 */
import { formatCount } from '../../base/units.ts';
import { type LoopbackServer, type Reply, serveLoopback } from '../../net/loopback-server.ts';
import type { KindName } from '../kind.ts';
import { KINDS } from '../kinds.ts';
import type { Web } from '../web.ts';
import { portRefused } from './listening.ts';

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

export function startControl(port: number, status: () => Status): Promise<LoopbackServer> {
  return serveLoopback(port, (path) => replyAt(path, status)).catch((error) => {
    throw portRefused(port, error);
  });
}

function replyAt(path: string, status: () => Status): Reply {
  switch (path) {
    case '/status.json':
      return { status: 200, type: 'application/json', text: `${JSON.stringify(status())}\n` };
    case '/':
      return { status: 200, type: 'text/html; charset=utf-8', text: pageOf(status()) };
    default:
      return { status: 404, text: 'Not found. Use / or /status.json.\n' };
  }
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
