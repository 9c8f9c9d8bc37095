/**
 * The frontier and its distributor against a naive model: a list of URLs for every host, and a
 * clock.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { Disk } from '../../src/disk/disk.ts';
import { BatchBuilder } from '../../src/drum/keyed-batch.ts';
import { Backlog } from '../../src/frontier/backlog/backlog.ts';
import { Distributor } from '../../src/frontier/distributor.ts';
import { Frontier, type FrontierLimits, type HostTurn } from '../../src/frontier/frontier.ts';
import { Domain, Host } from '../../src/frontier/host.ts';
import { HostStore } from '../../src/frontier/host-store.ts';
import { encodeDiscovery } from '../../src/frontier/queue/discovered-url.ts';
import { restoreSnapshot, takeSnapshot } from '../../src/frontier/snapshot.ts';
import { SieveSupply } from '../../src/frontier/supply.ts';
import { MemorySieve } from '../../src/sieve/memory-sieve.ts';
import { fingerprint } from '../../src/url/fingerprint.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const NO_LIMITS: FrontierLimits = {
  hosts: 3,
  urls: 8,
  front: 2,
  choice: 1,
  hostsPerAddress: 2,
  hostsPerDomain: Infinity,
  pagesPerHost: Infinity,
  pagesPerDomain: Infinity,
};

/** A crawl without a network: names resolve at once, every page is fetched in no time. */
class DryCrawl {
  now = 0;
  readonly clock: Clock = { now: () => this.now, after: () => () => {} };
  readonly fetched: string[] = [];
  readonly refused: Record<string, number> = {};
  readonly sieve = new MemorySieve();
  frontier!: Frontier;
  supply!: SieveSupply;
  distributor!: Distributor;
  /** When each host and address was asked last. */
  readonly asked = new Map<string, number>();
  readonly #limits: FrontierLimits;
  /** Between two requests to a host, as the frontier knows it. */
  readonly #delay: number;

  constructor(limits: Partial<FrontierLimits> = {}, delay = 0) {
    this.#limits = { ...NO_LIMITS, ...limits };
    this.#delay = delay;
  }

  async open(): Promise<this> {
    const disk = new Disk();
    this.frontier = new Frontier({
      backlog: await Backlog.open({ disk, folder: temporaryFolder(), memory: 600 }),
      store: await HostStore.open({ disk, folder: temporaryFolder(), memory: 2 ** 20 }),
      clock: this.clock,
      limits: this.#limits,
      delayOf: () => this.#delay,
      requisites: true,
      onSkipped: (reason, urls) => {
        this.refused[reason] = (this.refused[reason] ?? 0) + urls;
      },
    });
    this.supply = new SieveSupply(this.sieve, this.supply?.taken);
    this.distributor = new Distributor(this.supply, this.frontier, this.clock);
    return this;
  }

  async discover(urls: readonly string[]): Promise<void> {
    const batch = new BatchBuilder();
    for (const url of urls)
      batch.addText(fingerprint(url), encodeDiscovery({ url, depth: 0, redirects: 0 }));
    await this.sieve.offer(batch);
    this.supply.offered();
  }

  /** Fetches one page if one may be fetched now; false when the crawl must wait or is over. */
  async fetchOne(hostDelay: number, addressDelay: number): Promise<boolean> {
    while (await this.distributor.step()) this.#resolveNames();
    this.#resolveNames();
    const turn = this.frontier.acquire(this.now);
    if (!turn) return false;
    const discovery = this.frontier.atLimit(turn) ? undefined : this.frontier.take(turn);
    if (discovery) {
      const ready = (key: string, delay: number) => {
        expect(this.now - (this.asked.get(key) ?? -Infinity)).toBeGreaterThanOrEqual(delay);
        this.asked.set(key, this.now);
      };
      ready(turn.host.name, hostDelay);
      ready(turn.address.ip, addressDelay);
      this.fetched.push(discovery.url);
      this.frontier.countPage(turn);
    }
    this.frontier.release(turn, this.now + hostDelay, this.now + addressDelay);
    return true;
  }

  async run(hostDelay = 5, addressDelay = 2): Promise<void> {
    let idle = 0;
    while (idle < 3) {
      if (await this.fetchOne(hostDelay, addressDelay)) continue;
      this.frontier.starved();
      const next = Math.min(this.frontier.nextReadyAt(), this.distributor.wakeAt);
      if (next === Infinity) idle++;
      else this.now = Math.max(this.now + 1, next);
    }
  }

  #resolveNames(): void {
    for (let host = this.frontier.unresolved(); host; host = this.frontier.unresolved()) {
      this.frontier.resolved(host, [{ ip: `10.0.0.${host.name.length % 3}`, family: 4 }]);
    }
  }
}

