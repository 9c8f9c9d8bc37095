/**
 * The workbench: which host may be asked for a page now, so that no server is asked too often?
 *
 * Idea      A queue of addresses by ready time, each with a queue of hosts by ready time (BUbiNG,
 *           section 3.2). A fetcher acquires a turn: the host *and* its address leave the workbench
 *           until the turn is released. So two requests at once to one host or one address are
 *           impossible.
 *
 *   addresses  ──►  127.0.0.4 (ready 10:00:01)  ──►  a.example (ready 09:59:58)  ──►  /x /y /z
 *                   127.0.0.9 (ready 10:00:03)  ──►  b.example (ready 10:00:02)  ──►  /
 *
 *           When there are more ready hosts than fetchers, the order of turns chooses among them
 *           (turn-order.ts). So the ready hosts of an address are in a second queue, by their
 *           places in that order, and so are the addresses that have any.
 *
 * Requires  times of one clock; each turn is released once.
 * Ensures   a turn is given no sooner than the host's and the address's ready times, both set at
 *           every release. A host and an address can be asked out of turn (to follow a redirect of
 *           a robots.txt), under the same rules. Both are taken from tables that all agents share,
 *           so the rules hold for all agents together.
 * Cost      O(log addresses + log hosts of the address) a turn; one small object for each host and
 *           each address. An address is dropped when it has no host and its ready time is past.
 */
import FlatQueue from 'flatqueue';
import type { Millis } from '../base/units.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import { SmallQueue } from './small-queue.ts';
import { byReadyTime, type TurnOrder } from './turn-order.ts';

/** What the workbench needs of a host. */
interface BenchHost {
  readonly name: string;
  readonly queue: { readonly length: number };
  /** The host is paused until this time. */
  readyAt: Millis;
  /** The delay that its robots.txt asks for. */
  readonly crawlDelay?: Millis;
}

/** The time until another look at an address that another turn of this agent holds. */
const PAUSE_FOR_OTHER_TURN: Millis = 250;

/** Addresses that the agents of a machine share. */
export interface AddressTable {
  /** Takes an address and returns 0; or returns when to try again. */
  tryTake(ip: string, now: Millis): Millis;
  /** Gives an address back; it is paused until `readyAt`. */
  giveBack(ip: string, readyAt: Millis): void;
}

/** For a single agent: its workbench alone keeps the delays. */
export const unsharedAddresses: AddressTable = { tryTake: () => 0, giveBack: () => {} };

/** Hosts that the agents of a machine share: each has turns at one agent, but any may ask it. */
export interface HostTable {
  /** A host has entered memory, paused until `readyAt`. */
  entered(name: string, readyAt: Millis, crawlDelay: Millis): void;
  /** Takes a host for a turn and returns 0; or returns when to try again. */
  tryTake(name: string, now: Millis): Millis;
  /** Ends a turn, or a request that was not made; the host is paused until `readyAt`. */
  giveBack(name: string, readyAt: Millis, crawlDelay: Millis): void;
  /** Takes a host for a request out of turn and returns 0; or returns when to try again. */
  tryAsk(name: string, now: Millis): Millis;
  /** Ends a request out of turn; the host is paused for `delay`, or longer if it asks for it. */
  asked(name: string, now: Millis, delay: Millis): void;
}

/** For crawls without requests out of turn. */
const noneAsked: HostTable = {
  entered: () => {},
  tryTake: () => 0,
  giveBack: () => {},
  tryAsk: () => 0,
  asked: () => {},
};

export interface Turn<H extends BenchHost> {
  readonly host: H;
  readonly address: ResolvedAddress;
  /** The host moves to another address: release the turn without another request. */
  moved: boolean;
}

interface Address<H extends BenchHost> {
  readonly resolved: ResolvedAddress;
  /** The hosts queued for a turn that were not ready when last looked at, by ready time. */
  readonly hosts: SmallQueue<Place<H>>;
  /** The others, by their places in the order of turns. */
  readonly ready: SmallQueue<Place<H>>;
  /** How many hosts have their place here, queued or not. */
  places: number;
  readyAt: Millis;
  out: boolean;
  /**
   * The time of the address's valid entry in the queue of addresses; entries with another time are
   * stale.
   */
  queuedAt: Millis;
  /** The same for the queue of addresses with a ready host: the place of that host. */
  offeredAt: number;
}

