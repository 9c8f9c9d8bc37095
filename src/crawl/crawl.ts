/**
 * A crawl from its seeds to its summary, as the command line and the library start it: puts the parts together, hands them
 * to an agent, and takes them apart again.
 */
import { hostname } from 'node:os';
import { WarcWriter } from '../archive/warc-writer.ts';
import { type Clock, systemClock } from '../clock.ts';
import { Disk } from '../disk/disk.ts';
import { DrumlinError } from '../errors.ts';
import { type AddressGuard, createAddressGuard } from '../fetch/address-guard.ts';
import { createResolver } from '../fetch/dns.ts';
import type { HttpClient } from '../fetch/exchange.ts';
import { createHttpClient } from '../fetch/http-client.ts';
import { createIdentity, type Identity } from '../fetch/identity.ts';
import { Frontier } from '../frontier/frontier.ts';
import { MemorySieve } from '../sieve/memory-sieve.ts';
import { RecentCache } from '../sieve/recent-cache.ts';
import type { Bytes, Millis } from '../units.ts';
import { ParameterList, TRACKING_PARAMETERS } from '../url/parameters.ts';
import { VERSION } from '../version.ts';
import { Admission } from './admission.ts';
import { Agent } from './agent.ts';
import { Counters, type CrawlState, Stopwatch, type Summary, summarise } from './counters.ts';
import { CrawlFolder } from './folder.ts';
import { CrawlLog } from './log.ts';
import { Naming } from './naming.ts';
import type { Page } from './page.ts';
import { PageStore } from './page-store.ts';
import { RobotsKeeper } from './robots-keeper.ts';
import { addressDelay, type CrawlConfig } from './settings.ts';

export type { Summary } from './counters.ts';

export interface CrawlHooks {
  /** Called with every page; the host's turn is not given back before the promise settles. */
  readonly onPage?: (page: Page) => void | Promise<void>;
  /** For delays and waits; sockets keep the system's time. */
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
  readonly retries: Readonly<Record<string, number>>;
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
  // Whatever can be refused is refused before a folder is touched.
  const clock = hooks.clock ?? systemClock;
  const identity = identityOf(config);
  const guard = guardFor(config, identity);
  const drop = dropListOf(config);
  const resolver = createResolver({ servers: config.dns, clock });
  const tls = config.ca === '' ? {} : { tls: { ca: await readAuthorities(config.ca) } };
  if (config.dir === '' && seeds.length === 0) throw noSeeds();

  const folder = config.dir === '' ? undefined : await CrawlFolder.open(config, seeds, clock);
  const counters = new Counters();
  const frontier = new Frontier();
  const log = folder?.log ?? new CrawlLog(clock);
  const admission = new Admission(
    folder?.sieve ?? new MemorySieve(),
    new RecentCache(RECENT_LINKS),
    frontier,
    clock,
  );
  let pages: PageStore;
  try {
    pages = new PageStore(folder && (await openArchive(folder, config, identity)), clock);
    for await (const discovery of folder?.waiting() ?? []) frontier.add(discovery);
    await folder?.begin(config, seeds);
  } catch (error) {
    await folder?.abandon();
    throw error;
  }
  const client = createHttpClient({ identity, guard, limits: { maxBodyBytes: config.maxBody }, ...tls });
  const shared = { clock, client, resolver, guard, frontier, counters, log };
  const robots = new RobotsKeeper({
    ...shared,
    productToken: identity.productToken,
    store: (exchange) => pages.store(exchange),
    delays: { host: config.delay, address: addressDelay(config) },
  });
  const agent = new Agent({
    clock,
    frontier,
    admission,
    naming: new Naming(shared),
    tools: {
      ...shared,
      config,
      robots,
      admission,
      pages,
      payloads: new RecentCache(RECENT_PAYLOADS),
      parseOptions: { agent: identity.productToken.toLowerCase(), ...(drop && { drop }) },
      onPage: hooks.onPage,
    },
  });
  log.event('crawl-started', { version: VERSION, seeds: seeds.length, waiting: frontier.queued });
  admission.discover(seeds, 0);
  const state = { config, counters, frontier, admission, watch: new Stopwatch() };
  return {
    progress: () => progressOf(state),
    stop: () => agent.stop('interrupted'),
    finished: runToEnd(agent, pages, client, folder, log, state),
  };
}

/** However the crawl ends, what was fetched reaches the disk or waits to be fetched again. */
async function runToEnd(
  agent: Agent,
  pages: PageStore,
  client: HttpClient,
  folder: CrawlFolder | undefined,
  log: CrawlLog,
  state: CrawlState,
): Promise<Summary> {
  try {
    const end = await agent.run();
    await pages.close();
    const summary = summarise(end, state);
    log.event('crawl-ended', { ...summary });
    await folder?.close(state.frontier.waiting());
    return summary;
  } catch (error) {
    log.event('crawl-failed', { error: (error as Error)?.message });
    await pages.close().catch(() => {}); // the first failure is the one to tell
    for (const discovery of pages.unsaved) state.frontier.add(discovery);
    await folder?.close(state.frontier.waiting()).catch(() => {});
    throw error;
  } finally {
    await client.close();
  }
}

function identityOf({ contact, userAgent }: CrawlConfig): Identity {
  return createIdentity({ version: VERSION, contact: contact.split(/[\s,]+/).filter(Boolean), userAgent });
}

async function readAuthorities(path: string): Promise<string> {
  const pem = await new Disk().readText(path);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new DrumlinError('CA', `${path} holds no certificate.`, 'Name a file in PEM form with --ca.');
}

function dropListOf({ dropParameters }: CrawlConfig): ParameterList | undefined {
  const names = dropParameters.flatMap((name) => (name === 'tracking' ? TRACKING_PARAMETERS : [name]));
  return names.length > 0 ? new ParameterList(names) : undefined;
}

function noSeeds(): DrumlinError {
  return new DrumlinError('NO_SEEDS', 'There is no URL to start from.', 'Give at least one in `seeds`.');
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

function openArchive(
  { archiveDir, disk }: CrawlFolder,
  config: CrawlConfig,
  identity: Identity,
): Promise<WarcWriter> {
  return WarcWriter.open(archiveDir, {
    disk,
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
    retries: counters.retries,
    errors: counters.errors,
  };
}
