/**
 * The network and the name servers fail for some minutes and return: no host is given up for it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import { Outage } from '../../../src/crawl/hosts/outage.ts';
import { type Lab, startLab } from '../../../src/lab/server/lab.ts';
import { DnsError, type NameResolver } from '../../../src/net/dns.ts';
import { archivedPages } from '../archived.ts';
import { fastClock } from '../fast-clock.ts';
import { startCrawl } from '../here.ts';
import { linking, type SmallSite, startSmallSite } from '../small-site.ts';

const MINUTE = 60_000;
/** A minute in a tenth of a second. */
const SPEED = 600;

describe('a crawl whose network', () => {
  let dir: string;
  let lab: Lab | undefined;
  let site: SmallSite | undefined;

  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'drumlin-outage-')), 'crawl');
  });
  afterEach(async () => {
    await lab?.close();
    await site?.close();
    rmSync(join(dir, '..'), { recursive: true, force: true });
  });

  test('fails for ten minutes, with its name servers, loses no URL', async () => {
    const options = { scenario: 'clean', domains: 30, pages: 6 };
    lab = await startLab(options);
    const pages = [...lab.web.allUrls()].sort();
    const { http, dns } = lab.ports;
    const clock = fastClock(SPEED);
    const config = resolveConfig({
      ...{
        dir,
        dns: [lab.dns],
        allowPrivate: true,
        agents: 2,
        delay: '20s',
        addressDelay: 0,
        sieveMemory: 2 ** 20,
      },
    });
    let fetched = 0;
    let enough = () => {};
    const some = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const onPage = () => void (++fetched === 25 && enough());
    const { finished } = await startCrawl(lab.seeds, config, { clock, onPage });
    await some;
    await lab.close();
    await new Promise<void>((over) => void clock.after(10 * MINUTE, over));
    lab = await startLab({ ...options, httpPort: http, dnsPort: dns });
    expect(await finished).toMatchObject({ end: 'finished', errors: {}, urlsQueued: 0 });
    expect(await archivedPages(dir)).toEqual(pages);
    const events = readFileSync(join(dir, 'log.jsonl'), 'utf8');
    expect(events).toContain('"network-gone"');
    expect(events).toContain('"network-back"');
  });

  test('loses its only site for ten minutes waits for it', async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `/${i}`);
    const web = {
      '/': linking(...paths),
      ...Object.fromEntries(paths.map((path) => [path, 'page'])),
    };
    site = await startSmallSite(web);
    const port = Number(new URL(site.origin).port);
    const clock = fastClock(SPEED);
    const config = resolveConfig({ allowPrivate: true, delay: '20s', agents: 1 });
    const { finished } = await startCrawl([`${site.origin}/`], config, { clock });
    while (site.asked.length < 5) await new Promise((later) => setImmediate(later));
    await site.close();
    await new Promise<void>((over) => void clock.after(10 * MINUTE, over));
    site = await startSmallSite(web, '127.0.0.1', port);
    expect(await finished).toMatchObject({ pages: 13, errors: {} });
  });

  test('fails before some hosts were ever asked does not give them up', async () => {
    const ips = Array.from({ length: 12 }, (_, i) => `127.0.1.${i + 1}`);
    let sites = await Promise.all(ips.map((ip) => startSmallSite({ '/': 'page' }, ip)));
    const seeds = sites.map(({ origin }) => `${origin}/`);
    const clock = fastClock(SPEED);
    // One request at a time, and each host is asked twice: robots.txt, then the page.
    const config = resolveConfig({ allowPrivate: true, delay: '20s', agents: 1, fetches: 1 });
    const { finished } = await startCrawl(seeds, config, { clock });
    while (sites.filter(({ asked }) => asked.length > 0).length < 5) {
      await new Promise((later) => setImmediate(later));
    }
    for (const each of sites) await each.close();
    await new Promise<void>((over) => void clock.after(10 * MINUTE, over));
    sites = await Promise.all(
      seeds.map((seed) =>
        startSmallSite({ '/': 'page' }, new URL(seed).hostname, Number(new URL(seed).port)),
      ),
    );
    expect(await finished).toMatchObject({ pages: 12, errors: {} });
    for (const each of sites) await each.close();
  });

  test('was never there ends soon, with every URL counted', async () => {
    const config = resolveConfig({ allowPrivate: true, agents: 1, delay: '1s' });
    const seeds = [1, 2, 3, 4].map((i) => `http://127.0.0.${i}:9/`);
    const { finished } = await startCrawl(seeds, config, { clock: fastClock(SPEED) });
    expect(await finished).toMatchObject({ pages: 0, errors: { 'robots-unreachable': 4 } });
  });
});