/** A host's place: its address, and whether it is in that address's queue. */
interface Place<H extends BenchHost> {
  readonly host: H;
  address: Address<H>;
  /** The address to which the host moves when its turn ends. */
  moveTo: Address<H> | undefined;
  state: 'idle' | 'queued' | 'out';
}

export class Workbench<H extends BenchHost> {
  readonly #addresses = new Map<string, Address<H>>();
  readonly #places = new Map<H, Place<H>>();
  readonly #byReadyTime = new FlatQueue<Address<H>>();
  /** Addresses that may be asked now and have a ready host, by the place of their first. */
  readonly #ready = new FlatQueue<Address<H>>();
  readonly #order: TurnOrder<H>;
  /** Addresses without hosts, kept until their ready time is past. */
  readonly #vacant = new Set<Address<H>>();
  readonly #shared: AddressTable;
  readonly #hosts: HostTable;
  readonly #readyFrom: (ip: string) => Millis;
  #turnsOut = 0;

  /** `readyFrom`: when an address may be asked for the first time. */
  constructor(
    shared: AddressTable = unsharedAddresses,
    readyFrom: (ip: string) => Millis = () => 0,
    hosts: HostTable = noneAsked,
    order: TurnOrder<H> = byReadyTime,
  ) {
    this.#order = order;
    this.#shared = shared;
    this.#readyFrom = readyFrom;
    this.#hosts = hosts;
  }

  /** Turns acquired and not yet released. */
  get turnsOut(): number {
    return this.#turnsOut;
  }

