/** Hosts and paths of a synthetic web, and requests that it must answer. */
import { urlOf } from '../../src/lab/paths.ts';
import type { Web } from '../../src/lab/web.ts';
import type { Known } from './requests.ts';

const DOMAINS = 60;

export interface LabTargets {
  readonly known: Known;
  /** Of a host that is served without TLS. */
  readonly plainProbe: string;
  /** The host first in `known.hosts`, which is served with TLS. */
  readonly secureProbe: string;
}

export function labTargets(web: Web): LabTargets {
  const urls = Array.from({ length: Math.min(DOMAINS, web.world.domains) }, (_, index) => {
    const domain = web.domains.at(index);
    return [urlOf(domain, 0), urlOf(domain, 1), urlOf(domain, 3)].map((url) => new URL(url));
  }).flat();
  const seeds = web.seeds().map((url) => new URL(url));
  const hostOf = (scheme: string): string =>
    seeds.find(({ protocol }) => protocol === scheme)?.hostname ?? '';
  return {
    known: {
      hosts: [hostOf('https:'), ...new Set(urls.map(({ hostname }) => hostname))],
      paths: ['/style.css', '/robots.txt', ...new Set(urls.map(({ pathname }) => pathname))],
    },
    plainProbe: probe('/style.css', hostOf('http:')),
    secureProbe: probe('/style.css', hostOf('https:')),
  };
}

export function probe(path: string, host = 'localhost'): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}
