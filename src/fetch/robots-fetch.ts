/**
 * Fetches one robots.txt for a command. A crawl does the same in its hosts' turns, with delays
 * between requests. Here requests follow one another at once, without retries.
 *
 * Ensures   At most six requests; none to an address that the guard refuses. A file that cannot be
 *           fetched is UNREACHABLE, with the reason.
 */

import type { AddressGuard } from '../net/address-guard.ts';
import { DnsError, type NameResolver, type ResolvedAddress } from '../net/dns.ts';
import { robotsFromResponse, UNREACHABLE } from '../robots/parse-robots.ts';
import type { RobotsFile } from '../robots/report.ts';
import { hostOf } from '../url/parts.ts';
import { decodeContent } from './decode.ts';
import { type Exchange, FetchError, type HttpClient } from './exchange.ts';
import { redirectTarget } from './redirect.ts';

/** RFC 9309, section 2.3.1.2, requires at least five. */
const MAX_REDIRECTS = 5;

interface RobotsFetchParts {
  readonly client: HttpClient;
  readonly resolver: NameResolver;
  readonly guard: AddressGuard;
}

/**
 * Requires a canonical URL. Rejects with a FetchError only if the first address is refused: then no
 * request was sent.
 */
export async function fetchRobots(
  url: string,
  productToken: string,
  parts: RobotsFetchParts,
): Promise<RobotsFile> {
  let source = url;
  for (let hops = 0; ; hops++) {
    let exchange: Exchange;
    try {
      exchange = await parts.client.fetch({ url: source, address: await addressOf(source, parts) });
    } catch (error) {
      if (!(error instanceof FetchError || error instanceof DnsError)) throw error;
      if (hops === 0 && error.fault === 'address-refused') throw error;
      return {
        rules: UNREACHABLE,
        bytes: NOTHING,
        source,
        why: `${error.fault}: ${error.message}`,
      };
    }
    const target = redirectTarget(exchange);
    if (target === undefined || target === source || hops === MAX_REDIRECTS) {
      return { source, status: exchange.status, ...(await read(exchange, productToken)) };
    }
    source = target;
  }
}

const NOTHING = new Uint8Array();

async function read(
  exchange: Exchange,
  productToken: string,
): Promise<Pick<RobotsFile, 'rules' | 'bytes' | 'why'>> {
  const { status, truncated } = exchange;
  if (truncated === 'disconnect' || truncated === 'time') {
    // Half a file may lack the rule that matters.
    return { rules: UNREACHABLE, bytes: NOTHING, why: 'the file is incomplete' };
  }
  const { body } = await decodeContent(exchange);
  const rules = robotsFromResponse(status, body, productToken);
  const isFile = status >= 200 && status < 300;
  return isFile ? { rules, bytes: body } : { rules, bytes: NOTHING, why: `status ${status}` };
}

async function addressOf(
  url: string,
  { resolver, guard }: RobotsFetchParts,
): Promise<ResolvedAddress> {
  const addresses = await resolver.resolve(hostOf(url));
  const allowed = addresses.find(({ ip }) => guard.allows(ip));
  if (allowed === undefined) {
    const [{ ip }] = addresses;
    throw new FetchError('address-refused', guard.reason(ip) ?? ip);
  }
  return allowed;
}