  /** Gives a resolved host its place. */
  attach(host: H, resolved: ResolvedAddress): void {
    if (this.#places.has(host)) throw new Error(`${host.name} is already on the workbench.`);
    const address = this.#addressAt(resolved);
    this.#enter(address);
    const place: Place<H> = { host, address, moveTo: undefined, state: 'idle' };
    this.#places.set(host, place);
    this.#queue(place);
  }

  /** Removes an idle host, which has nothing in its queue. */
  detach(host: H, now: Millis): void {
    const place = this.#places.get(host);
    if (place?.state !== 'idle') throw new Error(`${host.name} is not idle.`);
    this.#places.delete(host);
    this.#leave(place.address);
    this.#forgetVacant(now);
  }

  /** How many hosts with something to fetch are queued at an address. */
  waitingAt(ip: string): number {
    const address = this.#addresses.get(ip);
    return address ? address.hosts.length + address.ready.length : 0;
  }

  /** How many addresses are kept. */
  get addresses(): number {
    return this.#addresses.size;
  }

  /** Call when the queue of an attached host is no longer empty. */
  filled(host: H): void {
    const place = this.#places.get(host);
    if (place?.state === 'idle') this.#queue(place);
  }

  has(host: H): boolean {
    return this.#places.has(host);
  }

  /** Acquires a turn of a host that may be asked now; undefined when there is none. */
  acquire(now: Millis): Turn<H> | undefined {
    this.#wake(now);
    while (this.#firstReady() !== undefined) {
      const address = this.#ready.pop() as Address<H>;
      address.offeredAt = Infinity;
      const queuedWith = address.ready.peekValue() as number;
      const place = address.ready.pop() as Place<H>;
      if (this.#order.placeOf(place.host) > queuedWith) {
        // Its domain had a turn at another host meanwhile, or has a smaller budget.
        address.ready.push(place, this.#order.placeBehind(place.host));
        this.#schedule(address, now);
        continue;
      }
      // The host's ready time was moved while it was queued, or another agent asks one of the two.
      if (!this.#takeBoth(place.host, address, now)) {
        place.state = 'idle';
        this.#queue(place);
        this.#schedule(address, now);
        continue;
      }
      this.#order.took(place.host);
      address.out = true;
      address.queuedAt = Infinity;
      place.state = 'out';
      this.#turnsOut++;
      return { host: place.host, address: address.resolved, moved: false };
    }
    return undefined;
  }

  /** Gives ready hosts new places in the order of turns where theirs are late. */
  reorder(now: Millis): void {
    const late: H[] = [];
    for (const address of this.#addresses.values()) {
      const { ready } = address;
      if (ready.length === 0) continue;
      const places: [place: Place<H>, value: number][] = [];
      for (let left = ready.length; left > 0; left--) {
        const value = ready.peekValue() as number;
        const place = ready.pop() as Place<H>;
        const isLate = this.#order.isLate(place.host);
        if (isLate) late.push(place.host);
        places.push([place, isLate ? this.#order.placeOf(place.host) : value]);
      }
      for (const [place, value] of places) ready.push(place, value);
      this.#schedule(address, now);
    }
    for (const host of late) this.#order.renew(host);
  }

  /**
   * Puts host and address back, paused until the given times; a host that `leaves` loses its place.
   */
  release(turn: Turn<H>, hostReadyAt: Millis, addressReadyAt: Millis, leaves = false): void {
    const place = this.#outPlace(turn);
    const left = place.address;
    this.#turnsOut--;
    place.state = 'idle';
    place.host.readyAt = hostReadyAt;
    this.#hosts.giveBack(place.host.name, hostReadyAt, place.host.crawlDelay ?? 0);
    this.#free(left, addressReadyAt);
    if (place.moveTo) {
      place.address = place.moveTo;
      this.#leave(left);
    }
    place.moveTo = undefined;
    if (leaves) {
      this.#places.delete(place.host);
      this.#leave(place.address);
    } else this.#queue(place);
    this.#schedule(left);
  }

  /** Moves a host whose turn is out to another address: its next turn is there. */
  move(turn: Turn<H>, to: ResolvedAddress): void {
    const place = this.#outPlace(turn);
    if (place.moveTo) this.#leave(place.moveTo);
    place.moveTo = this.#addressAt(to);
    this.#enter(place.moveTo);
    turn.moved = true;
  }

  /**
   * Takes a host for a request out of turn, and its address unless the caller's turn has it
   * already. Returns 0, or when to try again.
   */
  tryAsk(name: string, resolved: ResolvedAddress | undefined, now: Millis): Millis {
    const again = this.#hosts.tryAsk(name, now);
    if (again > 0 || !resolved) return again;
    const address = this.#addressAt(resolved);
    const free = address.out ? now + PAUSE_FOR_OTHER_TURN : address.readyAt;
    const ready = free > now ? free : this.#shared.tryTake(resolved.ip, now);
    if (ready > now) {
      this.#hosts.giveBack(name, 0, 0);
      return ready;
    }
    address.out = true;
    address.queuedAt = Infinity;
    address.offeredAt = Infinity;
    return 0;
  }

  /** Ends a request out of turn, with the delays of host and address. */
  asked(
    name: string,
    delay: Millis,
    at: { readonly address: ResolvedAddress; readonly delay: Millis } | undefined,
    now: Millis,
  ): void {
    this.#hosts.asked(name, now, delay);
    if (!at) return;
    const address = this.#addressAt(at.address);
    if (!address.out) throw new Error(`${at.address.ip} was given back but not taken.`);
    this.#free(address, now + at.delay);
    this.#schedule(address);
  }

  /** When the next turn may be acquired; Infinity when no host is queued. */
  nextReadyAt(): Millis {
    if (this.#firstReady() !== undefined) return 0;
    while (this.#byReadyTime.length > 0) {
      const readyAt = this.#byReadyTime.peekValue() as Millis;
      if (readyAt === (this.#byReadyTime.peek() as Address<H>).queuedAt) return readyAt;
      this.#byReadyTime.pop();
    }
    return Infinity;
  }

  /** The address whose host is next in the order of turns. */
  #firstReady(): Address<H> | undefined {
    while (this.#ready.length > 0) {
      const address = this.#ready.peek() as Address<H>;
      if (this.#ready.peekValue() === address.offeredAt) return address;
      this.#ready.pop();
    }
    return undefined;
  }

  /** Looks for ready hosts at the addresses whose time has come. */
  #wake(now: Millis): void {
    while (this.#byReadyTime.length > 0) {
      const readyAt = this.#byReadyTime.peekValue() as Millis;
      if (readyAt > now) return;
      const address = this.#byReadyTime.pop() as Address<H>;
      if (readyAt !== address.queuedAt) continue;
      address.queuedAt = Infinity;
      while (address.hosts.length > 0 && (address.hosts.peekValue() as Millis) <= now) {
        const place = address.hosts.pop() as Place<H>;
        address.ready.push(place, this.#order.placeOf(place.host));
      }
      this.#schedule(address, now);
    }
  }

  /** Takes host and address for a turn; false when one is not ready, whose ready time is moved. */
  #takeBoth(host: H, address: Address<H>, now: Millis): boolean {
    if (Math.max(host.readyAt, address.readyAt) > now) return false;
    host.readyAt = Math.max(host.readyAt, this.#hosts.tryTake(host.name, now));
    if (host.readyAt > now) return false;
    address.readyAt = Math.max(address.readyAt, this.#shared.tryTake(address.resolved.ip, now));
    if (address.readyAt <= now) return true;
    this.#hosts.giveBack(host.name, 0, 0);
    return false;
  }

  #outPlace({ host }: Turn<H>): Place<H> {
    const place = this.#places.get(host);
    if (place?.state !== 'out') throw new Error(`${host.name} was released but not acquired.`);
    return place;
  }

  #addressAt(resolved: ResolvedAddress): Address<H> {
    let address = this.#addresses.get(resolved.ip);
    if (!address) {
      const readyAt = this.#readyFrom(resolved.ip);
      address = {
        resolved,
        hosts: new SmallQueue(),
        ready: new SmallQueue(),
        places: 0,
        readyAt,
        out: false,
        queuedAt: Infinity,
        offeredAt: Infinity,
      };
      this.#addresses.set(resolved.ip, address);
      this.#vacant.add(address);
    }
    return address;
  }

  #free(address: Address<H>, readyAt: Millis): void {
    address.out = false;
    address.readyAt = readyAt;
    this.#shared.giveBack(address.resolved.ip, readyAt);
  }

  #enter(address: Address<H>): void {
    if (++address.places === 1) this.#vacant.delete(address);
  }

  #leave(address: Address<H>): void {
    if (--address.places === 0) this.#vacant.add(address);
  }

  /** Drops the oldest first, so that each is checked about once. */
  #forgetVacant(now: Millis): void {
    for (const address of this.#vacant) {
      if (address.out || address.readyAt > now) return;
      this.#vacant.delete(address);
      this.#addresses.delete(address.resolved.ip);
    }
  }

  #queue(place: Place<H>): void {
    if (place.host.queue.length === 0) return;
    place.state = 'queued';
    place.address.hosts.push(place, place.host.readyAt);
    this.#schedule(place.address);
  }

  /**
   * Queues the address for the time when it and its first host are ready, unless it is already
   * queued as early. If both are ready by `now`, it is offered for a turn.
   */
  #schedule(address: Address<H>, now: Millis = -Infinity): void {
    const { hosts, ready } = address;
    if (address.out) return;
    const isOffered = ready.length > 0 && address.readyAt <= now;
    if (isOffered) this.#offer(address);
    if (hosts.length === 0 && (ready.length === 0 || isOffered)) return;
    const next = ready.length > 0 && !isOffered ? 0 : (hosts.peekValue() as Millis);
    const readyAt = Math.max(address.readyAt, next);
    if (readyAt >= address.queuedAt) return;
    address.queuedAt = readyAt;
    this.#byReadyTime.push(address, readyAt);
    this.#dropStale(this.#byReadyTime, ({ queuedAt }) => queuedAt);
  }

  #offer(address: Address<H>): void {
    const first = address.ready.peekValue() as number;
    const place = this.#order.placeAt(first, address.readyAt);
    if (place === address.offeredAt) return;
    address.offeredAt = place;
    this.#ready.push(address, place);
    this.#dropStale(this.#ready, ({ offeredAt }) => offeredAt);
  }

  /** Stale entries whose time is far away would pile up: they are dropped when they are most. */
  #dropStale(queue: FlatQueue<Address<H>>, validAt: (address: Address<H>) => number): void {
    if (queue.length <= 2 * this.#addresses.size + MANY_STALE) return;
    const valid = new Map<Address<H>, number>();
    while (queue.length > 0) {
      const at = queue.peekValue() as number;
      const address = queue.pop() as Address<H>;
      if (at === validAt(address)) valid.set(address, at);
    }
    for (const [address, at] of valid) queue.push(address, at);
    queue.shrink();
  }

  /** Entries in the two queues of addresses, stale ones included. */
  get entries(): number {
    return this.#byReadyTime.length + this.#ready.length;
  }
}

/** Stale entries of addresses that may stay in a queue, besides as many as there are addresses. */
const MANY_STALE = 64;
