/** The answers of the web's name server. */
import { addressOf } from '../addresses.ts';
import type { Web } from '../web.ts';
import { hash, TAG } from '../words/random.ts';
import { RCODE } from './dns-message.ts';
import type { Resolution } from './dns-server.ts';

interface ResolveOptions {
  /** Every host is at 127.0.0.1. */
  readonly oneAddress: boolean;
  /** Hosts are spread evenly over this many addresses, instead of as on the real web. */
  readonly addresses?: number | undefined;
  /** Delay of late answers, in milliseconds. */
  readonly patience: number;
}

const SECONDS = 300;

export function resolveName(web: Web, name: string, options: ResolveOptions): Resolution {
  const place = web.placeOf(name);
  if (!place?.domain.alive) return { rcode: RCODE.nameError };
  const { domain } = place;
  const { oneAddress, addresses, patience } = options;
  const address = oneAddress ? '127.0.0.1' : addressOf(web.world, place, addresses);
  switch (domain.behaviour('dns')) {
    case 'dns-nxdomain':
      return { rcode: RCODE.nameError };
    case 'dns-servfail':
      return { rcode: RCODE.serverFailure };
    case 'dns-silent':
      return { rcode: 'silent' };
    case 'dns-late':
      return { rcode: RCODE.noError, address, seconds: SECONDS, delay: patience };
    case 'dns-private':
      return { rcode: RCODE.noError, address: privateAddress(web, domain.index), seconds: SECONDS };
    default:
      return { rcode: RCODE.noError, address, seconds: SECONDS };
  }
}

const PRIVATE_NETS = ['192.168', '10.0', '172.16', '169.254'];

function privateAddress(web: Web, index: number): string {
  const h = hash(web.world.seed, TAG.machine, index);
  return `${PRIVATE_NETS[h & 3]}.${(h >>> 8) & 255}.${1 + ((h >>> 16) % 254)}`;
}