describe('an outage', () => {
  let now = 0;
  let answer: 'there' | DnsError = 'there';
  const clock: Clock = { now: () => now, after: () => () => {} };
  const resolver = {
    resolve: async () => {
      if (answer === 'there') return [{ ip: '192.0.2.1', family: 4 } as const];
      throw answer;
    },
    close: () => {},
  };
  let outage: Outage;

  beforeEach(() => {
    now = 1e12;
    answer = 'there';
    outage = new Outage({ clock, log: { event: () => {} } });
  });
  const fails = (ip: string) => outage.excuses('connect-timeout', ip);

  test('is believed when three addresses that answered fail in a row; then hosts never asked before are excused too', () => {
    for (const ip of ['a', 'b', 'c']) outage.answered(ip);
    expect(fails('never asked')).toBe(false);
    for (const ip of ['a', 'b', 'c']) fails(ip);
    expect(fails('never asked')).toBe(true);
  });

  test('is over with the first answer', () => {
    for (const ip of ['a', 'b', 'c']) outage.answered(ip);
    for (const ip of ['a', 'b', 'c']) fails(ip);
    outage.answered('d');
    expect(fails('never asked')).toBe(false);
  });

  test('is not believed of hosts that never answered, however many they are', () => {
    outage.answered('a');
    for (let i = 0; i < 100; i++) expect(fails(`dead ${i}`)).toBe(false);
  });

  test('is believed for an hour at most', () => {
    for (const ip of ['a', 'b', 'c']) outage.answered(ip);
    for (const ip of ['a', 'b', 'c']) fails(ip);
    now += 59 * MINUTE;
    expect(fails('never asked')).toBe(true);
    now += 2 * MINUTE;
    expect(fails('never asked')).toBe(false);
    expect(fails('a')).toBe(false);
  });

  test('of one host that answered before is excused for a quarter of an hour', () => {
    outage.answered('a');
    outage.answered('b');
    expect(fails('a')).toBe(true);
    outage.answered('b');
    now += 14 * MINUTE;
    expect(fails('a')).toBe(true);
    now += 2 * MINUTE;
    expect(fails('a')).toBe(false);
    outage.answered('a');
    expect(fails('a')).toBe(true);
  });

  test('does not excuse a server that is there and answers badly', () => {
    for (const ip of ['a', 'b', 'c']) outage.answered(ip);
    for (const ip of ['a', 'b', 'c']) expect(outage.excuses('reset', ip)).toBe(false);
    expect(outage.excuses('tls-failed', 'a')).toBe(false);
  });

  test('of the name servers is recognised by asking for a name that worked before', async () => {
    answer = new DnsError('dns-timeout', 'nobody there');
    expect(await outage.namesAreGone(now, resolver)).toBe(false);
    outage.resolved('known.test');
    expect(await outage.namesAreGone(now, resolver)).toBe(true);
    now += 11_000;
    answer = 'there';
    expect(await outage.namesAreGone(now, resolver)).toBe(false);
    now += 11_000;
    answer = new DnsError('dns-not-found', 'it was deleted, says a server that is there');
    expect(await outage.namesAreGone(now, resolver)).toBe(false);
  });

  test('of the name servers is not believed because the names of some domains fail', async () => {
    const asked: string[] = [];
    const lying: NameResolver = {
      resolve: (name) => {
        asked.push(name);
        return name.includes('liar')
          ? Promise.reject(new DnsError('dns-failed', 'a lie'))
          : Promise.resolve([]);
      },
      close: () => {},
    };
    outage.resolved('good.test');
    for (let i = 0; i < 50; i++) outage.resolved(`www.liar${i}.test`);
    now += 1;
    expect(await outage.namesAreGone(now, lying)).toBe(false);
    expect(outage.current).toBeUndefined();
    expect(asked).toHaveLength(6);
  });

  test('of the name servers is not believed while they answer others', async () => {
    answer = new DnsError('dns-timeout', 'this one is not answered any more');
    outage.resolved('known.test');
    now += 11_000;
    const since = now;
    now += 5000;
    outage.resolved('other.test');
    expect(await outage.namesAreGone(since, resolver)).toBe(false);
    expect(await outage.namesAreGone(now, resolver)).toBe(true);
  });
});
