/** What an agent sets out with, read off the settings: who it is, whom it may ask, through what, with which secrets. */

import type { Clock } from '../../base/clock.ts';
import { DrumlinError } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import { Disk } from '../../disk/disk.ts';
import { readCookies } from '../../fetch/cookies.ts';
import { readCredentials } from '../../fetch/credentials.ts';
import type { HttpClient } from '../../fetch/exchange.ts';
import { createHttpClient } from '../../fetch/http-client.ts';
import { createIdentity, type Identity } from '../../fetch/identity.ts';
import { proxyOf } from '../../fetch/proxy.ts';
import { type AddressGuard, guardFor } from '../../net/address-guard.ts';
import { createResolver, type NameResolver, type ResolverOptions } from '../../net/dns.ts';
import { type DelayTable, parseDelays } from '../../politeness/delays.ts';
import { ParameterList, TRACKING_PARAMETERS } from '../../url/parameters.ts';

export interface Equipment {
  readonly identity: Identity;
  readonly client: HttpClient;
  /** Names to addresses, and which of them may be asked. */
  readonly resolver: NameResolver;
  readonly guard: AddressGuard;
  readonly delays: DelayTable | undefined;
  readonly drop: ParameterList | undefined;
}

/** Reads the files that the settings name, and refuses what cannot work before anything is begun. */
export async function equip(
  config: CrawlConfig,
  clock: Clock,
  warn: (sentence: string) => void = () => {},
  onAnswer?: ResolverOptions['onAnswer'],
): Promise<Equipment> {
  const identity = createIdentity({
    version: VERSION,
    contact: config.contact.split(/[\s,]+/).filter(Boolean),
    userAgent: config.userAgent,
  });
  const guard = guardFor(identity, config);
  const resolver = createResolver({ servers: config.dns, clock, onAnswer });
  const proxy = config.proxy === '' ? undefined : await proxyOf(config.proxy, resolver);
  const client = createHttpClient({
    identity,
    guard,
    limits: { maxBodyBytes: config.maxBody },
    insecure: config.insecure,
    ...(config.ca !== '' && { tls: { ca: await readAuthorities(config.ca) } }),
    ...(proxy && { proxy }),
    ...(config.auth !== '' && { credentials: await readCredentials(config.auth, warn) }),
    ...(config.cookies !== '' && { cookies: await readCookies(config.cookies, warn) }),
  });
  return {
    identity,
    client,
    ...(proxy ? namesBehindProxy(resolver) : { resolver, guard }),
    delays:
      config.delays === ''
        ? undefined
        : parseDelays(await new Disk().readText(config.delays), config.delays),
    drop: dropListOf(config),
  };
}

/** A proxy resolves names itself: each host counts as an address of its own, and the proxy judges what may be asked. */
function namesBehindProxy(resolver: NameResolver): { resolver: NameResolver; guard: AddressGuard } {
  return {
    resolver: { resolve: async (host) => [{ ip: host, family: 4 }], close: () => resolver.close() },
    guard: { allows: () => true, reason: () => undefined },
  };
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
