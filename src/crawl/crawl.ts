/**
 * A crawl from its seeds to its summary, as the command line and the library start it: puts the parts together, hands them
 * to an agent, and takes them apart again.
 */
import { hostname } from 'node:os';
import { WarcWriter } from '../archive/warc-writer.ts';
import { type Clock, systemClock } from '../clock.ts';
import { DrumlinError } from '../errors.ts';
import { type AddressGuard, createAddressGuard } from '../fetch/address-guard.ts';
import { createResolver } from '../fetch/dns.ts';
import { createHttpClient } from '../fetch/http-client.ts';
import { createIdentity, type Identity } from '../fetch/identity.ts';
import { Frontier } from '../frontier/frontier.ts';
import { RecentCache } from '../sieve/recent-cache.ts';
import type { Bytes, Millis } from '../units.ts';
import { ParameterList } from '../url/parameters.ts';
import { VERSION } from '../version.ts';
import { Admission } from './admission.ts';
import { Agent } from './agent.ts';
import { Counters, type CrawlState, Stopwatch, type Summary, summarise } from './counters.ts';
import { CrawlFolder, memoryStore } from './folder.ts';
import { Naming } from './naming.ts';
import type { Page } from './page.ts';
import { RobotsKeeper } from './robots-keeper.ts';
import type { CrawlConfig } from './settings.ts';

export type { Summary } from './counters.ts';

export interface CrawlHooks {
  /** Called with every page; the host's turn is not given back before the promise settles. */
  readonly onPage?: (page: Page) => void | Promise<void>;
  readonly clock?: Clock;
}

/** The crawl as it stands, for whoever shows it. */
export interface Progress {
  readonly elapsed: Millis;
  readonly maxTime: Millis;
  readonly pages: number;
  readonly maxPages: number;
  readonly bytes: number;
  readonly fetching: number;
  readonly queued: number;
  readonly hosts: number;
  readonly domains: number;
  readonly urlsSeen: number;
  readonly urlsUnique: number;
  readonly disallowed: number;
  readonly errors: Readonly<Record<string, number>>;
}

export interface CrawlRun {
  progress(): Progress;
  /** Stops cleanly: nothing new is begun, and what waits is kept in the folder. */
  stop(): void;
  /** The summary at the end; rejects when the crawl could not go on. */
  readonly finished: Promise<Summary>;
}

/** For the cache of recent links: the menus and footers of a few thousand sites. */
const RECENT_LINKS: Bytes = 2 ** 20;
/** For the digests of recent payloads: half a million pages. */
const RECENT_PAYLOADS: Bytes = 2 ** 22;

export async function startCrawl(
  seeds: readonly string[],
  config: CrawlConfig,
  hooks: CrawlHooks = {},
): Promise<CrawlRun> {
  const clock = hooks.clock ?? systemClock;
  const identity = createIdentity({
    version: VERSION,
    contact: config.contact.split(/[\s,]+/).filter(Boolean),
    userAgent: config.userAgent,
  });
  const guard = guardFor(config, identity);
  const drop = config.dropParameters.length > 0 ? new ParameterList(config.dropParameters) : undefined;

  const store = config.dir === '' ? memoryStore(clock) : await CrawlFolder.open(config, seeds, clock);
  const { sieve, log } = store;
  const counters = new Counters();
  const frontier = new Frontier();
  const admission = new Admission(sieve, new RecentCache(RECENT_LINKS), frontier, clock);
  const resolver = createResolver({ servers: config.dns, clock });
  const client = createHttpClient({ identity, guard, limits: { maxBodyBytes: config.maxBody }, clock });
  const archive = await openArchive(store.archiveDir, config, identity);
  const robots = new RobotsKeeper({
    client,
    resolver,
    clock,
    counters,
    log,
    productToken: identity.productToken,
    store: async (exchange) => archive?.write(exchange),
  });
  const agent = new Agent({
    clock,
    frontier,
    admission,
    naming: new Naming({ resolver, guard, frontier, counters, log, clock }),
    tools: {
      config,
      clock,
      client,
      robots,
      frontier,
      admission,
      payloads: new RecentCache(RECENT_PAYLOADS),
      archive,
      counters,
      log,
      parseOptions: { agent: identity.productToken.toLowerCase(), ...(drop && { drop }) },
      onPage: hooks.onPage,
    },
  });

  for (const discovery of store.waiting) frontier.add(discovery);
  admission.discover(seeds, 0);

  const watch = new Stopwatch();
  const state = { config, counters, frontier, admission, watch };
  const run = async (): Promise<Summary> => {
    try {
      const end = await agent.run();
      await archive?.close();
      const summary = summarise(end, state);
      log.event('crawl-ended', { ...summary });
      return summary;
    } finally {
      await client.close();
      resolver.close();
      await store.close(frontier.waiting());
    }
  };
  log.event('crawl-started', { version: VERSION, seeds: seeds.length, waiting: store.waiting.length });
  return {
    progress: () => progressOf(state),
    stop: () => agent.stop('interrupted'),
    finished: run(),
  };
}

/** Whoever cannot be reached may crawl what is his own, and nothing else. */
function guardFor(config: CrawlConfig, identity: Identity): AddressGuard {
  const guard = createAddressGuard({ allowPrivate: config.allowPrivate });
  if (identity.hasContact) return guard;
  if (config.allowPrivate === false) {
    throw new DrumlinError(
      'NO_CONTACT',
      'Sites on the public web want to know who crawls them, and no contact is given.',
      'Add --contact with a web page or an e-mail address of yours; or --allow-private to crawl a local site.',
    );
  }
  const publicOnly = createAddressGuard({ allowPrivate: false });
  return {
    allows: (ip) => guard.allows(ip) && !publicOnly.allows(ip),
    reason: (ip) =>
      guard.reason(ip) ?? (publicOnly.allows(ip) ? 'a public address, and no contact is given' : undefined),
  };
}

async function openArchive(
  dir: string | undefined,
  config: CrawlConfig,
  identity: Identity,
): Promise<WarcWriter | undefined> {
  if (dir === undefined) return undefined;
  return WarcWriter.open(dir, {
    info: {
      software: `drumlin/${VERSION}`,
      userAgent: identity.userAgent,
      robots: 'obey',
      hostname: hostname(),
      ...(config.contact !== '' && { operator: config.contact }),
    },
    rotateBytes: config.warcSize,
    gzipLevel: config.gzip,
  });
}

function progressOf({ config, counters, frontier, admission, watch }: CrawlState): Progress {
  return {
    elapsed: watch.elapsed(),
    maxTime: config.maxTime,
    pages: counters.pages,
    maxPages: config.maxPages,
    bytes: counters.bytes,
    fetching: frontier.turnsOut,
    queued: frontier.queued,
    hosts: frontier.hosts,
    domains: frontier.domains,
    urlsSeen: counters.urlsSeen,
    urlsUnique: admission.unique,
    disallowed: counters.disallowed,
    errors: counters.errors,
  };
}
