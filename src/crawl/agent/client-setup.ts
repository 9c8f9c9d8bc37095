/** The HTTP client, the name resolver and the address guard, as the settings ask for them. */

import type { Clock } from '../../base/clock.ts';
import { DrumlinError } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import { Disk } from '../../disk/disk.ts';
import { BodyBudget } from '../../fetch/body-budget.ts';
import type { Fence, FetchLimits } from '../../fetch/client-options.ts';
import { CookieJar } from '../../fetch/cookie-jar.ts';
import { CookieTable, readCookies } from '../../fetch/cookies.ts';
import { readCredentials } from '../../fetch/credentials.ts';
import type { HttpClient } from '../../fetch/exchange.ts';
import { readHostHeaders } from '../../fetch/host-headers.ts';
import { createHttpClient } from '../../fetch/http-client.ts';
import { createIdentity, type Identity } from '../../fetch/identity.ts';
import { proxyOf } from '../../fetch/proxy.ts';
import { type AddressGuard, guardFor } from '../../net/address-guard.ts';
import { createResolver, type NameResolver, type ResolverOptions } from '../../net/dns.ts';
import { type DelayTable, parseDelays } from '../../politeness/delays.ts';
import type { StateCookie } from '../../render/storage-state.ts';
import { ParameterList, TRACKING_PARAMETERS } from '../../url/parameters.ts';

export interface ClientSetup {
  readonly client: HttpClient;
  /** The memory for bodies; the client charges those in progress. */
  readonly bodies: BodyBudget;
  /** From names to addresses. */
  readonly resolver: NameResolver;
  /** Which addresses may be asked. */
  readonly guard: AddressGuard;
  /** Delays of single hosts and addresses, if a file names any. */
  readonly delays: DelayTable | undefined;
  /** Query parameters that links lose, if there are any. */
  readonly drop: ParameterList | undefined;
}

/** How agents reach servers: a simulation replaces it as a whole. */
export interface Network {
  readonly createClient: typeof createHttpClient;
  readonly createResolver: typeof createResolver;
}

const INTERNET: Network = { createClient: createHttpClient, createResolver };

interface ClientOptions {
  readonly config: CrawlConfig;
  readonly identity: Identity;
  readonly clock: Clock;
  /** Called with a sentence about a file that the settings name and that needs attention. */
  readonly warn?: (sentence: string) => void;
  /** Called with every answer of a name server. */
  readonly onAnswer?: ResolverOptions['onAnswer'];
  /** Default: the system's sockets. */
  readonly network?: Network | undefined;
  /** Cookies of a login, beside those of `--cookies`. */
  readonly moreCookies?: readonly StateCookie[] | undefined;
  /** While it is closed, no request is sent. */
  readonly fence?: Fence | undefined;
}

/** Who the crawler is to servers: its name, version and contact. */
export function identityOf({ contact, userAgent }: CrawlConfig): Identity {
  const contacts = contact.split(/[\s,]+/).filter(Boolean);
  return createIdentity({ version: VERSION, contact: contacts, userAgent });
}

/** Reads the files that the settings name, and refuses what cannot work before a crawl begins. */
export async function setUpClient(options: ClientOptions): Promise<ClientSetup> {
  const { config, identity, clock, warn = () => {}, onAnswer, fence, network = INTERNET } = options;
  const guard = guardFor(identity, config);
  const resolver = network.createResolver({ servers: config.dns, clock, onAnswer });
  const proxy = config.proxy === '' ? undefined : await proxyOf(config.proxy, resolver);
  const bodies = new BodyBudget(config.bodyMemory);
  const fromFile = config.cookies === '' ? undefined : await readCookies(config.cookies, warn);
  const cookies = options.moreCookies ? withLogin(fromFile, options.moreCookies) : fromFile;
  const client = network.createClient({
    identity,
    guard,
    bodies,
    fence,
    limits: limitsOf(config),
    insecure: config.insecure,
    ...(config.header.length > 0 && { headers: config.header }),
    ...(config.ca !== '' && { tls: { ca: await readAuthorities(config.ca) } }),
    ...(proxy && { proxy }),
    ...(config.auth !== '' && { credentials: await readCredentials(config.auth, warn) }),
    ...(cookies && { cookies }),
    ...(config.keepCookies && { jar: new CookieJar(cookies) }),
    ...(config.headerFile !== '' && {
      hostHeaders: await readHostHeaders(config.headerFile, warn),
    }),
  });
  return {
    client,
    bodies,
    ...(proxy ? namesBehindProxy(resolver) : { resolver, guard }),
    delays:
      config.delays === ''
        ? undefined
        : parseDelays(await new Disk().readText(config.delays), config.delays),
    drop: dropListOf(config),
  };
}

function limitsOf(config: CrawlConfig): Partial<FetchLimits> {
  return {
    connect: config.connectTimeout,
    tlsHandshake: config.connectTimeout,
    firstByte: config.responseTimeout,
    idle: config.idleTimeout,
    total: config.fetchTimeout,
    maxBodyBytes: config.maxBody,
    minRate: config.minRate,
  };
}

/**
 * A proxy resolves names itself. So each host counts as an address of its own, and the proxy
 * decides which addresses are allowed.
 */
function namesBehindProxy(resolver: NameResolver): { resolver: NameResolver; guard: AddressGuard } {
  return {
    resolver: { resolve: async (host) => [{ ip: host, family: 4 }], close: () => resolver.close() },
    guard: { allows: () => true, reason: () => undefined },
  };
}

/** The cookies of a login, and those of a file. */
function withLogin(fromFile: CookieTable | undefined, login: readonly StateCookie[]): CookieTable {
  const table = login.map(({ name, value, domain, path, expires, secure = false }) => ({
    ...{ path, secure, subdomains: domain.startsWith('.') },
    domain: domain.replace(/^\./, '').toLowerCase(),
    expires: expires === undefined ? Number.POSITIVE_INFINITY : expires * 1000,
    pair: Buffer.from(`${name}=${value}`).toString('latin1'),
  }));
  return new CookieTable([...(fromFile?.all() ?? []), ...table]);
}

async function readAuthorities(path: string): Promise<string> {
  const pem = await new Disk().readText(path);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new DrumlinError(
    'CA',
    `${path} holds no certificate.`,
    'Name a file in PEM form with --ca.',
  );
}

function dropListOf({ dropParameters }: CrawlConfig): ParameterList | undefined {
  const names = dropParameters.flatMap((name) =>
    name === 'tracking' ? TRACKING_PARAMETERS : [name],
  );
  return names.length > 0 ? new ParameterList(names) : undefined;
}
