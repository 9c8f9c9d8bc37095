/**
 * The ways in which servers behave, by layer. A domain draws at most one behaviour of each layer,
 * by the scenario's shares.
 *
 * Benign behaviours are what any client must handle (gzip, chunked, TLS). The others are faults or
 * malice, and spare the giants, so that a crawl always has somewhere to start. Within a domain they
 * affect every third page (`strikes`), so that the rest can be fetched, except where the fault
 * belongs to the host (DNS, TLS, robots.txt).
 */
import type { Domain } from './domain.ts';
import type { Scripted } from './scripted/scripted-page.ts';
import { hash, TAG, unit } from './words/random.ts';
import type { World } from './world.ts';

export const LAYERS = ['dns', 'tls', 'robots', 'page', 'transfer', 'script'] as const;
export type Layer = (typeof LAYERS)[number];

interface BehaviourInfo {
  readonly layer: Layer;
  readonly benign: boolean;
  /** No complete response reaches the client, so there is no expected answer. */
  readonly spoils: boolean;
  readonly about: string;
}

const fault = (layer: Layer, about: string): BehaviourInfo => ({
  layer,
  benign: false,
  spoils: false,
  about,
});
const custom = (layer: Layer, about: string): BehaviourInfo => ({
  layer,
  benign: true,
  spoils: false,
  about,
});
const spoiler = (about: string): BehaviourInfo => ({
  layer: 'transfer',
  benign: false,
  spoils: true,
  about,
});

export const BEHAVIOURS = {
  'dns-nxdomain': fault('dns', 'the name is linked to but does not exist'),
  'dns-servfail': fault('dns', 'the name server fails'),
  'dns-late': fault('dns', 'the answer comes late'),
  'dns-silent': fault('dns', 'no answer ever comes'),
  'dns-private': fault('dns', 'the name leads to an address of a private network'),

  tls: custom('tls', 'https with a certificate of the lab'),
  'tls-expired': fault('tls', 'https with a certificate of yesterday'),
  'tls-self-signed': fault('tls', 'https with a self-signed certificate'),
  'tls-wrong-name': fault('tls', 'https with the certificate of another host'),

  'robots-wildcards': custom('robots', 'rules with * and $'),
  'robots-delay': custom('robots', 'asks for a pause between requests'),
  'robots-disallow': custom('robots', 'nothing may be fetched'),
  'robots-groups': custom('robots', 'one group for all robots, another for drumlin'),
  'robots-huge': fault('robots', 'a million bytes, the rule that matters after the first 500 KiB'),
  'robots-forbidden': fault('robots', 'status 403: no rules'),
  'robots-error': fault('robots', 'status 503: everything is forbidden for now'),
  'robots-redirect': fault('robots', 'redirects to the real one'),
  'robots-invalid': fault('robots', 'an HTML page, NULs and half a rule'),
  'robots-slow': fault('robots', 'comes late'),

  'redirect-301': custom('page', 'moved for good'),
  'redirect-302': custom('page', 'found elsewhere'),
  'redirect-303': custom('page', 'see other'),
  'redirect-307': custom('page', 'elsewhere for now'),
  'redirect-308': custom('page', 'moved for good, method kept'),
  'redirect-chain': fault('page', 'eight redirects, then a page'),
  'redirect-loop': fault('page', 'redirects that come back to themselves'),
  'status-401': fault('page', 'a password is required'),
  'status-403': fault('page', 'forbidden'),
  'status-404': fault('page', 'links to pages that are not there'),
  'soft-404': fault('page', 'missing pages answer with status 200, "Page Not Found"'),
  'status-410': fault('page', 'gone'),
  'status-429': fault('page', 'too many requests, with Retry-After'),
  'status-500': fault('page', 'the server fails'),
  'status-503': fault('page', 'out of service, with Retry-After'),

  chunked: custom('transfer', 'chunked, with an extension and a trailer'),
  gzip: custom('transfer', 'gzip for clients that accept it'),
  br: custom('transfer', 'brotli for clients that accept it'),
  close: custom('transfer', 'closes after each response, which is the only end of the body'),
  'no-charset': custom(
    'transfer',
    'text in the old encoding of its language, named only in the page',
  ),
  'lying-charset': fault('transfer', 'text in the old encoding of its language, declared as UTF-8'),
  'no-type': fault('transfer', 'no Content-Type'),
  'lying-type': fault('transfer', 'HTML declared as an image'),
  'slow-start': fault('transfer', 'the first byte comes late'),
  drip: fault('transfer', 'a few bytes at a time'),
  'short-length': spoiler('Content-Length is less than the body'),
  'long-length': spoiler('Content-Length is more than the body, then silence'),
  'cut-off': spoiler('closes in the middle of the body'),
  'cut-chunk': spoiler('closes in the middle of a chunk'),
  'endless-body': spoiler('a body that never ends'),
  'endless-headers': spoiler('a header that never ends'),
  bomb: spoiler('a megabyte of gzip that opens to a gigabyte'),
  reset: spoiler('resets the connection in the middle of the body'),
  'script-inline': custom('script', 'a script writes the page'),
  'script-data': custom('script', 'a script asks for the page as JSON'),
  'script-scroll': custom('script', 'a script asks for more of the page when it is scrolled'),
  'script-click': custom('script', 'buttons show more of the page'),
  'script-hash': custom('script', 'a router of the page shows its parts'),
  'script-loop': fault('script', 'the page computes without end'),
  'script-memory': fault('script', 'the page fills the memory'),
  'script-dialogs': fault('script', 'the page opens dialogs and windows, and will not be left'),
  'script-redirect': fault('script', 'a script goes elsewhere, again and again'),
  'script-private': fault('script', 'a script asks for private addresses, files and sockets'),

  'bad-header': fault('transfer', 'header lines without a colon, folded, and with odd bytes'),
} as const satisfies Record<string, BehaviourInfo>;

export type BehaviourName = keyof typeof BEHAVIOURS;

export function isBehaviour(name: string): name is BehaviourName {
  return Object.hasOwn(BEHAVIOURS, name);
}

/** The behaviour that a domain has drawn in a layer, if any. */
export function drawBehaviour(
  world: World,
  index: number,
  layer: Layer,
  benignOnly: boolean,
): BehaviourName | undefined {
  const shares = world.scenario.behaviours.get(layer);
  if (!shares) return undefined;
  let u = unit(hash(world.seed, TAG.behaviour, index, LAYERS.indexOf(layer)));
  for (const [name, share] of shares) {
    if (u < share) return benignOnly && !BEHAVIOURS[name].benign ? undefined : name;
    u -= share;
  }
  return undefined;
}

/** The way in which a script makes a page of the domain, if one does. */
export function scriptOf(domain: Domain, page: number): Scripted | undefined {
  const way = domain.behaviour('script') as Scripted | undefined;
  return way && (BEHAVIOURS[way].benign || strikes(domain, page)) ? way : undefined;
}

/** The transfer behaviour for a page of the domain, if any. */
export function transferOf(domain: Domain, page: number): BehaviourName | undefined {
  const behaviour = domain.behaviour('transfer');
  return behaviour && (BEHAVIOURS[behaviour].benign || strikes(domain, page))
    ? behaviour
    : undefined;
}

/**
 * Whether a fault of the page or transfer layer affects this page: every third, never the home of a
 * larger site.
 */
export function strikes(domain: Domain, page: number): boolean {
  return page % 3 === 1 || domain.initialPages === 1;
}