const urlsOf = (hosts: readonly number[]) =>
  hosts.map((host, i) => `http://${'h'.repeat(1 + (host % 5))}${host}.example${host % 4}.org/${i}`);
const byHost = (urls: readonly string[]) => {
  const lists: Record<string, string[]> = {};
  for (const url of urls) {
    const { host } = new URL(url);
    lists[host] = [...(lists[host] ?? []), url];
  }
  return lists;
};

describe('the frontier', () => {
  test('hands out every URL once, those of a host in order, and keeps all delays, with memory for three hosts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(11), { minLength: 1, maxLength: 120 }),
        fc.nat(40),
        fc.constantFrom({}, { urls: 20, front: 3 }),
        fc.constantFrom(0, 4000, 60_000),
        async (hosts, cut, limits, delay) => {
          const urls = urlsOf(hosts);
          const crawl = await new DryCrawl(limits, delay).open();
          await crawl.discover(urls.slice(0, cut));
          for (let i = 0; i < 20; i++) await crawl.fetchOne(5, 2);
          await crawl.discover(urls.slice(cut));
          await crawl.run();
          expect(byHost(crawl.fetched)).toEqual(byHost(urls));
          expect(crawl.frontier.queued).toBe(0);
          expect(crawl.frontier.hostsSeen).toBe(new Set(hosts).size);
          expect(crawl.frontier.domainsSeen).toBe(new Set(hosts.map((host) => host % 4)).size);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('stops at the page limits of a host and of a domain, and counts the URLs it refuses', async () => {
    const urls = urlsOf(Array.from({ length: 60 }, (_, i) => i % 8));
    const crawl = await new DryCrawl({ pagesPerHost: 4, pagesPerDomain: 6 }).open();
    await crawl.discover(urls);
    await crawl.run();
    for (const list of Object.values(byHost(crawl.fetched)))
      expect(list.length).toBeLessThanOrEqual(4);
    const domains: Record<string, number> = {};
    for (const url of crawl.fetched) {
      const domain = new URL(url).host.split('.').slice(-2).join('.');
      domains[domain] = (domains[domain] ?? 0) + 1;
    }
    expect(Object.values(domains)).toEqual([6, 6, 6, 6]);
    const refused = Object.values(crawl.refused).reduce((sum, n) => sum + n, 0);
    expect(crawl.fetched.length + refused).toBe(60);
    expect(Object.keys(crawl.refused).sort()).toEqual(['domain-page-limit', 'host-page-limit']);
  });

  test('fetches the last page that the limit of a domain allows: a counted page is no longer under way', async () => {
    const crawl = await new DryCrawl({ hosts: 10, urls: 100, pagesPerDomain: 6 }).open();
    await crawl.discover(Array.from({ length: 10 }, (_, i) => `http://a.example/${i}`));
    for (let i = 0; i < 6; i++) {
      while (await crawl.distributor.step());
      for (let host = crawl.frontier.unresolved(); host; host = crawl.frontier.unresolved())
        crawl.frontier.resolved(host, [{ ip: '10.0.0.1', family: 4 }]);
      const turn = crawl.frontier.acquire(crawl.now) as HostTurn;
      expect([crawl.frontier.atLimit(turn), crawl.frontier.mustWait(turn)]).toEqual([false, false]);
      crawl.frontier.take(turn);
      if (i === 5) expect(crawl.frontier.mustWait(turn)).toBe(true);
      crawl.frontier.countPage(turn);
      crawl.frontier.release(turn, crawl.now, crawl.now);
    }
    expect(crawl.frontier.atLimit(crawl.frontier.acquire(crawl.now) as HostTurn)).toBe(true);
  });

  test('refuses the queued URLs of a host it gave up on, in memory or on disk, for some hours', async () => {
    const crawl = await new DryCrawl().open();
    const urls = Array.from({ length: 30 }, (_, i) => `http://gone.example/${i}`);
    await crawl.discover([...urls, 'http://here.example/']);
    while (await crawl.distributor.step());
    for (let host = crawl.frontier.unresolved(); host; host = crawl.frontier.unresolved()) {
      if (host.name === 'gone.example') crawl.frontier.giveUp(host, 'dns-not-found');
      else crawl.frontier.resolved(host, [{ ip: '10.0.0.1', family: 4 }]);
    }
    await crawl.run();
    expect(crawl.refused).toEqual({ 'dns-not-found': 30 });
    expect(crawl.fetched).toEqual(['http://here.example/']);
    crawl.now += 5 * 3600_000;
    await crawl.discover(['http://gone.example/later']);
    await crawl.run();
    expect(crawl.fetched).toContain('http://gone.example/later');
  });

  test('is the same after a snapshot, with the URL that was being fetched first', async () => {
    const urls = urlsOf([0, 1, 0, 1, 0, 2, 0, 0, 3, 0]);
    const crawl = await new DryCrawl({ hosts: 10, urls: 100 }).open();
    await crawl.discover(urls);
    await crawl.fetchOne(0, 0);
    const turn = crawl.frontier.acquire(crawl.now)!;
    const underWay = crawl.frontier.take(turn)!;
    const snapshot = takeSnapshot(crawl.frontier);
    const { state } = crawl.frontier;
    await crawl.open();
    crawl.frontier.restore(state);
    restoreSnapshot(snapshot, crawl.frontier, () => crawl.now + 5);
    expect(crawl.frontier.queued).toBe(9);
    expect(crawl.frontier.nextReadyAt()).toBeGreaterThanOrEqual(crawl.now + 5);
    await crawl.run();
    expect(byHost(crawl.fetched)).toEqual(byHost(urls));
    expect(crawl.fetched).toContain(underWay.url);
  });

  test('gives a few large hosts no more than their share of the room', async () => {
    const crawl = await new DryCrawl({ hosts: 100, urls: 200, front: 20 }).open();
    const large = Array.from({ length: 600 }, (_, i) => `http://large${i % 3}.example/${i}`);
    const small = Array.from({ length: 30 }, (_, i) => `http://small${i}.example/`);
    await crawl.discover([...large, ...small]);
    for (let i = 0; i < 40; i++) await crawl.fetchOne(5, 0);
    expect(crawl.fetched.filter((url) => url.includes('small')).length).toBeGreaterThan(15);
  });

  test('has as many hosts as it needs, however many URLs the first of them have', async () => {
    const frontOf = async (known: number) => {
      const limits = { hosts: 800, urls: 6400, front: 20, hostsPerAddress: Infinity };
      const crawl = await new DryCrawl(limits, known).open();
      const { frontier } = crawl;
      const large = Array.from({ length: 10_000 }, (_, i) => `http://large${i % 100}.test/${i}`);
      const small = Array.from({ length: 6000 }, (_, i) => `http://small${i % 1000}.test/${i}`);
      await crawl.discover(large);
      await crawl.fetchOne(4000, 0);
      await crawl.discover(small);
      for (let i = 0; i < 12; i++) {
        while (await crawl.fetchOne(4000, 0));
        for (let j = 0; j < 10; j++) frontier.starved();
        crawl.now += 1000;
      }
      expect(frontier.queued + crawl.fetched.length).toBe(16_000);
      return frontier.front;
    };
    expect(await frontOf(4000)).toBeGreaterThan(780);
    expect(await frontOf(0)).toBeLessThan(600);
  });

  test('has work for the distributor when URLs fill the memory and hosts are missing', async () => {
    const limits = { hosts: 40, urls: 100, front: 5, hostsPerAddress: Infinity };
    const crawl = await new DryCrawl(limits, 4000).open();
    await crawl.discover(Array.from({ length: 300 }, (_, i) => `http://h${i % 10}.test/${i}`));
    await crawl.fetchOne(4000, 0);
    crawl.frontier.add({ url: 'http://other.test/', depth: 0, redirects: 0 });
    expect(crawl.frontier.queued - crawl.frontier.backlog.urls).toBe(100);
    expect(crawl.distributor.hasWork).toBe(false);
    for (let i = 0; i < 20; i++) crawl.frontier.starved();
    expect(crawl.frontier.required).toBeGreaterThan(10);
    expect(crawl.distributor.hasWork).toBe(true);
    await crawl.distributor.step();
    // Nothing more to clear for some seconds.
    expect(crawl.distributor.wakeAt).toBeLessThan(Infinity);
  });

  test('keeps the requisites of pages in memory when URLs fill it', async () => {
    const limits = { hosts: 40, urls: 100, front: 5, hostsPerAddress: Infinity };
    const crawl = await new DryCrawl(limits, 4000).open();
    const { frontier } = crawl;
    await crawl.discover(Array.from({ length: 300 }, (_, i) => `http://h${i % 10}.test/${i}`));
    await crawl.fetchOne(4000, 0);
    for (let i = 0; i < 30; i++) {
      const isRequisite = true;
      frontier.add({ url: `http://h0.test/${i}.css`, depth: 0, redirects: 0, isRequisite });
    }
    for (let i = 0; i < 20; i++) frontier.starved();
    await crawl.distributor.step();
    expect(frontier.requisites).toBe(30);
  });

  test('gives a host with a short delay its part of the free memory, also when not all hosts fit', async () => {
    const limits = { hosts: 600, urls: 6400, front: 600, hostsPerAddress: Infinity };
    const { frontier } = await new DryCrawl(limits, 100).open();
    const hosts = Array.from({ length: 700 }, (_, i) => `h${i}.test`);
    for (const name of hosts) frontier.add({ url: `http://${name}/`, depth: 0, redirects: 0 });
    expect(frontier.backlog.urls).toBe(100);
    // A 64th of what is free; the share of a host is 10.
    expect(frontier.roomAt(frontier.host(hosts[0]) as Host)).toBeGreaterThan(80);
  });

  test('keeps all URLs in memory while all hosts fit, also with a delay', async () => {
    const crawl = await new DryCrawl({ hosts: 10, urls: 10_000, front: 5 }, 4000).open();
    await crawl.discover(urlsOf(Array.from({ length: 150 }, (_, i) => i % 2)));
    await crawl.fetchOne(4000, 0);
    expect(crawl.frontier.backlog.urls).toBe(0);
  });

  test('takes in hosts of an address when others there have run dry, up to the limit of queued hosts', async () => {
    const { frontier } = await new DryCrawl({ hosts: 20, urls: 100, front: 1 }).open();
    const add = (name: string, ip: string) => {
      frontier.add({ url: `http://${name}/`, depth: 0, redirects: 0 });
      const host = frontier.unresolved() as Host;
      frontier.resolved(host, [{ ip, family: 4 }]);
    };
    for (const name of ['one.org', 'two.org']) add(name, '10.0.0.1');
    for (let i = 0; i < 2; i++) {
      const turn = frontier.acquire(0) as HostTurn;
      frontier.take(turn);
      frontier.release(turn, 0, 0);
    }
    for (const name of ['three.org', 'four.org']) add(name, '10.0.0.2');
    const names = ['five.org', 'six.org', 'seven.org'];
    for (const name of names) add(name, '10.0.0.1');
    expect(names.map((name) => frontier.host(name) !== undefined)).toEqual([true, true, false]);
  });

  test('keeps no file of answers open, since updates have none', async () => {
    const folder = temporaryFolder();
    const store = await HostStore.open({ disk: new Disk(), folder, memory: 2 ** 20 });
    for (let i = 0; i < 5; i++) {
      store.save(new Host(`h${i}.example`, new Domain(`h${i}.example`)));
      await store.merge();
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('answers'))).toEqual([]);
    await store.close();
  });

  test('requires a larger front whenever a fetcher had to wait although the front was as large as required', async () => {
    const crawl = await new DryCrawl({ hosts: 100, urls: 1000, front: 2 }).open();
    await crawl.discover(urlsOf(Array.from({ length: 50 }, (_, i) => i)));
    await crawl.fetchOne(5, 2);
    const before = crawl.frontier.required;
    crawl.frontier.starved();
    expect(crawl.frontier.required).toBe(before + 1);
  });
});

describe('beside a domain with endless hosts', () => {
  /** The hosts of the domain share one address, which answers once a tick. */
  const endless = Array.from({ length: 120 }, (_, i) => `http://${1000 + i}.endless.test/`);
  const sites = ['aa.test', 'aaaa.test', 'bb.test', 'bbbb.test'];
  const pages = sites.flatMap((site) =>
    Array.from({ length: 20 }, (_, i) => `http://${site}/${i}`),
  );

  const crawlUntil = async (end: number, limits: Partial<FrontierLimits>) => {
    const crawl = await new DryCrawl({
      ...{ hosts: 24, urls: 400, front: 8, hostsPerAddress: Infinity },
      ...limits,
    }).open();
    await crawl.discover(endless.slice(0, 60));
    await crawl.discover(pages);
    await crawl.discover(endless.slice(60));
    while (crawl.now < end) {
      if (await crawl.fetchOne(10, 1)) continue;
      crawl.frontier.starved();
      crawl.now = Math.max(
        crawl.now + 1,
        Math.min(crawl.frontier.nextReadyAt(), crawl.distributor.wakeAt),
      );
    }
    return crawl;
  };

  test('the other sites are fetched as fast as their delay allows', async () => {
    const crawl = await crawlUntil(200, { hostsPerDomain: 4 });
    for (const site of sites) {
      const fetched = crawl.fetched.filter((url) => url.startsWith(`http://${site}/`)).length;
      expect(fetched, site).toBeGreaterThanOrEqual(18);
    }
  });

  test('that domain has only its share of places, also while every host fits in memory', async () => {
    const crawl = await new DryCrawl({
      hosts: 500,
      urls: 500,
      front: 500,
      hostsPerDomain: 4,
    }).open();
    await crawl.discover(endless);
    await crawl.fetchOne(10, 1);
    const hosts = [...crawl.frontier.registry.hosts()].map(({ name }) => name);
    expect(hosts.filter((name) => name.endsWith('.endless.test'))).toHaveLength(4);
  });

  test('the hosts of that domain are all fetched in the end', async () => {
    const crawl = await crawlUntil(220, { hostsPerDomain: 4 });
    expect(new Set(crawl.fetched)).toEqual(new Set([...endless, ...pages]));
    expect(crawl.fetched.length).toBe(endless.length + pages.length);
  });
});
