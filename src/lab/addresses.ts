/**
 * The address of a host in 127.0.0.0/8, computed.
 *
 * Idea      A third of the domains are on a few large hosting machines, with thousands of hosts
 *           each when the web is large. The rest share an address with a few others, so that there
 *           are about eight domains an address, as in IRLbot's crawl (33.7M domains on 4.26M
 *           addresses). Each host of a giant, and each shop of a farm, has an address of its own.
 *           The domains of a farm share a few, unless it is one of a ring of sybils.
 */

import { farmMachine } from './spam-kinds.ts';
import type { Place } from './web.ts';
import { hash, TAG, textHash } from './words/random.ts';
import type { World } from './world.ts';

const DOMAINS_A_MACHINE = 4000;
const DOMAINS_AN_ADDRESS = 5;

/**
 * The address of a host. With `spread`, hosts are spread evenly over that many addresses instead.
 */
export function addressOf(
  world: World,
  { domain, host: number, label }: Place,
  spread?: number,
): string {
  const draw = hash(world.seed, TAG.address, domain.index);
  const host = Math.max(0, number);
  if (spread !== undefined)
    return inNet(190, hash(world.seed, TAG.machine, hash(draw, TAG.machine, host) % spread));
  if (domain.kind.name === 'giant') return inNet(64, hash(draw, TAG.machine, host));
  if (domain.kind.name === 'farm' && number < 0)
    return inNet(64, hash(draw, TAG.machine, textHash(label)));
  const machine = farmMachine(world, domain);
  if (machine !== undefined) return inNet(128, hash(world.seed, TAG.machine, -1, machine));
  const shared = domain.company?.machine;
  if (shared !== undefined) return inNet(128, hash(world.seed, TAG.machine, -2, shared));
  if (draw % 3 === 0) {
    const machines = Math.max(2, Math.ceil(world.initialDomains / 3 / DOMAINS_A_MACHINE));
    return `127.1.${Math.floor(machineOf(draw, machines) / 250)}.${1 + (machineOf(draw, machines) % 250)}`;
  }
  const addresses = Math.max(1, Math.ceil(world.initialDomains / DOMAINS_AN_ADDRESS));
  return inNet(128, hash(world.seed, TAG.machine, draw % addresses));
}

/** Machines differ in size, too: the first ones have more hosts. */
function machineOf(draw: number, machines: number): number {
  const u = (draw >>> 8) / 16777216;
  return Math.floor(u * u * machines);
}

/** An address in one of the 64 nets 127.n.x.y from n on. */
function inNet(n: number, h: number): string {
  return `127.${n + (h & 63)}.${(h >>> 8) & 255}.${1 + ((h >>> 16) % 254)}`;
}
